import CMosquitto
import Glibc
import SoundboxSystem

/// The library's codes in words that say what to do.
enum MosquittoReasons {
    /// Why a CONNACK says no (MQTT 3.1.1, table 3.1).
    static func refusal(_ code: Int32) -> String {
        switch code {
        case 1: "it does not speak MQTT 3.1.1"
        case 2: "it does not accept this client id"
        case 3: "it is not available"
        case 4: "bad user name or password"
        case 5: "not authorised; check the user name, the password and the broker's access list"
        default: "code \(code)"
        }
    }

    /// Why a call failed.
    ///
    /// - Parameters:
    ///   - code: what the call returned.
    ///   - error: `errno` right after it.
    ///   - lines: what the library logged as errors meanwhile.
    static func failure(_ code: Int32, errno error: Int32, lines: [String]) -> String {
        if isHangUp(code, errno: error, lines: lines) { return "the broker closed the connection" }
        return switch mosq_err_t(code) {
        case MOSQ_ERR_ERRNO where error == EPROTO: tls(lines)
        case MOSQ_ERR_ERRNO where error != 0: SystemError(code: error).description
        // The library leaves the resolver's code in errno.
        case MOSQ_ERR_EAI: "the name cannot be looked up: \(String(cString: gai_strerror(error)))"
        case MOSQ_ERR_TLS, MOSQ_ERR_TLS_HANDSHAKE: tls(lines)
        case MOSQ_ERR_KEEPALIVE: "the broker stopped answering"
        case MOSQ_ERR_PROTOCOL: "the broker sent something that MQTT does not allow"
        default: lines.last ?? String(cString: mosquitto_strerror(code))
        }
    }

    /// The other side has closed the connection, politely or not.
    static func isHangUp(_ code: Int32, errno error: Int32, lines: [String]) -> Bool {
        switch mosq_err_t(code) {
        case MOSQ_ERR_CONN_LOST: true
        case MOSQ_ERR_ERRNO where error == ECONNRESET: true
        // What a reset makes of a TLS connection: a protocol error that OpenSSL has nothing to say about.
        case MOSQ_ERR_ERRNO where error == EPROTO && lines.isEmpty: true
        default: lines.contains { line in hangUpsInTLS.contains { line.contains($0) } }
        }
    }

    /// What OpenSSL logs when the other side has gone: its own words for an end, and the system's `ECONNRESET` and
    /// `EPIPE` behind the bit that marks them (ERR_SYSTEM_FLAG), which version 3.5 logs and version 3.0 did not.
    private static let hangUpsInTLS =
        ["unexpected eof while reading"]
        + [ECONNRESET, EPIPE].map { "error:" + String(0x8000_0000 | UInt32($0), radix: 16, uppercase: true) + ":" }

    private static func tls(_ lines: [String]) -> String {
        let text = lines.joined(separator: "; ")
        if text.contains("host name verification failed") {
            return "TLS: the broker's certificate is made out to another host name"
        }
        if text.contains("certificate verify failed") {
            return "TLS: the broker's certificate is not trusted; check the CA file, and this device's clock"
        }
        if text.contains("certificate required") {
            return "TLS: the broker asks for a client certificate; set cert_file and key_file"
        }
        if text.contains("wrong version number") {
            return "TLS: the broker does not speak TLS on this port"
        }
        return text.isEmpty ? "TLS failed" : "TLS: \(text)"
    }
}
