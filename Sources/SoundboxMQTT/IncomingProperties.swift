/// What the properties of a broker's packet say, as far as a box asks for it (MQTT 5, section 2.2.2). Pure.
///
/// All of them are read, so that a packet that is malformed is known as such. What nothing depends on is skipped, and
/// its text is not looked at.
struct IncomingProperties: Equatable {
    /// Seconds.
    var sessionExpiry: UInt32?
    /// Seconds; 0 turns it off.
    var serverKeepAlive: UInt16?
    /// How many messages the broker takes at a time.
    var receiveMaximum: UInt16?
    /// The largest packet that the broker takes, its fixed header included.
    var maximumPacketSize: UInt32?
    /// 0 or 1; `nil` is 2.
    var maximumQoS: UInt8?
    var retainIsAvailable: Bool?
    /// How many seconds a message has left.
    var messageExpiry: UInt32?
    var reasonString: String?
    var serverReference: String?
    /// The client id that the broker has given the connection. Only a client without one should get it.
    var assignedClientID: String?

    init() {}

    /// - Parameters:
    ///   - bytes: the properties, without their length.
    ///   - packet: the type of the packet that has them, 2–14.
    init(_ bytes: ArraySlice<UInt8>, of packet: UInt8) throws(ProtocolViolation) {
        var cursor = ByteCursor(rest: bytes)
        var seen: Set<UInt8> = []
        while !cursor.rest.isEmpty {
            guard let id = cursor.byte(), let kind = Kind(id) else {
                throw ProtocolViolation("a property \(bytes[bytes.endIndex - cursor.rest.count - 1]), which is unknown")
            }
            guard kind.packets.contains(packet) else {
                throw ProtocolViolation("a property \(id) in a packet of type \(packet)")
            }
            guard kind.mayRepeat || seen.insert(id).inserted else {
                throw ProtocolViolation("a property \(id) that comes twice")
            }
            guard let value = kind.content.value(from: &cursor) else {
                throw ProtocolViolation("a property \(id) that is cut off")
            }
            try take(id, value)
        }
    }

    private mutating func take(_ id: UInt8, _ value: Value) throws(ProtocolViolation) {
        switch (id, value) {
        case (0x02, .number(let seconds)): messageExpiry = seconds
        case (0x11, .number(let seconds)): sessionExpiry = seconds
        case (0x13, .number(let seconds)): serverKeepAlive = UInt16(clamping: seconds)
        case (0x21, .number(let count)):
            guard count > 0 else { throw ProtocolViolation("a receive maximum of 0") }
            receiveMaximum = UInt16(clamping: count)
        case (0x24, .number(let quality)):
            guard quality < 2 else { throw ProtocolViolation("a maximum QoS of \(quality)") }
            maximumQoS = UInt8(quality)
        case (0x25, .number(let flag)):
            guard flag < 2 else { throw ProtocolViolation("retain available: \(flag)") }
            retainIsAvailable = flag == 1
        case (0x27, .number(let size)):
            guard size > 0 else { throw ProtocolViolation("a maximum packet size of 0") }
            maximumPacketSize = size
        case (0x1F, .text(let bytes)): reasonString = String(decoding: bytes, as: UTF8.self)
        case (0x12, .text(let bytes)): assignedClientID = String(decoding: bytes, as: UTF8.self)
        case (0x1C, .text(let bytes)): serverReference = String(decoding: bytes, as: UTF8.self)
        // No alias was allowed. A message under one has no topic that is known.
        case (0x23, _): throw ProtocolViolation("a topic alias, which was not allowed")
        default: break
        }
    }

    private enum Value {
        case number(UInt32)
        case text(ArraySlice<UInt8>)
    }

    private enum Content {
        case byte, word, long, variable, text, pair

        /// - Returns: `nil` when the bytes end within it.
        func value(from cursor: inout ByteCursor) -> Value? {
            switch self {
            case .byte: cursor.byte().map { .number(UInt32($0)) }
            case .word: cursor.word().map { .number(UInt32($0)) }
            case .long: cursor.long().map { .number($0) }
            case .variable: cursor.variable().map { .number(UInt32($0)) }
            case .text: cursor.field().map { .text($0) }
            case .pair: cursor.field() == nil ? nil : cursor.field().map { .text($0) }
            }
        }
    }

    /// A row of MQTT 5, table 2-4.
    private struct Kind {
        let content: Content
        /// The types of packets from a broker that may have it. A will's and a client's are left out.
        let packets: Set<UInt8>
        var mayRepeat = false

        private static let connack: Set<UInt8> = [2]
        private static let publish: Set<UInt8> = [3]

        init?(_ id: UInt8) {
            switch id {
            case 0x01: (content, packets) = (.byte, Self.publish)
            case 0x02: (content, packets) = (.long, Self.publish)
            case 0x03, 0x08, 0x09: (content, packets) = (.text, Self.publish)
            case 0x0B: (content, packets, mayRepeat) = (.variable, Self.publish, true)
            case 0x11, 0x27: (content, packets) = (.long, Self.connack)
            case 0x12, 0x15, 0x16, 0x1A: (content, packets) = (.text, Self.connack)
            case 0x13, 0x21, 0x22: (content, packets) = (.word, Self.connack)
            case 0x1C: (content, packets) = (.text, [2, 14])
            case 0x1F: (content, packets) = (.text, [2, 4, 6, 9, 14])
            case 0x23: (content, packets) = (.word, Self.publish)
            case 0x24, 0x25, 0x28, 0x29, 0x2A: (content, packets) = (.byte, Self.connack)
            case 0x26: (content, packets, mayRepeat) = (.pair, [2, 3, 4, 6, 9, 14], true)
            default: return nil
            }
        }
    }
}

/// Takes fields from the front of some bytes. Each is `nil` when the bytes end within it.
struct ByteCursor {
    var rest: ArraySlice<UInt8>

    mutating func byte() -> UInt8? { rest.popFirst() }

    mutating func word() -> UInt16? {
        guard let high = byte(), let low = byte() else { return nil }
        return UInt16(high) << 8 | UInt16(low)
    }

    mutating func long() -> UInt32? {
        guard let high = word(), let low = word() else { return nil }
        return UInt32(high) << 16 | UInt32(low)
    }

    /// A number of one to four bytes; `nil` also when it would be longer.
    mutating func variable() -> Int? {
        var number = 0
        for shift in [0, 7, 14, 21] {
            guard let digit = byte() else { return nil }
            number |= Int(digit & 0x7F) << shift
            if digit & 0x80 == 0 { return number }
        }
        return nil
    }

    /// Bytes behind a length of two bytes.
    mutating func field() -> ArraySlice<UInt8>? {
        guard let count = word() else { return nil }
        return bytes(Int(count))
    }

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}
