/// The packets that this client takes from a broker.
enum IncomingPacket: Equatable {
    /// The return or reason code, of which 0 accepts the connection, and whether the broker knows the client's session.
    /// Without properties it has the form of MQTT 3.1.1.
    case connack(UInt8, knowsSession: Bool, IncomingProperties? = nil)
    case publish(Head, payload: [UInt8])
    /// The beginning of a message that is too large. Its bytes are skipped as they arrive. Where its properties alone
    /// are too much, they count as its payload.
    case oversized(Head, payloadBytes: Int)
    /// The end of that message.
    case skipped(Head, payloadBytes: Int)
    /// The packet id, and why the broker did not take the message, if it did not.
    case puback(UInt16, BrokerReason? = nil)
    case pubrel(UInt16)
    /// The packet id and the granted QoS of its one topic; 0x80 and more refuse it, for this reason, if one is given.
    case suback(UInt16, grantedQoS: UInt8, BrokerReason? = nil)
    case pingresp
    /// The broker ends the connection.
    case disconnect(BrokerReason)

    /// What a PUBLISH says about its payload.
    struct Head: Equatable {
        var topic: String
        /// 0 at QoS 0.
        var id: UInt16
        /// 0–2.
        var qos: UInt8
        var isRetained: Bool
        /// How many seconds it has left; `nil` when it does not expire.
        var expiry: UInt32?
    }
}

/// Bytes that are no MQTT of the version that is spoken.
struct ProtocolViolation: Error, Equatable {
    var reason: String

    init(_ reason: String) { self.reason = reason }
}

/// Splits a broker's bytes into packets, in whatever pieces they arrive. Pure.
///
/// It holds ``maximumPayloadBytes`` and a topic at most, 128 KiB, whatever length a packet announces. Memory is allocated
/// as bytes arrive, and a payload that is too large is never kept.
struct PacketReader {
    /// The largest payload that is passed on.
    let maximumPayloadBytes: Int
    private let version: ProtocolVersion

    /// More properties than these make a message too large.
    private static let maximumPropertyBytes = 65_536
    /// The largest packet but a PUBLISH: a reason string of full length, and some more.
    private static let maximumBodyBytes = 70_000

    private enum State {
        case type
        case length(Header, digits: Int)
        /// The rest of any packet but a PUBLISH.
        case body(Header)
        case topicLength(Header)
        case head(Header, bytes: Int)
        /// `left` are the bytes behind those of the length that were read.
        case propertyLength(IncomingPacket.Head, length: Int, digits: Int, left: Int)
        case properties(IncomingPacket.Head, bytes: Int, left: Int)
        case payload(IncomingPacket.Head, bytes: Int)
        case skipping(IncomingPacket.Head, bytes: Int, left: Int)
    }

    private struct Header {
        var type: UInt8
        /// The bytes that follow the length; up to 268,435,455.
        var length = 0

        var qos: UInt8 { type >> 1 & 3 }
    }

    private var state = State.type
    private var collected: [UInt8] = []

    init(maximumPayloadBytes: Int, version: ProtocolVersion = .v311) {
        self.maximumPayloadBytes = maximumPayloadBytes
        self.version = version
    }

    /// The message that is being skipped now.
    var skipping: (head: IncomingPacket.Head, payloadBytes: Int)? {
        guard case .skipping(let head, let bytes, _) = state else { return nil }
        return (head, bytes)
    }

    /// How many bytes of an unfinished packet are held.
    var heldBytes: Int { collected.count }

