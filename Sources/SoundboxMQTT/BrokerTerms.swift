import CMosquitto
import CTLSClient
import Glibc
import SoundboxSystem

/// What a broker grants when it accepts a connection in MQTT 5 (section 3.2.2.3), as far as a box asks for it. What it does
/// not name is `nil`: its full extent.
struct BrokerTerms: Equatable {
    /// Seconds.
    var sessionExpiry: UInt32?
    /// Seconds; 0 turns it off. It counts in the place of the client's.
    var keepAlive: UInt16?
    /// The largest packet that the broker takes, its fixed header included.
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

extension LinkFailure {
    /// - Parameter settings: whose files were being read; `nil` when none were.
    init(_ error: soundbox_tls_error, _ settings: MQTTSettings.TLS? = nil) {
        let text = withUnsafeBytes(of: error.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        func unusable(_ file: MQTTError.CredentialFile, _ path: String?) -> LinkFailure {
            .settings(.unusable(file, path: path, reason: text))
        }
        self =
            switch error.failure {
            case SOUNDBOX_TLS_CLOSED: .closed
            case SOUNDBOX_TLS_MISSING_ISSUER: .tls(.untrusted(.missingIssuer(text)))
            case SOUNDBOX_TLS_UNKNOWN_AUTHORITY: .tls(.untrusted(.unknownAuthority(text)))
            case SOUNDBOX_TLS_SELF_SIGNED: .tls(.untrusted(.selfSigned))
            case SOUNDBOX_TLS_NOT_YET_VALID: .tls(.untrusted(.notYetValid))
            case SOUNDBOX_TLS_EXPIRED: .tls(.untrusted(.expired))
            case SOUNDBOX_TLS_WEAK_KEY: .tls(.untrusted(.weakKey))
            case SOUNDBOX_TLS_WEAK_SIGNATURE: .tls(.untrusted(.weakSignature))
            case SOUNDBOX_TLS_UNTRUSTED: .tls(.untrusted(.other(text)))
            case SOUNDBOX_TLS_OTHER_HOST: .tls(.otherHost)
            case SOUNDBOX_TLS_UNKNOWN_KEY: .tls(.unknownKey(pin: text.isEmpty ? nil : text))
            case SOUNDBOX_TLS_WANTS_CERTIFICATE: .tls(.wantsCertificate)
            case SOUNDBOX_TLS_NOT_TLS: .tls(.notTLS)
            case SOUNDBOX_TLS_OLD_VERSION: .tls(.oldVersion)
            case SOUNDBOX_TLS_BAD_AUTHORITIES: unusable(.authorities, settings?.caFile)
            case SOUNDBOX_TLS_BAD_CERTIFICATE: unusable(.certificate, settings?.certFile)
            case SOUNDBOX_TLS_BAD_KEY: unusable(.key, settings?.keyFile)
            default: .tls(.other(text))
            }
    }
}
