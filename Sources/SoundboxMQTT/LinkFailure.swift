import CTLSClient
import Glibc
import SoundboxSystem

/// Why a connection did not come about, or ended.
enum LinkFailure: Error, Equatable {
    /// The broker has closed it, politely or not.
    case closed
    /// The system's `errno`.
    case system(Int32)
    /// What `getaddrinfo` returned.
    case lookup(Int32)
    /// TLS, in words.
    case tls(String)
    /// A file that was named in the settings cannot be used, in words.
    case settings(String)

    /// - Parameter settings: those whose files were read, where they were.
    init(_ error: soundbox_tls_error, _ settings: MQTTSettings.TLS? = nil) {
        let text = withUnsafeBytes(of: error.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        func unusable(_ name: String, _ file: String?) -> LinkFailure {
            .settings("the broker's \(name) file \"\(file ?? "/etc/ssl/certs")\" cannot be used: \(text)")
        }
        self =
            switch error.failure {
            case SOUNDBOX_TLS_CLOSED: .closed
            case SOUNDBOX_TLS_SYSTEM: .system(error.code)
            case SOUNDBOX_TLS_UNTRUSTED:
                .tls("the broker's certificate is not trusted; check the CA file, and this device's clock")
            case SOUNDBOX_TLS_OTHER_HOST: .tls("the broker's certificate is made out to another host name")
            case SOUNDBOX_TLS_WANTS_CERTIFICATE:
                .tls("the broker asks for a client certificate; set cert_file and key_file")
            case SOUNDBOX_TLS_NOT_TLS: .tls("the broker does not speak TLS on this port")
            case SOUNDBOX_TLS_BAD_AUTHORITIES: unusable("CA", settings?.caFile)
            case SOUNDBOX_TLS_BAD_CERTIFICATE: unusable("certificate", settings?.certFile)
            case SOUNDBOX_TLS_BAD_KEY: unusable("key", settings?.keyFile)
            default: .tls(text.isEmpty ? "it failed, and OpenSSL does not say why" : text)
            }
    }

    /// One line for people.
    var reason: String {
        switch self {
        case .closed: "the broker closed the connection"
        case .system(let code): SystemError(code: code).description
        case .lookup(let code): "the name cannot be looked up: \(String(cString: gai_strerror(code)))"
        case .tls(let text): "TLS: \(text)"
        case .settings(let text): text
        }
    }
}