    /// Takes bytes from the front, up to the end of one packet.
    ///
    /// - Returns: `nil` when all bytes were taken and no packet is complete.
    mutating func next(from bytes: inout ArraySlice<UInt8>) throws(ProtocolViolation) -> IncomingPacket? {
        while true {
            switch state {
            case .type:
                guard let type = bytes.popFirst() else { return nil }
                state = .length(Header(type: type), digits: 0)
            case .length(var header, let digits):
                guard let digit = bytes.popFirst() else { return nil }
                header.length |= Int(digit & 0x7F) << (7 * digits)
                if digit & 0x80 == 0 {
                    state = try content(header)
                } else if digits == 3 {
                    throw ProtocolViolation("a length of more than four bytes")
                } else {
                    state = .length(header, digits: digits + 1)
                }
            case .body(let header):
                guard let body = collect(header.length, from: &bytes) else { return nil }
                state = .type
                return try packet(header, body)
            case .topicLength(let header):
                guard let digits = collect(2, from: &bytes) else { return nil }
                let head = 2 + Int(digits[0]) << 8 + Int(digits[1]) + (header.qos > 0 ? 2 : 0)
                guard head + (version == .v5 ? 1 : 0) <= header.length else {
                    throw ProtocolViolation("a topic longer than its packet")
                }
                collected = digits
                state = .head(header, bytes: head)
            case .head(let header, let count):
                guard let fields = collect(count, from: &bytes) else { return nil }
                let head = try self.head(header, fields)
                let left = header.length - count
                if version == .v5 {
                    state = .propertyLength(head, length: 0, digits: 0, left: left)
                } else if let packet = beginPayload(head, left) {
                    return packet
                }
            case .propertyLength(let head, var length, let digits, var left):
                guard let digit = bytes.popFirst() else { return nil }
                length |= Int(digit & 0x7F) << (7 * digits)
                left -= 1
                if digit & 0x80 != 0 {
                    guard digits < 3, left > 0 else {
                        throw ProtocolViolation("a length of properties without an end")
                    }
                    state = .propertyLength(head, length: length, digits: digits + 1, left: left)
                } else if length > left {
                    throw ProtocolViolation("properties longer than their packet")
                } else if length > Self.maximumPropertyBytes {
                    state = .skipping(head, bytes: left, left: left)
                    return .oversized(head, payloadBytes: left)
                } else {
                    state = .properties(head, bytes: length, left: left - length)
                }
            case .properties(var head, let count, let left):
                guard let fields = collect(count, from: &bytes) else { return nil }
                head.expiry = try IncomingProperties(fields[...], of: 3).messageExpiry
                if let packet = beginPayload(head, left) { return packet }
            case .payload(let head, let count):
                guard let payload = collect(count, from: &bytes) else { return nil }
                state = .type
                return .publish(head, payload: payload)
            case .skipping(let head, let count, let left):
                let skipped = min(left, bytes.count)
                bytes = bytes.dropFirst(skipped)
                guard skipped == left else {
                    state = .skipping(head, bytes: count, left: left - skipped)
                    return nil
                }
                state = .type
                return .skipped(head, payloadBytes: count)
            }
        }
    }

    /// - Returns: the message, when it is too large.
    private mutating func beginPayload(_ head: IncomingPacket.Head, _ size: Int) -> IncomingPacket? {
        guard size > maximumPayloadBytes else {
            state = .payload(head, bytes: size)
            return nil
        }
        state = .skipping(head, bytes: size, left: size)
        return .oversized(head, payloadBytes: size)
    }

    /// - Returns: the next `count` bytes, once they are all there.
    private mutating func collect(_ count: Int, from bytes: inout ArraySlice<UInt8>) -> [UInt8]? {
        let missing = count - collected.count
        collected += bytes.prefix(missing)
        bytes = bytes.dropFirst(missing)
        guard collected.count == count else { return nil }
        defer { collected = [] }
        return collected
    }

    /// The state after a fixed header. In MQTT 3.1.1 every packet from a broker except PUBLISH has a fixed length, in
    /// MQTT 5 a smallest one (chapter 3 of both).
    private func content(_ header: Header) throws(ProtocolViolation) -> State {
        let expected: ClosedRange<Int>
        let most = version == .v5 ? Self.maximumBodyBytes : 0
        switch header.type >> 4 {
        case 3:
            guard header.qos < 3 else { throw ProtocolViolation("a message at QoS 3") }
            guard header.length >= 2 else { throw ProtocolViolation("a message without a topic") }
            return .topicLength(header)
        case 2, 4, 6: expected = 2...max(2, most)
        case 9: expected = version == .v5 ? 4...most : 3...3
        case 13: expected = 0...0
        case 14 where version == .v5: expected = 0...most
        case let type: throw ProtocolViolation("a packet of type \(type), which nobody asked for")
        }
        guard expected.contains(header.length) else {
            let due =
                expected.count == 1
                ? "\(expected.lowerBound)" : "\(expected.lowerBound) to \(expected.upperBound)"
            throw ProtocolViolation(
                "a packet of type \(header.type >> 4) with \(header.length) bytes where \(due) are due")
        }
        return .body(header)
    }

