import SoundboxCore
import SoundboxMQTT
import SoundboxTesting
import Synchronization
import TestSupport
import Testing

@Suite("The connection of a provider", .timeLimit(.minutes(10)))
struct FleetTests {
    private static let filters = ["soundbox/v1/+/+/receipts"]
    private static let retained = ["soundbox/v1/+/+/status"]

    /// Records its calls, and publishes what it is given.
    private final class Provider: MQTTFleetDelegate {
        let turns = Journal<FleetTurn>()
        let connections = Journal<FleetConnection>()
        private let publications = Mutex<[FleetPublication]>([])
        private let onCommit = Mutex<@Sendable () throws -> Void>({})

        func publish(_ payloads: String..., on topic: String = paymentsTopic) {
            publications.withLock { publications in
                publications += payloads.enumerated().map {
                    FleetPublication(id: Int64($0.offset + 1), topic: topic, payload: Array($0.element.utf8))
                }
            }
        }

        func onCommit(_ body: @escaping @Sendable () throws -> Void) { onCommit.withLock { $0 = body } }

        func commit(_ turn: FleetTurn) throws {
            turns.append(turn)
            let body = onCommit.withLock { $0 }
            try body()
        }

        func publications(limit: Int) -> [FleetPublication] {
            publications.withLock { publications in
                defer { publications = [] }
                return publications
            }
        }

        func connectionChanged(to state: FleetConnection) { connections.append(state) }
    }

    private func withFleet(
        _ version: BrokerProtocol = .v5, _ body: (FakeBroker, Provider, MQTTFleet) async throws -> Void
    ) async throws {
        let broker = try FakeBroker()
        let settings = try boxSettings(port: broker.port) {
            $0.handshakeLimit = .seconds(300)
            $0.keepAlive = .seconds(300)
            $0.protocolChoice = version
        }
        let provider = Provider()
        let fleet = try MQTTFleet(
            settings: settings, clientID: "gateway-1", filters: Self.filters, retained: Self.retained
        ) {
            _ in
        }
        async let run: Void = fleet.run(delegate: provider)
        let result: Result<Void, any Error>
        do { result = .success(try await body(broker, provider, fleet)) } catch { result = .failure(error) }
        fleet.stop()
        broker.shutDown()
        try await run
        try result.get()
    }

    /// The next connection, with its subscriptions granted.
    private func session(_ broker: FakeBroker) async throws -> BrokerConnection {
        let (connection, connect) = try await broker.connectionWithConnect()
        #expect(connect.clientID == "gateway-1" && !connect.cleanSession && connect.willTopic == nil)
        connection.send(.connack(knowsSession: true))
        // A status is retained: queued ones would push receipts out.
        for (filter, quality) in Self.filters.map({ ($0, UInt8(1)) }) + Self.retained.map({ ($0, UInt8(0)) }) {
            let subscription = try await connection.packets.next(\.subscription)
            #expect(subscription.topic == filter && subscription.qos == quality)
            connection.send(.suback(subscription.id, granted: quality))
        }
        return connection
    }

    @Test("Receipts of any box are committed before they are acknowledged", arguments: [BrokerProtocol.v5, .v311])
    func committedFirst(version: BrokerProtocol) async throws {
        try await withFleet(version) { broker, provider, _ in
            let gate = Gate()
            defer { gate.open() }
            provider.onCommit { gate.wait() }
            let session = try await session(broker)
            session.send(.publish("a", to: receiptsTopic, id: 7), .publish("b", to: "soundbox/v1/M2/x/receipts", id: 8))
            let turn = try await provider.turns.next()
            #expect(turn.messages.first == .init(topic: receiptsTopic, payload: Array("a".utf8)))
            session.readArrived()
            #expect(session.packets.entries.allSatisfy { $0.kind != .puback })
            gate.open()
            #expect(try await session.packets.next(\.acknowledgedID) == 7)
            #expect(try await session.packets.next(\.acknowledgedID) == 8)
        }
    }

