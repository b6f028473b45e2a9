/// The packets that this client takes from a broker.
enum IncomingPacket: Equatable {
    /// The return code, of which 0 accepts the connection, and whether the broker knows the client's session.
    case connack(UInt8, knowsSession: Bool)
    case publish(Head, payload: [UInt8])
    /// The beginning of a message whose payload is too large. Its bytes are skipped as they arrive.
    case oversized(Head, payloadBytes: Int)
    /// The end of that message.
    case skipped(Head, payloadBytes: Int)
    case puback(UInt16)
    case pubrel(UInt16)
    /// The packet id and the granted QoS of its one topic; 0x80 refuses it.
    case suback(UInt16, grantedQoS: UInt8)
    case pingresp

    /// What a PUBLISH says about its payload.
    struct Head: Equatable {
        var topic: String
        /// 0 at QoS 0.
        var id: UInt16
        /// 0–2.
        var qos: UInt8
        var isRetained: Bool
    }
}

/// Bytes that are no MQTT 3.1.1.
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

    private enum State {
        case type
        case length(Header, digits: Int)
        /// The rest of any packet but a PUBLISH.
        case body(Header)
        case topicLength(Header)
        case head(Header, bytes: Int)
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

    init(maximumPayloadBytes: Int) { self.maximumPayloadBytes = maximumPayloadBytes }

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
                guard head <= header.length else { throw ProtocolViolation("a topic longer than its packet") }
                collected = digits
                state = .head(header, bytes: head)
            case .head(let header, let count):
                guard let fields = collect(count, from: &bytes) else { return nil }
                let head = try self.head(header, fields)
                let size = header.length - count
                guard size > maximumPayloadBytes else {
                    state = .payload(head, bytes: size)
                    continue
                }
                state = .skipping(head, bytes: size, left: size)
                return .oversized(head, payloadBytes: size)
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

    /// - Returns: the next `count` bytes, once they are all there.
    private mutating func collect(_ count: Int, from bytes: inout ArraySlice<UInt8>) -> [UInt8]? {
        let missing = count - collected.count
        collected += bytes.prefix(missing)
        bytes = bytes.dropFirst(missing)
        guard collected.count == count else { return nil }
        defer { collected = [] }
        return collected
    }

    /// The state after a fixed header. Every packet from a broker except PUBLISH has a fixed length (MQTT 3.1.1, chapter 3).
    private func content(_ header: Header) throws(ProtocolViolation) -> State {
        let expected: Int
        switch header.type >> 4 {
        case 3:
            guard header.qos < 3 else { throw ProtocolViolation("a message at QoS 3") }
            guard header.length >= 2 else { throw ProtocolViolation("a message without a topic") }
            return .topicLength(header)
        case 2, 4, 6: expected = 2
        case 9: expected = 3
        case 13: expected = 0
        case let type: throw ProtocolViolation("a packet of type \(type), which nobody asked for")
        }
        guard header.length == expected else {
            throw ProtocolViolation(
                "a packet of type \(header.type >> 4) with \(header.length) bytes where \(expected) are due")
        }
        return .body(header)
    }

    private func packet(_ header: Header, _ body: [UInt8]) throws(ProtocolViolation) -> IncomingPacket {
        switch header.type >> 4 {
        case 2: return .connack(body[1], knowsSession: body[0] & 1 != 0)
        case 4: return .puback(UInt16(body[0]) << 8 | UInt16(body[1]))
        case 6: return .pubrel(UInt16(body[0]) << 8 | UInt16(body[1]))
        case 9: return .suback(UInt16(body[0]) << 8 | UInt16(body[1]), grantedQoS: body[2])
        default: return .pingresp
        }
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
