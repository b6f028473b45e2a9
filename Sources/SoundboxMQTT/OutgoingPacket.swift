import SoundboxCore

/// The packets that a client sends, as bytes (MQTT 3.1.1 and MQTT 5, chapter 3).
enum OutgoingPacket {
    /// The most that a text or binary field holds.
    static let maximumFieldBytes = 65_535

    struct Will {
        var topic: String
        /// At most ``maximumFieldBytes``.
        var payload: [UInt8]
        var isRetained: Bool
    }

    /// Who connects, and how.
    struct Connect {
        var clientID: String
        /// Whether the broker is to keep the session when the connection has ended.
        var keepsSession: Bool
        /// Seconds for which it does. MQTT 3.1.1 has no limit, or one that the broker does not tell.
        var sessionExpiry: UInt32
        /// Seconds.
        var keepAlive: UInt16
        /// Published by the broker, as soon as the connection is lost.
        var will: Will?
        var username: String?
        var password: String?
    }

    /// How many messages a broker may send before the first is acknowledged: as many as are committed together. No
    /// limit is set to the size of a packet. Brokers drop what is larger without a word, and what is too large for the
    /// box gets a receipt.
    static let receiveMaximum: UInt16 = 256

    static func connect(_ connect: Connect, _ version: ProtocolVersion) -> [UInt8] {
        var flags: UInt8 = connect.keepsSession ? 0 : 0x02
        var payload = field(connect.clientID.utf8)
        if let will = connect.will {
            flags |= 0x04 | Topic.qualityOfService << 3 | (will.isRetained ? 0x20 : 0)
            payload += noProperties(version) + field(will.topic.utf8) + field(will.payload)
        }
        if let username = connect.username {
            flags |= 0x80
            payload += field(username.utf8)
        }
        if let password = connect.password {
            flags |= 0x40
            payload += field(password.utf8)
        }
        var properties: [UInt8] = []
        if version == .v5 {
            if connect.keepsSession { properties += [0x11] + long(connect.sessionExpiry) }
            properties += [0x21] + word(receiveMaximum)
            properties.insert(UInt8(properties.count), at: 0)
        }
        return packet(
            0x10, field("MQTT".utf8) + [version.rawValue, flags] + word(connect.keepAlive) + properties + payload)
    }

    /// For one topic.
    static func subscribe(to topic: String, id: UInt16, _ version: ProtocolVersion) -> [UInt8] {
        packet(0x82, word(id) + noProperties(version) + field(topic.utf8) + [Topic.qualityOfService])
    }

    /// - Parameter id: `nil` sends it at QoS 0.
    static func publish(
        _ payload: [UInt8], to topic: String, id: UInt16?, isRetained: Bool, isAgain: Bool = false,
        _ version: ProtocolVersion
    ) -> [UInt8] {
        let quality = id == nil ? 0 : Topic.qualityOfService
        return packet(
            0x30 | quality << 1 | (isRetained ? 1 : 0) | (isAgain ? 0x08 : 0),
            field(topic.utf8) + (id.map(word) ?? []) + noProperties(version) + payload)
    }

    /// The first answer to a message: PUBACK at QoS 1, PUBREC at QoS 2. Empty at QoS 0. Without a reason code it is the
    /// same in both versions.
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

    private static func noProperties(_ version: ProtocolVersion) -> [UInt8] { version == .v5 ? [0] : [] }

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

    private static func long(_ value: UInt32) -> [UInt8] {
        word(UInt16(value >> 16)) + word(UInt16(truncatingIfNeeded: value))
    }
}