    @Test("When the commit fails nothing is acknowledged, and the connection ends; the next one is served")
    func failedCommit() async throws {
        try await withFleet { broker, provider, _ in
            provider.onCommit { throw RecordingDelegate.CommitRefused() }
            let refused = try await session(broker)
            refused.send(.publish("a", to: receiptsTopic, id: 7))
            #expect(try await refused.packets.all().allSatisfy { $0.kind != .puback && $0.kind != .disconnect })
            let lost = try await provider.connections.next { if case .lost(let reason, _) = $0 { reason } else { nil } }
            #expect(lost == "the messages that arrived could not be stored: disk full")
            provider.onCommit {}
            let session = try await session(broker)
            session.send(.publish("a", to: receiptsTopic, id: 7, isDuplicate: true))
            #expect(try await session.packets.next(\.acknowledgedID) == 7)
        }
    }

    @Test("A publication is reported when the broker has taken it, and one that is refused with the reason")
    func published() async throws {
        try await withFleet { broker, provider, fleet in
            let session = try await session(broker)
            _ = try await provider.connections.next { if case .ready(_, isResumed: true) = $0 { () } else { nil } }
            provider.publish("one", "two")
            fleet.publicationsAreWaiting()
            let first = try await session.packets.next(\.publication)
            let second = try await session.packets.next(\.publication)
            #expect(first.topic == paymentsTopic && first.qos == 1 && !first.isRetained && first.payload == "one")
            session.send(.puback(first.id))
            #expect(try await provider.turns.next().acknowledged == [1])
            // Quota exceeded (MQTT 5, section 3.4.2.1).
            session.send(ControlPacket(.puback, body: [UInt8(second.id >> 8), UInt8(second.id & 0xFF), 0x97]))
            let turn = try await provider.turns.next()
            #expect(turn.acknowledged.isEmpty && turn.refused.map(\.id) == [2])
        }
    }

    @Test("What was not acknowledged when a connection ended is not sent by itself again: its owner names it")
    func forgotten() async throws {
        try await withFleet { broker, provider, fleet in
            let first = try await session(broker)
            provider.publish("one")
            fleet.publicationsAreWaiting()
            _ = try await first.packets.next(\.publication)
            first.hangUp()
            _ = try await provider.connections.next { if case .lost = $0 { () } else { nil } }
            let second = try await session(broker)
            _ = try await provider.connections.next { if case .ready = $0 { () } else { nil } }
            provider.publish("two")
            fleet.publicationsAreWaiting()
            let publication = try await second.packets.next(\.publication)
            #expect(publication.payload == "two" && !publication.isDuplicate)
            second.send(.puback(publication.id))
            #expect(try await provider.turns.next { $0.acknowledged.isEmpty ? nil : $0.acknowledged } == [1])
        }
    }

    @Test("A subscription that the broker refuses is told, with its filter")
    func refusedSubscription() async throws {
        try await withFleet { broker, provider, _ in
            let (connection, _) = try await broker.connectionWithConnect()
            connection.send(.connack())
            let subscription = try await connection.packets.next(\.subscription)
            connection.send(.suback(subscription.id, granted: 0x87))
            let reason = try await provider.connections.next {
                if case .lost(let reason, _) = $0 { reason } else { nil }
            }
            #expect(reason.contains(Self.filters[0]))
        }
    }

    @Test("Stopped, it waits for what is under way and says goodbye")
    func stopped() async throws {
        try await withFleet { broker, provider, fleet in
            let session = try await session(broker)
            provider.publish("one")
            fleet.publicationsAreWaiting()
            let publication = try await session.packets.next(\.publication)
            fleet.stop()
            session.send(.puback(publication.id))
            #expect(try await provider.turns.next().acknowledged == [1])
            #expect(try await session.packets.all().last?.kind == .disconnect)
        }
    }
}
