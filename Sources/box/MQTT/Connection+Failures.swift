import CMosquitto
import CTLSClient
import Glibc
import SoundboxCore
import SoundboxSystem

extension Connection {
    /// Why a library call has ended the connection.
    ///
    /// - Parameters:
    ///   - code: its return value, one of `mosq_err_t`.
    ///   - error: `errno` after it.
    func loss(_ code: Int32, _ error: Int32) -> MQTTError.Loss {
        if let violation { return .violation(violation) }
        if let tls {
            var failure = soundbox_tls_error()
            if soundbox_tls_has_refused(tls, &failure) { return .link(LinkFailure(failure)) }
            if let errorOfTLS {
                soundbox_tls_explain(errorOfTLS, &failure)
                return .link(LinkFailure(failure))
            }
        }
        switch mosq_err_t(code) {
        case MOSQ_ERR_CONN_LOST, MOSQ_ERR_TLS, MOSQ_ERR_NO_CONN: return .link(.closed)
        case MOSQ_ERR_ERRNO:
            // A connection that ends within a packet leaves 0 there, one that ends within TLS EPROTO.
            let isHangUp = [0, EAGAIN, EPROTO, ECONNRESET, EPIPE].contains(error)
            return .link(isHangUp ? .closed : .system(SystemError(code: error)))
        case MOSQ_ERR_DUPLICATE_PROPERTY: return .violation("a property that comes twice")
        case MOSQ_ERR_PROTOCOL where !isAccepted && version == .v5:
            return .violation("what is no MQTT 5, or a CONNACK that gives the box another client id")
        case MOSQ_ERR_PROTOCOL: return .violation("a packet that is out of place, or not as it has to be")
        case MOSQ_ERR_MALFORMED_PACKET where !isAccepted && version == .v5:
            // libmosquitto 2.0.11 reports a refused version as a refusal, later ones as a malformed packet.
            return .violation("an answer that is not MQTT 5 (see broker.protocol)")
        case MOSQ_ERR_MALFORMED_PACKET: return .violation("a malformed packet")
        case MOSQ_ERR_MALFORMED_UTF8: return .violation("a text that is not UTF-8")
        default: return .violation(String(cString: mosquitto_strerror(code)))
        }
    }
}

extension LinkFailure {
    /// - Parameter settings: the settings whose files were being read; `nil` when none were.
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
