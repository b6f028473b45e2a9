/// One MQTT control packet, as bytes on the wire and as far as the tests look into it. Both versions have the same form
/// here: that of 3.1.1, and the properties of MQTT 5 beside it.
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
    /// Everything after the remaining length, without ``properties``.
    var body: [UInt8] = []
    /// Without their length. A will's are not among them.
    var properties: [UInt8] = []

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
        properties = []
        self.kind = kind
        flags = first & 0x0F
        body = Array(bytes[index..<index + length])
        bytes.removeFirst(index + length)
    }

    init(_ kind: Kind, flags: UInt8 = 0, body: [UInt8] = [], properties: [UInt8] = []) {
        self.kind = kind
        self.flags = flags
        self.body = body
        self.properties = properties
    }

    /// In MQTT 3.1.1.
    var bytes: [UInt8] { bytes(level: 4) }

    /// - Parameter level: 4 or 5.
    func bytes(level: UInt8) -> [UInt8] {
        var body = body
        if level == 5, let place = placeOfProperties {
            if kind == .connack, body[1] > 0, body[1] < 6 {
                body[1] = [0x84, 0x85, 0x88, 0x86, 0x87][Int(body[1]) - 1]
            }
            body.insert(contentsOf: Self.variable(properties.count) + properties, at: place)
        }
        return [kind.rawValue << 4 | flags] + Self.variable(body.count) + body
    }

    /// What a client that speaks MQTT 5 has sent, in the form that is the same for both versions. A CONNECT stays.
    mutating func takeOutProperties() {
        guard kind == .publish || kind == .subscribe, let place = placeOfProperties else { return }
        // Those of a box are few: their length is one byte.
        let end = place + 1 + Int(body[place])
        properties = Array(body[place + 1..<end])
        body.removeSubrange(place..<end)
    }

    /// Where the body has them in MQTT 5; `nil` where they can be left out.
    private var placeOfProperties: Int? {
        switch kind {
        case .connack: 2
        case .publish: 2 + Int(body[0]) << 8 + Int(body[1]) + (flags & 0b0110 == 0 ? 0 : 2)
        case .subscribe, .suback: 2
        case .puback where body.count > 2: 3
        case .disconnect where !body.isEmpty: 1
        default: nil
        }
    }

    private static func variable(_ number: Int) -> [UInt8] {
        var rest = number
        var bytes: [UInt8] = []
        repeat {
            bytes.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
            rest >>= 7
        } while rest > 0
        return bytes
    }
}

// MARK: What a broker sends

extension ControlPacket {
    /// - Parameter code: one of 3.1.1 means the same in MQTT 5.
    static func connack(
        _ code: UInt8 = 0, knowsSession: Bool = false, _ properties: [UInt8] = []
    ) -> ControlPacket {
        ControlPacket(.connack, body: [knowsSession ? 1 : 0, code], properties: properties)
    }

    /// From a broker, which only MQTT 5 has.
    static func disconnect(_ code: UInt8, _ properties: [UInt8] = []) -> ControlPacket {
        ControlPacket(.disconnect, body: [code], properties: properties)
    }

    /// A text property.
    static func property(_ id: UInt8, _ text: String) -> [UInt8] {
        [id] + UInt16(text.utf8.count).bigEndianBytes + text.utf8
    }

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

    static func publishAtQoS0(_ payload: String, to topic: String) -> ControlPacket {
        ControlPacket(.publish, body: UInt16(topic.utf8.count).bigEndianBytes + topic.utf8 + payload.utf8)
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
        var level: UInt8 = 5
        /// As bytes.
        var properties: [UInt8] = []
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
        guard fields.string() == "MQTT", let level = fields.byte(), let flags = fields.byte(),
            let keepAlive = fields.word(), let properties = level == 5 ? fields.properties() : [],
            let clientID = fields.string()
        else { return nil }
        let hasWill = flags & 0x04 != 0
        if hasWill, level == 5, fields.properties() != [] { return nil }
        return Connect(
            cleanSession: flags & 0x02 != 0, keepAlive: keepAlive, clientID: clientID,
            willTopic: hasWill ? fields.string() : nil, willPayload: hasWill ? fields.string() : nil,
            willQoS: flags >> 3 & 3, willIsRetained: flags & 0x20 != 0,
            username: flags & 0x80 != 0 ? fields.string() : nil, password: flags & 0x40 != 0 ? fields.string() : nil,
            level: level, properties: properties)
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

        mutating func properties() -> [UInt8]? {
            guard let count = byte(), rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(Int(count)) }
            return Array(rest.prefix(Int(count)))
        }

        mutating func string() -> String? {
            guard let count = word(), rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(Int(count)) }
            return String(decoding: rest.prefix(Int(count)), as: UTF8.self)
        }
    }
}

extension UInt16 {
    var bigEndianBytes: [UInt8] { [UInt8(self >> 8), UInt8(self & 0xFF)] }
}
