import SoundboxCore
import Testing

@testable import SoundboxMQTT

@Suite("Which address is tried next")
struct RouteTests {
    /// The addresses of a made-up name. A numeric address needs no name server.
    private func endpoints(_ hosts: String...) throws -> [Endpoint] {
        try hosts.flatMap { try Endpoint.lookUp(BrokerAddress(host: $0, port: 1883, usesTLS: false)) }
    }

    /// Carries out a round, in which every attempt fails.
    /// - Returns: the places in `names` of what was dialled, in order.
    private func round(_ route: inout Route, _ names: [[Endpoint]]) -> [[Int]] {
        var dialled: [[Int]] = []
        while true {
            switch route.next() {
            case .lookUp(let broker): route.lookedUp(names[broker])
            case .dial(let stop):
                dialled.append([stop.broker, names[stop.broker].firstIndex(of: stop.endpoint) ?? -1])
            case .pause: return dialled
            }
        }
    }

    /// Goes on until one address of one broker is dialled, which then takes the connection.
    private func connect(_ route: inout Route, _ names: [[Endpoint]], to broker: Int, _ place: Int) {
        while true {
            switch route.next() {
            case .lookUp(let broker): route.lookedUp(names[broker])
            case .dial(let stop) where stop == .init(broker: broker, endpoint: names[broker][place]):
                return route.connected()
            case .dial, .pause: break
            }
        }
    }

    @Test("A round tries every address of every broker once, in order, and the next one does the same")
    func rounds() throws {
        let names = [try endpoints("10.0.0.1", "10.0.0.2"), try endpoints("10.0.1.1"), try endpoints("10.0.2.1")]
        var route = Route(brokers: 3)
        for _ in 1...2 { #expect(round(&route, names) == [[0, 0], [0, 1], [1, 0], [2, 0]]) }
    }

    @Test("A round knows when nothing is left of it, so that the last address may take its time")
    func end() throws {
        let names = [try endpoints("10.0.0.1", "10.0.0.2")]
        var route = Route(brokers: 1)
        #expect(route.next() == .lookUp(broker: 0))
        route.lookedUp(names[0])
        #expect(route.hasMore && route.hasAlternatives)
        _ = route.next()
        #expect(route.hasMore)
        _ = route.next()
        #expect(!route.hasMore)
        #expect(route.next() == .pause)
    }

    @Test("After a connection has been closed, the address that had it comes first")
    func goodFirst() throws {
        let names = [try endpoints("10.0.0.1", "10.0.0.2", "10.0.0.3"), try endpoints("10.0.1.1")]
        var route = Route(brokers: 2)
        connect(&route, names, to: 0, 1)
        route.lost(silently: false)
        #expect(round(&route, names) == [[0, 1], [0, 2], [0, 0], [1, 0]])
        connect(&route, names, to: 1, 0)
        route.lost(silently: false)
        #expect(round(&route, names) == [[1, 0], [0, 0], [0, 1], [0, 2]])
    }

    @Test("An address that has fallen silent comes after the others of its name, and its broker after the others")
    func silentLast() throws {
        let names = [try endpoints("10.0.0.1", "10.0.0.2"), try endpoints("10.0.1.1"), try endpoints("10.0.2.1")]
        var route = Route(brokers: 3)
        connect(&route, names, to: 0, 0)
        route.lost(silently: true)
        #expect(round(&route, names) == [[0, 1], [0, 0], [1, 0], [2, 0]])
        connect(&route, names, to: 1, 0)
        route.lost(silently: true)
        #expect(round(&route, names) == [[2, 0], [0, 0], [0, 1], [1, 0]])
    }

    @Test("While a name cannot be looked up, the addresses that it had are tried; without any the next broker is")
    func noNameServer() throws {
        let names = [try endpoints("10.0.0.1"), try endpoints("10.0.1.1")]
        var route = Route(brokers: 2)
        _ = round(&route, [names[0], []])
        #expect(route.hasKnown(0) && !route.hasKnown(1))
        #expect(route.next() == .lookUp(broker: 0))
        route.lookedUp([])
        #expect(route.next() == .dial(.init(broker: 0, endpoint: names[0][0])))
        #expect(route.next() == .lookUp(broker: 1))
        route.lookedUp([])
        #expect(route.next() == .pause)
    }

    @Test("An address that a name no longer has is not dialled")
    func moved() throws {
        let old = [try endpoints("10.0.0.1", "10.0.0.2")]
        let new = [try endpoints("10.0.0.7", "10.0.0.2")]
        var route = Route(brokers: 1)
        connect(&route, old, to: 0, 0)
        route.lost(silently: false)
        #expect(round(&route, new) == [[0, 0], [0, 1]])
    }

    @Test("A box with one address of one broker has no alternatives")
    func single() throws {
        var route = Route(brokers: 1)
        _ = round(&route, [try endpoints("10.0.0.1")])
        #expect(!route.hasAlternatives)
        #expect(Route(brokers: 2).hasAlternatives)
    }

    @Test("A name's addresses come IPv4 first, then by turns, each once")
    func families() throws {
        let address = BrokerAddress(host: "::1", port: 1883, usesTLS: false)
        #expect(try Endpoint.lookUp(address).count == 1)
        let error = #expect(throws: LinkFailure.self) {
            // RFC 6761 reserves .invalid for names that never exist.
            try Endpoint.lookUp(BrokerAddress(host: "broker.invalid", port: 1883, usesTLS: false))
        }
        guard case .lookup = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
