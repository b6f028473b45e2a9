import Glibc
import SoundboxCore
import SoundboxMQTT
import SoundboxSystem
import Synchronization

extension FuzzTarget {
    /// What a broker sends, through a socket, as libmosquitto and the feed read it. The first byte says in which version,
    /// and how far the broker behaves before; the others are bytes of MQTT 3.1.1, or describe packets of MQTT 5.
    static let broker = FuzzTarget(name: "broker") { input in
        guard let choice = input.first else { return }
        let version: BrokerProtocol = choice & 1 == 0 ? .v311 : .v5
        let welcome: [UInt8] = choice & 2 != 0 ? [] : version == .v5 ? [0x20, 3, 0, 0, 0] : [0x20, 2, 0, 0]
        var sent: [UInt8] = []
        // The packet ids of a session begin with 1.
        if choice & 4 == 0 {
            for id: UInt8 in 1...3 { sent += version == .v5 ? [0x90, 4, 0, id, 0, 1] : [0x90, 3, 0, id, 1] }
        }
        sent += version == .v5 ? packets(describedBy: input.dropFirst()) : Array(input.dropFirst())
        serve(welcome, sent, version)
    }

    private static let listener: (socket: Int32, port: Int) = {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                precondition(bind(listener, $0, size) == 0 && listen(listener, 16) == 0)
                precondition(getsockname(listener, $0, &size) == 0)
            }
        }
        return (listener, Int(UInt16(bigEndian: address.sin_port)))
    }()

    private static let topics = try? Topics(merchant: "M1001", device: "box")

    /// Plays a broker to a feed that stops after its first connection: reads CONNECT, accepts it where there is a welcome
    /// and reads what comes of that, sends the rest and hangs up.
    private static func serve(_ welcome: [UInt8], _ sent: [UInt8], _ version: BrokerProtocol) {
        guard let topics, let isOver = try? WakeUp() else { preconditionFailure("no descriptor is left") }
        let listener = listener
        startThread(named: "broker") {
            let socket = accept(listener.socket, nil, nil)
            var bytes = [UInt8](repeating: 0, count: 4_096)
            _ = recv(socket, &bytes, bytes.count, 0)
            if !welcome.isEmpty {
                _ = send(socket, welcome, welcome.count, Int32(MSG_NOSIGNAL))
                _ = recv(socket, &bytes, bytes.count, 0)
            }
            _ = send(socket, sent, sent.count, Int32(MSG_NOSIGNAL))
            shutdown(socket, Int32(SHUT_WR))
            while recv(socket, &bytes, bytes.count, 0) > 0 {}
            close(socket)
        }
        var settings = MQTTSettings(hosts: [.init("127.0.0.1", port: listener.port)], topics: topics)
        settings.protocolChoice = version
        guard let feed = try? MQTTFeed(settings: settings, offlineStatus: Array("{}".utf8), log: { _ in }) else {
            preconditionFailure("no descriptor is left")
        }
        let delegate = CheckingDelegate(feed)
        Task.detached {
            await feed.run(delegate: delegate)
            isOver.signal()
        }
        var waited = pollfd(fd: isOver.descriptor, events: Int16(POLLIN), revents: 0)
        // libFuzzer's own limit ends one that hangs.
        while poll(&waited, 1, -1) < 1 {}
    }

    /// Every property of MQTT 5 (section 2.2.2.2) with the kind of its value. The library ends the process over any other
    /// number: see docs/decisions/170-mqtt-by-libmosquitto.md.
    private static let properties: [(id: UInt8, kind: PropertyKind)] = [
        (1, .bytes(1)), (2, .bytes(4)), (3, .text(1)), (8, .text(1)), (9, .text(1)), (11, .number), (17, .bytes(4)),
        (18, .text(1)), (19, .bytes(2)), (21, .text(1)), (22, .text(1)), (23, .bytes(1)), (24, .bytes(4)),
        (25, .bytes(1)), (26, .text(1)), (28, .text(1)), (31, .text(1)), (33, .bytes(2)), (34, .bytes(2)),
        (35, .bytes(2)), (36, .bytes(1)), (37, .bytes(1)), (38, .text(2)), (39, .bytes(4)), (40, .bytes(1)),
        (41, .bytes(1)), (42, .bytes(1)),
    ]

    private enum PropertyKind {
        case bytes(Int)
        /// Of so many parts, each with its length.
        case text(Int)
        /// A variable byte integer.
        case number
    }

    /// For each packet: its first byte; how many properties; for each of these a byte that chooses it, and its value; the
    /// length of the rest, and the rest.
    private static func packets(describedBy input: ArraySlice<UInt8>) -> [UInt8] {
        var rest = input
        func byte() -> UInt8 { rest.popFirst() ?? 0 }
        func bytes(_ count: Int) -> [UInt8] {
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count)) + Array(repeating: 0, count: max(0, count - rest.count))
        }
        var all: [UInt8] = []
        while let first = rest.popFirst() {
            var block: [UInt8] = []
            for _ in 0..<(byte() % 5) {
                let property = properties[Int(byte()) % properties.count]
                block.append(property.id)
                switch property.kind {
                case .bytes(let count): block += bytes(count)
                case .text(let parts):
                    for _ in 0..<parts {
                        let text = bytes(Int(byte() % 16))
                        block += [0, UInt8(text.count)] + text
                    }
                case .number: block += [byte() | 0x80, byte() & 0x7F]
                }
            }
            block = length(block.count) + block
            let tail = bytes(Int(byte()))
            var body: [UInt8]
            switch first >> 4 {
            case 2: body = [byte(), byte()] + block
            case 3:
                let ends = ["payments", "commands", "probe", "other"]
                let topic = Array("soundbox/v1/M1001/box/\(ends[Int(byte() % 4)])".utf8)
                body = [0, UInt8(topic.count)] + topic + (first & 6 == 0 ? [] : [byte(), byte()]) + block
            case 4...7: body = [byte(), byte(), byte()] + block
            case 14, 15: body = [byte()] + block
            default: body = [byte(), byte()] + block
            }
            body += tail
            all += [first] + length(body.count) + body
        }
        return all
    }

    private static func length(_ count: Int) -> [UInt8] {
        count < 128 ? [UInt8(count)] : [UInt8(count & 0x7F) | 0x80, UInt8(count >> 7)]
    }
}

/// Stops the feed when its connection has ended.
private final class CheckingDelegate: PaymentFeedDelegate {
    private let feed: MQTTFeed

    init(_ feed: MQTTFeed) { self.feed = feed }

    func commit(_ batch: [FeedMessage]) {
        precondition(batch.allSatisfy { $0.payload.count <= PaymentNoticeDecoder.maximumPayloadBytes })
    }

    func strayed(_ messages: [StrayMessage]) { precondition(!messages.isEmpty) }

    func skipped(_ topic: FeedMessage.Topic, bytes: Int) {
        precondition(bytes > PaymentNoticeDecoder.maximumPayloadBytes)
    }

    func receipts(after sequence: Int64, limit: Int) -> [OutgoingReceipt] { [] }

    func receiptsDelivered(_ sequences: [Int64]) {}

    func connectionChanged(to connection: FeedConnection) {
        if case .disconnected(let reason, _) = connection {
            // One line of the log and of the status.
            precondition(!reason.contains("\n"))
            feed.stop()
        }
    }

    func sessionBegan(_ session: FeedSession) {}

    func faultsChanged(to faults: [FeedFault]) {}
}