    private func packet(_ header: Header, _ body: [UInt8]) throws(ProtocolViolation) -> IncomingPacket {
        let type = header.type >> 4
        var cursor = ByteCursor(rest: body[...])
        switch type {
        case 2:
            let knowsSession = (cursor.byte() ?? 0) & 1 != 0
            let code = cursor.byte() ?? 0
            // A broker that does not know MQTT 5 answers to that in the form that it knows.
            guard !cursor.rest.isEmpty else { return .connack(code, knowsSession: knowsSession) }
            return .connack(code, knowsSession: knowsSession, try lastProperties(&cursor, of: type))
        case 4, 6:
            let id = cursor.word() ?? 0
            let reason = try reason(&cursor, of: type)
            if type == 6 { return .pubrel(id) }
            return .puback(id, reason.code < 0x80 ? nil : reason)
        case 9:
            let id = cursor.word() ?? 0
            let properties = version == .v5 ? try properties(&cursor, of: type) : nil
            guard let code = cursor.byte(), cursor.rest.isEmpty else {
                throw ProtocolViolation("a packet of type 9 that does not answer to one topic")
            }
            let reason = code < 0x80 ? nil : properties.map { BrokerReason(code: code, $0) }
            return .suback(id, grantedQoS: code, reason == BrokerReason(code: 0x80) ? nil : reason)
        case 14: return .disconnect(try reason(&cursor, of: type))
        default: return .pingresp
        }
    }

    /// A reason code and its properties, each of which may be left out.
    private func reason(_ cursor: inout ByteCursor, of type: UInt8) throws(ProtocolViolation) -> BrokerReason {
        guard let code = cursor.byte() else { return BrokerReason(code: 0) }
        guard !cursor.rest.isEmpty else { return BrokerReason(code: code) }
        return BrokerReason(code: code, try lastProperties(&cursor, of: type))
    }

    private func lastProperties(
        _ cursor: inout ByteCursor, of type: UInt8
    ) throws(ProtocolViolation) -> IncomingProperties {
        let properties = try properties(&cursor, of: type)
        guard cursor.rest.isEmpty else {
            throw ProtocolViolation("a packet of type \(type) that is longer than its properties")
        }
        return properties
    }

    private func properties(
        _ cursor: inout ByteCursor, of type: UInt8
    ) throws(ProtocolViolation) -> IncomingProperties {
        guard let length = cursor.variable() else { throw ProtocolViolation("a length of properties without an end") }
        guard let bytes = cursor.bytes(length) else { throw ProtocolViolation("properties longer than their packet") }
        return try IncomingProperties(bytes, of: type)
    }

    private func head(_ header: Header, _ bytes: [UInt8]) throws(ProtocolViolation) -> IncomingPacket.Head {
        let hasID = header.qos > 0
        let name = bytes.dropFirst(2).dropLast(hasID ? 2 : 0)
        guard !name.isEmpty else { throw ProtocolViolation("a message without a topic") }
        guard !name.contains(0), let topic = String(validating: name, as: UTF8.self) else {
            throw ProtocolViolation("a topic that is no text")
        }
        let id = hasID ? UInt16(bytes[bytes.count - 2]) << 8 | UInt16(bytes[bytes.count - 1]) : 0
        guard !hasID || id > 0 else { throw ProtocolViolation("packet id 0") }
        return IncomingPacket.Head(topic: topic, id: id, qos: header.qos, isRetained: header.type & 1 != 0)
    }
}
