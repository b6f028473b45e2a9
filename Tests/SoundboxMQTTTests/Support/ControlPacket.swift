/// One MQTT 3.1.1 control packet, as bytes on the wire and as far as the tests look into it.
struct ControlPacket: Sendable, Equatable, CustomStringConvertible {
    /// MQTT 3.1.1, table 2.1.
    enum Kind: UInt8 {
        case connect = 1
        case connack, publish, puback, pubrec, pubrel, pubcomp, subscribe, suback, unsubscribe, unsuback
        case pingreq, pingresp, disconnect
    }

    var kind: Kind
    /// The low four bits of the first byte.
    var flags: UInt8 = 0
    /// Everything after the remaining length.
    var body: [UInt8] = []

    var description: String { "\(kind)(\(body.count) bytes)" }

    /// Takes one whole packet from the front of `bytes`; `nil` when there is none yet.
    init?(takingFrom bytes: inout [UInt8]) {
        guard let first = bytes.first, let kind = Kind(rawValue: first >> 4) else { return nil }
        var length = 0
        var index = 1
        var shift = 0
        while true {
            guard index < bytes.count else { return nil }
            length |= Int(bytes[index] & 0x7F) << shift
            shift += 7
            index += 1
            if bytes[index - 1] & 0x80 == 0 { break }
        }
        guard bytes.count >= index + length else { return nil }
        self.kind = kind
        flags = first & 0x0F
        body = Array(bytes[index..<index + length])
        bytes.removeFirst(index + length)
    }

    init(_ kind: Kind, flags: UInt8 = 0, body: [UInt8] = []) {
        self.kind = kind
        self.flags = flags
        self.body = body
    }

    var bytes: [UInt8] {
        var length = body.count
        var encoded: [UInt8] = [kind.rawValue << 4 | flags]
        repeat {
            let rest = length >> 7
            encoded.append(UInt8(length & 0x7F) | (rest > 0 ? 0x80 : 0))
            length = rest
        } while length > 0
        return encoded + body
    }
}

// MARK: What a broker sends

extension ControlPacket {
    static func connack(_ code: UInt8 = 0) -> ControlPacket { ControlPacket(.connack, body: [0, code]) }

    static func suback(_ id: UInt16, granted: UInt8) -> ControlPacket {
        ControlPacket(.suback, body: id.bigEndianBytes + [granted])
    }

    static func puback(_ id: UInt16) -> ControlPacket { ControlPacket(.puback, body: id.bigEndianBytes) }

    /// A PUBLISH at QoS 1.
    static func publish(
        _ payload: String, to topic: String, id: UInt16, isDuplicate: Bool = false, isRetained: Bool = false
    ) -> ControlPacket {
        ControlPacket(
            .publish, flags: 0b0010 | (isDuplicate ? 0b1000 : 0) | (isRetained ? 1 : 0),
            body: UInt16(topic.utf8.count).bigEndianBytes + topic.utf8 + id.bigEndianBytes + payload.utf8)
    }
}

// MARK: What a willing broker answers

extension ControlPacket {
    /// To a CONNECT and to a SUBSCRIBE, granting what was asked for; nothing to anything else.
    var agreement: [ControlPacket] {
        switch kind {
        case .connect: [.connack()]
        case .subscribe: subscription.map { [.suback($0.id, granted: $0.qos)] } ?? []
        default: []
        }
    }
}

// MARK: What a client sends

extension ControlPacket {
    struct Connect: Equatable {
        var cleanSession: Bool
        var keepAlive: UInt16
        var clientID: String
        var willTopic: String?
        var willPayload: String?
        var willQoS: UInt8
        var willIsRetained: Bool
        var username: String?
        var password: String?
    }

    struct Publication: Equatable {
        var topic: String
        var payload: String
        var id: UInt16
        var qos: UInt8
        var isDuplicate: Bool
        var isRetained: Bool
    }

    var connect: Connect? {
        guard kind == .connect else { return nil }
        var fields = Fields(rest: body[...])
        guard fields.string() == "MQTT", fields.byte() == 4, let flags = fields.byte(), let keepAlive = fields.word(),
            let clientID = fields.string()
        else { return nil }
        let hasWill = flags & 0x04 != 0
        return Connect(
            cleanSession: flags & 0x02 != 0, keepAlive: keepAlive, clientID: clientID,
            willTopic: hasWill ? fields.string() : nil, willPayload: hasWill ? fields.string() : nil,
            willQoS: flags >> 3 & 3, willIsRetained: flags & 0x20 != 0,
            username: flags & 0x80 != 0 ? fields.string() : nil, password: flags & 0x40 != 0 ? fields.string() : nil)
    }

    /// Of a PUBLISH at QoS 1 or 2.
    var publication: Publication? {
        guard kind == .publish else { return nil }
        var fields = Fields(rest: body[...])
        guard let topic = fields.string(), let id = fields.word() else { return nil }
        return Publication(
            topic: topic, payload: String(decoding: fields.rest, as: UTF8.self), id: id, qos: flags >> 1 & 3,
            isDuplicate: flags & 8 != 0, isRetained: flags & 1 != 0)
    }

    /// Of a SUBSCRIBE with one topic.
    var subscription: (id: UInt16, topic: String, qos: UInt8)? {
        guard kind == .subscribe else { return nil }
        var fields = Fields(rest: body[...])
        guard let id = fields.word(), let topic = fields.string(), let qos = fields.byte() else { return nil }
        return (id, topic, qos)
    }

    /// The packet id that a PUBACK acknowledges.
    var acknowledgedID: UInt16? {
        var fields = Fields(rest: body[...])
        return kind == .puback ? fields.word() : nil
    }

    private struct Fields {
        var rest: ArraySlice<UInt8>

        mutating func byte() -> UInt8? { rest.popFirst() }

        mutating func word() -> UInt16? {
            guard let high = byte(), let low = byte() else { return nil }
            return UInt16(high) << 8 | UInt16(low)
        }

        mutating func string() -> String? {
            guard let count = word(), rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(Int(count)) }
            return String(decoding: rest.prefix(Int(count)), as: UTF8.self)
        }
    }
}

extension UInt16 {
    fileprivate var bigEndianBytes: [UInt8] { [UInt8(self >> 8), UInt8(self & 0xFF)] }
}
