import CMosquitto
import Glibc
import SoundboxCore
import SoundboxSystem

/// What a broker grants when it accepts a connection in MQTT 5 (section 3.2.2.3), as far as a box asks for it. A value
/// that the broker does not name is `nil`: its full extent.
struct BrokerTerms: Equatable {
    /// Seconds.
    var sessionExpiry: UInt32?
    /// Seconds; 0 turns it off. Replaces the client's value.
    var keepAlive: UInt16?
    /// The largest packet that the broker accepts, including its fixed header.
    var maximumPacketSize: UInt32?
    /// 0 or 1.
    var maximumQoS: UInt8?
    var retainIsAvailable: Bool?

    init(_ properties: OpaquePointer?) {
        sessionExpiry = MQTT_PROP_SESSION_EXPIRY_INTERVAL.int32(in: properties)
        keepAlive = MQTT_PROP_SERVER_KEEP_ALIVE.int16(in: properties)
        maximumPacketSize = MQTT_PROP_MAXIMUM_PACKET_SIZE.int32(in: properties)
        maximumQoS = MQTT_PROP_MAXIMUM_QOS.byte(in: properties)
        retainIsAvailable = MQTT_PROP_RETAIN_AVAILABLE.byte(in: properties).map { $0 != 0 }
    }
}

extension BrokerReason {
    init(code: UInt8, _ properties: OpaquePointer?) {
        self.init(
            code: code, text: MQTT_PROP_REASON_STRING.text(in: properties),
            otherServer: MQTT_PROP_SERVER_REFERENCE.text(in: properties))
    }
}

extension mqtt5_property {
    var id: Int32 { Int32(rawValue) }

    func byte(in properties: OpaquePointer?) -> UInt8? {
        var value: UInt8 = 0
        return mosquitto_property_read_byte(properties, id, &value, false) == nil ? nil : value
    }

    func int16(in properties: OpaquePointer?) -> UInt16? {
        var value: UInt16 = 0
        return mosquitto_property_read_int16(properties, id, &value, false) == nil ? nil : value
    }

    func int32(in properties: OpaquePointer?) -> UInt32? {
        var value: UInt32 = 0
        return mosquitto_property_read_int32(properties, id, &value, false) == nil ? nil : value
    }

    func text(in properties: OpaquePointer?) -> String? {
        var value: UnsafeMutablePointer<CChar>?
        guard mosquitto_property_read_string(properties, id, &value, false) != nil, let value else { return nil }
        defer { free(value) }
        return String(cString: value)
    }
}

/// The broker's reason when it refuses something or ends a connection (MQTT 5, section 2.4).
public struct BrokerReason: Sendable, Equatable {
    public static let takenOver: UInt8 = 0x8E

    /// For both versions. Alibaba Cloud IoT refuses a keep-alive below 30 s with the code for client ids.
    static let refusedClientID =
        "it does not accept this client id; some platforms answer so to a short broker.keep_alive, too (less than 30s)"

    public var code: UInt8
    /// The broker's own words. They come from outside, so nothing is decided by them.
    public var text: String?
    /// Another server that the broker proposes. Only shown: a box connects to the brokers of its configuration.
    public var otherServer: String?

    public init(code: UInt8, text: String? = nil, otherServer: String? = nil) {
        self.code = code
        self.text = text
        self.otherServer = otherServer
    }

    /// Whether a broker that also speaks 3.1.1 may accept the same client with that version: the reason concerns MQTT 5
    /// alone, or there is no reason.
    var concernsVersion: Bool {
        switch code {
        case 0x01, 0x80...0x84, 0x8C, 0x9A, 0x9B: true
        default: false
        }
    }
}

extension BrokerReason: CustomStringConvertible {
    /// The most Unicode scalars of a broker's text that are shown.
    private static let shownScalars = 120

    public var description: String {
        var description = meaning
        if let text { description += " (the broker says \(Self.shown(text)))" }
        if let otherServer {
            description += " (it names \(Self.shown(otherServer)), which is not followed: see broker.url)"
        }
        return description
    }

    private static func shown(_ text: String) -> String {
        let rest = text.unicodeScalars.dropFirst(shownScalars)
        return String(text.unicodeScalars.prefix(shownScalars)).quoted + (rest.isEmpty ? "" : "…")
    }

    private var meaning: String {
        switch code {
        case 0x00: "it gives no reason"
        case 0x80: "it gives no reason"
        case 0x81: "it takes a packet of this box for malformed"
        case 0x82: "it takes a packet of this box for a protocol error"
        case 0x83: "a reason of its own"
        case 0x84: "it does not speak this version of MQTT (see broker.protocol)"
        case 0x85: Self.refusedClientID
        case 0x86: "bad user name or password"
        case 0x87: "not authorised; check the user name, the password and the broker's access list"
        case 0x88: "it is not available"
        case 0x89: "it is busy"
        case 0x8A: "it has banned this client"
        case 0x8B: "it is shutting down"
        case 0x8C: "it wants another way of signing in"
        case 0x8D: "it has heard nothing of this box for too long"
        case Self.takenOver: "another client has connected with this client id"
        case 0x8F: "it does not accept this topic filter"
        case 0x90: "it does not accept this topic"
        case 0x91: "the packet id is in use"
        case 0x93: "more is under way than it takes at a time"
        case 0x95: "the packet is too large for it"
        case 0x96: "messages come too fast"
        case 0x97: "a quota is exceeded"
        case 0x98: "an administrator has ended it"
        case 0x99: "the payload is not in the format that it was said to be in"
        case 0x9A: "it does not keep retained messages"
        case 0x9B: "it does not take messages at QoS 1"
        case 0x9C: "it asks to use another server for now"
        case 0x9D: "it has moved to another server"
        case 0x9F: "connections come too fast"
        case 0xA0: "a connection may not last any longer"
        default: "reason code 0x" + String(code, radix: 16, uppercase: true)
        }
    }
}
