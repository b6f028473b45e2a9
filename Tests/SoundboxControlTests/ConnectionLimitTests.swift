import NIOCore
import NIOEmbedded
import Synchronization
import TestSupport
import Testing

@testable import SoundboxControl

@Suite("The connections of the control socket are few and short", .timeLimit(.minutes(10)))
struct ConnectionLimitTests {
    /// Connections to one server, on a clock that stands until the test moves it.
    private struct Connections {
        let limit = ConnectionLimit()
        let loop = EmbeddedEventLoop()
        private var channels: [EmbeddedChannel] = []
        private let cut = Journal<Int>()

        mutating func open(_ count: Int = 1) {
            for _ in 0..<count {
                let channel = EmbeddedChannel(handler: limit.handler(), loop: loop)
                channel.closeFuture.whenComplete { [cut, number = channels.count] _ in cut.append(number) }
                channels.append(channel)
            }
        }

        /// By number, in the order in which they were cut.
        func areCut() -> [Int] {
            loop.run()
            return cut.entries
        }
    }

    @Test("The oldest connection makes room for a new one")
    func oldest() {
        var connections = Connections()
        connections.open(ConnectionLimit.mostConnections)
        #expect(connections.areCut() == [])
        connections.open()
        #expect(connections.areCut() == [0])
        connections.open(2)
        #expect(connections.areCut() == [0, 1, 2])
    }

    @Test("A connection lasts ten seconds, however busy it is")
    func lifetime() {
        var connections = Connections()
        connections.open()
        connections.loop.advanceTime(by: .seconds(4))
        connections.open()
        connections.loop.advanceTime(by: .milliseconds(5999))
        #expect(connections.areCut() == [])
        connections.loop.advanceTime(by: .milliseconds(1))
        #expect(connections.areCut() == [0])
        connections.loop.advanceTime(by: .seconds(4))
        #expect(connections.areCut() == [0, 1])
    }

    @Test("A connection that has ended takes no room")
    func ended() {
        var connections = Connections()
        connections.open(ConnectionLimit.mostConnections)
        connections.loop.advanceTime(by: ConnectionLimit.lifetime)
        let all = Array(0..<ConnectionLimit.mostConnections)
        #expect(connections.areCut().sorted() == all)
        connections.open(ConnectionLimit.mostConnections)
        #expect(connections.areCut().sorted() == all)
    }

    @Test("At the end all are cut, and so is one that comes later")
    func end() {
        var connections = Connections()
        connections.open(2)
        connections.limit.close()
        #expect(connections.areCut() == [0, 1])
        connections.open()
        #expect(connections.areCut() == [0, 1, 2])
    }

    @Test("On the socket as well: who came first is cut off, and the others are still answered")
    func onTheSocket() async throws {
        let trial = try ControlTrial()
        try await trial.whileOpen {
            var connections: [(UnixConnection, pieces: Journal<String>)] = []
            for _ in 0...ConnectionLimit.mostConnections {
                let connection = try await UnixConnection.opened(to: trial.socketPath)
                connections.append((connection, connection.received()))
                // Its turn has come once it is answered, and not when it is connected.
                connection.send("GET /status HTTP/1.1\r\nHost: box\r\n\r\n")
                #expect(try await connections.last?.pieces.next().hasPrefix("HTTP/1.1 200") == true)
            }
            _ = try await connections[0].pieces.all()
            #expect(try await trial.client.status() == trial.status)
        }
    }
}
