import SoundboxCore

/// Why OpenSSL does not trust a broker's certificate.
public enum CertificateFault: Sendable, Equatable {
    /// The chain leads to no trusted authority: the broker does not send the certificate of this one, and the CA file does
    /// not hold it.
    case missingIssuer(String)
    /// The chain ends in this authority, which the CA file does not hold.
    case unknownAuthority(String)
    /// Signed by itself only.
    case selfSigned
    /// By this device's clock: the certificate, or one of its chain.
    case notYetValid, expired
    /// Below OpenSSL's security level (SSL_CTX_set_security_level(3)): the certificate, or one of its chain.
    case weakKey, weakSignature
    /// Anything else, in OpenSSL's words.
    case other(String)
}

extension CertificateFault: CustomStringConvertible {
    /// Continues "the broker's certificate is not trusted: ".
    public var description: String {
        switch self {
        case .missingIssuer(let name):
            "its authority \(name.quoted) is neither sent by the broker nor in the CA file; if it is an intermediate "
                + "authority, the broker has to send its certificate too (fullchain.pem); otherwise get its file for "
                + "ca_file from who runs the broker"
        case .unknownAuthority(let name):
            "its authority \(name.quoted) is not in the CA file; get the file for ca_file from who runs the broker"
        case .selfSigned:
            "it is signed by itself only; get its file for ca_file from who runs the broker"
        case .notYetValid: "it, or an authority that signed it, is not valid yet; check this device's clock"
        case .expired:
            "it, or an authority that signed it, has expired; check this device's clock, and ask who runs the broker"
        case .weakKey:
            "its key, or that of an authority that signed it, is too short; who runs the broker has to replace it (RSA "
                + "needs 2048 bits)"
        case .weakSignature:
            "it, or an authority that signed it, is signed with an outdated hash such as SHA-1; who runs the broker has "
                + "to replace it (SHA-256 or newer)"
        case .other(let text): text
        }
    }
}
