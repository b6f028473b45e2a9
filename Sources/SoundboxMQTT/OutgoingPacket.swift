import SoundboxCore

/// The packets that a client sends, as bytes (MQTT 3.1.1, chapter 3).
enum OutgoingPacket {
    /// The most that a text or binary field holds.
    static let maximumFieldBytes = 65_535

    struct Will {
        var topic: String
        /// At most ``maximumFieldBytes``.
        var payload: [UInt8]
        var isRetained: Bool
    }

    /// - Parameters:
    ///   - keepAlive: seconds.
    ///   - will: published by the broker.
    static func connect(
        clientID: String, keepsSession: Bool, keepAlive: UInt16, will: Will?, username: String?, password: String?
    ) -> [UInt8] {
        var flags: UInt8 = keepsSession ? 0 : 0x02
        var payload = field(clientID.utf8)
        if let will {
            flags |= 0x04 | Topic.qualityOfService << 3 | (will.isRetained ? 0x20 : 0)
            payload += field(will.topic.utf8) + field(will.payload)
        }
        if let username {
            flags |= 0x80
            payload += field(username.utf8)
        }
        if let password {
            flags |= 0x40
            payload += field(password.utf8)
        }
        return packet(0x10, field("MQTT".utf8) + [4, flags] + word(keepAlive) + payload)
    }

    /// For one topic.
    static func subscribe(to topic: String, id: UInt16) -> [UInt8] {
        packet(0x82, word(id) + field(topic.utf8) + [Topic.qualityOfService])
    }

    static func publish(_ payload: [UInt8], to topic: String, id: UInt16, isRetained: Bool) -> [UInt8] {
        packet(0x30 | Topic.qualityOfService << 1 | (isRetained ? 1 : 0), field(topic.utf8) + word(id) + payload)
    }

    /// The same PUBLISH, sent again.
    static func again(_ publish: [UInt8]) -> [UInt8] { [publish[0] | 0x08] + publish.dropFirst() }

    /// The first answer to a message: PUBACK at QoS 1, PUBREC at QoS 2. Empty at QoS 0.
    static func acknowledgement(of head: IncomingPacket.Head) -> [UInt8] {
        switch head.qos {
        case 0: []
        case 1: packet(0x40, word(head.id))
        default: packet(0x50, word(head.id))
        }
    }

    static func pubcomp(_ id: UInt16) -> [UInt8] { packet(0x70, word(id)) }

    static let pingreq = packet(0xC0, [])
    static let disconnect = packet(0xE0, [])

    private static func packet(_ type: UInt8, _ body: [UInt8]) -> [UInt8] {
        var bytes = [type]
        bytes.reserveCapacity(body.count + 5)
        var length = body.count
        repeat {
            let rest = length >> 7
            bytes.append(UInt8(length & 0x7F) | (rest > 0 ? 0x80 : 0))
            length = rest
        } while length > 0
        return bytes + body
    }

    private static func field(_ bytes: some Collection<UInt8>) -> [UInt8] {
        word(UInt16(clamping: bytes.count)) + bytes.prefix(maximumFieldBytes)
    }

    private static func word(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }
}
