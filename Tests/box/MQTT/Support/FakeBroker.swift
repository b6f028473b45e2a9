import Glibc
import SoundboxSystem
import Synchronization
import TestSupport
import Testing

/// A TCP server on the loopback interface. Without a script it does nothing by itself: the test plays the broker,
/// packet by packet.
final class FakeBroker: Sendable {
    /// What a broker says to what a client sent, in the broker's own threads. A test with short time limits has one:
    /// its own task may wait for longer than such a limit before a busy machine runs it again.
    ///
    /// The number is the connection's, from 1; `sent` is all that came on it, the packet to answer last.
    typealias Script = @Sendable (_ connection: Int, _ sent: [ControlPacket]) -> [ControlPacket]

    let port: Int
    private let listener: Int32
    private let accepted = Journal<BrokerConnection>()

    init(script: Script? = nil) throws {
        listener = try LoopbackSocket.listen()
        port = try LoopbackSocket.port(of: listener)
        startThread(named: "fake-broker") { [self] in
            while case let socket = accept(listener, nil, nil), socket >= 0 {
                let number = accepted.entries.count + 1
                accepted.append(BrokerConnection(socket: socket) { sent in script?(number, sent) ?? [] })
            }
            accepted.finish()
        }
    }

    deinit { close(listener) }

    /// Ends the listener and every connection. Harmless when called twice.
    func shutDown() {
        shutdown(listener, Int32(SHUT_RDWR))
        for connection in accepted.entries { connection.hangUp() }
    }

    /// The next TCP connection.
    func connection() async throws -> BrokerConnection { try await accepted.next() }

    /// The next connection, with its CONNECT read and not answered.
    func connectionWithConnect() async throws -> (BrokerConnection, ControlPacket.Connect) {
        let connection = try await connection()
        return (connection, try #require(try await connection.packets.next().connect))
    }

    /// The next connection, accepted, with both subscriptions granted and the marker's refused.
    ///
    /// - Parameter properties: of the CONNACK.
    func session(_ properties: [UInt8] = []) async throws -> BrokerConnection {
        let (connection, _) = try await connectionWithConnect()
        connection.send(.connack(0, properties))
        // Without taking out of the journal what comes before it.
        connection.refusesMarker.store(true, ordering: .relaxed)
        for _ in 0..<2 {
            let subscription = try await connection.packets.next(\.subscription)
            connection.send(.suback(subscription.id, granted: 1))
        }
        _ = try await connection.refusedMarkers.next()
        return connection
    }
}

/// One client's connection, from the broker's side.
final class BrokerConnection: Sendable {
    /// What the client sent. Finished when the client has closed the connection.
    let packets = Journal<ControlPacket>()
    /// Whether a subscription to the probe topic is refused at once.
    let refusesMarker = Atomic<Bool>(false)
    let refusedMarkers = Journal<UInt16>()
    private let socket: Int32
    private let unparsed = Mutex<[UInt8]>([])
    /// The version that the client has asked for, which is then spoken: 4 or 5.
    private let level = Atomic<UInt8>(4)
    private let answer: @Sendable ([ControlPacket]) -> [ControlPacket]

    fileprivate init(socket: Int32, answer: @escaping @Sendable ([ControlPacket]) -> [ControlPacket]) {
        self.socket = socket
        self.answer = answer
        startThread(named: "fake-broker-in") { [self] in
            var waited = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            repeat { poll(&waited, 1, -1) } while readArrived()
            packets.finish()
            refusedMarkers.finish()
        }
    }

    deinit { close(socket) }

    /// Moves everything that has arrived into ``packets``; does not wait.
    ///
    /// - Returns: `false` once the client has closed the connection.
    @discardableResult func readArrived() -> Bool {
        unparsed.withLock { unparsed in
            var chunk = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = recv(socket, &chunk, chunk.count, Int32(MSG_DONTWAIT))
                guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) }
                unparsed += chunk[..<count]
                while var packet = ControlPacket(takingFrom: &unparsed) {
                    if let connect = packet.connect { level.store(connect.level, ordering: .relaxed) }
                    if level.load(ordering: .relaxed) == 5 { packet.takeOutProperties() }
                    packets.append(packet)
                    if refusesMarker.load(ordering: .relaxed), let request = packet.subscription,
                        request.topic.hasSuffix("/probe")
                    {
                        send(.suback(request.id, granted: 0x80))
                        refusedMarkers.append(request.id)
                    }
                    for packet in answer(packets.entries) { send(packet) }
                }
            }
        }
    }

    /// Grants payments and commands.
    ///
    /// - Parameter marker: the answer to the subscription that follows, to the probe topic.
    func grantSubscriptions(marker: UInt8) async throws {
        for granted in [1, 1, marker] {
            let subscription = try await packets.next(\.subscription)
            send(.suback(subscription.id, granted: granted))
        }
    }

    func send(_ packets: ControlPacket...) { send(packets) }

    func send(_ packets: [ControlPacket]) { send(bytes: packets.flatMap(bytes(of:))) }

    /// In the version that this client speaks.
    func bytes(of packet: ControlPacket) -> [UInt8] { packet.bytes(level: level.load(ordering: .relaxed)) }

    /// Sends everything in one write, so that it arrives together.
    func send(bytes: [UInt8]) {
        _ = Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Closes the connection as a crashing broker would.
    func hangUp() { shutdown(socket, Int32(SHUT_RDWR)) }
}
