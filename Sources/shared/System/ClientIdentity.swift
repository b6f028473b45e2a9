import CIdentity

/// A box's own private key, on the curve P-256, by OpenSSL's libcrypto. Any thread; never blocks.
///
///     let key = try ClientKey.make()
///     let request = try key.request(for: "M1001/box-01")
///
/// The text is PEM and secret: never shown by ``description`` or a mirror.
public struct ClientKey: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    public let text: String

    /// - Parameter text: PEM; not checked before it is used.
    public init(text: String) { self.text = text }

    public static func make() throws(IdentityError) -> ClientKey {
        guard let made = soundbox_identity_make_key() else { throw IdentityError("libcrypto could not make a key") }
        let text = String(cString: made)
        soundbox_identity_free(made, text.utf8.count)
        return ClientKey(text: text)
    }

    /// A signing request (PKCS #10) in PEM.
    /// - Parameter name: the common name, at most 64 bytes; an issuer may choose another one.
    public func request(for name: String) throws(IdentityError) -> String {
        guard let made = soundbox_identity_request(text, name) else {
            throw IdentityError("this is no private key in PEM, or libcrypto could not sign with it")
        }
        let request = String(cString: made)
        soundbox_identity_free(made, request.utf8.count)
        return request
    }

    public var description: String { "••••••" }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A certificate that an issuer gave to the owner of a key.
///
///     let certificate = try ClientCertificate(reading: text, key: key, issuer: issuer)
///     let content = try certificate.open(package, with: key, from: issuer)
public struct ClientCertificate: Sendable, Equatable {
    /// PEM: the box's own certificate, then those between it and the issuer, as they were parsed and nothing else.
    public let text: String
    /// In seconds since 1970.
    public let notBefore, notAfter: Int64

    /// Reads and verifies a certificate. The current time does not matter: a box may not know it.
    ///
    /// - Parameters:
    ///   - text: PEM of certificates only.
    ///   - key: the key that it must be for; `nil` for any.
    ///   - issuer: PEM of the certificate that must have issued it, for a TLS client; `nil` skips this check.
    public init(reading text: String, key: ClientKey? = nil, issuer: String? = nil) throws(IdentityError) {
        var validity = soundbox_identity_validity()
        var clean: UnsafeMutablePointer<CChar>?
        let verdict = soundbox_identity_judge(text, key?.text, issuer, &validity, &clean)
        guard verdict == SOUNDBOX_IDENTITY_GOOD, let clean else { throw IdentityError(verdict) }
        (notBefore, notAfter, self.text) = (validity.not_before, validity.not_after, String(cString: clean))
        soundbox_identity_free(clean, self.text.utf8.count)
    }

    /// Opens a package that was encrypted for this certificate: CMS (RFC 5652) in PEM, signed by the issuer itself.
    public func open(_ package: String, with key: ClientKey, from issuer: String) throws(IdentityError) -> [UInt8] {
        var content: UnsafeMutablePointer<CChar>?
        var size = 0
        let verdict = soundbox_identity_open(package, text, key.text, issuer, &content, &size)
        guard verdict == SOUNDBOX_IDENTITY_GOOD, let content else { throw IdentityError(verdict) }
        defer { soundbox_identity_free(content, size) }
        return content.withMemoryRebound(to: UInt8.self, capacity: size) {
            Array(UnsafeBufferPointer(start: $0, count: size))
        }
    }
}

/// Why a key, a certificate or a package cannot be used.
public struct IdentityError: Error, Sendable, Equatable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }

    init(_ verdict: soundbox_identity_verdict) {
        description =
            switch verdict {
            case SOUNDBOX_IDENTITY_BAD_KEY: "the private key is none, or is encrypted; expected PEM"
            case SOUNDBOX_IDENTITY_BAD_CERTIFICATE: "this is no certificate; expected PEM"
            case SOUNDBOX_IDENTITY_BAD_ISSUER: "the issuer's certificate is none; expected PEM"
            case SOUNDBOX_IDENTITY_OTHER_KEY: "the certificate is for another key than the box's"
            case SOUNDBOX_IDENTITY_UNTRUSTED: "the box's issuer has not issued this certificate for a client"
            case SOUNDBOX_IDENTITY_SEALED: "this is no CMS package, or it was sealed for somebody else"
            case SOUNDBOX_IDENTITY_UNSIGNED: "it is not signed by the issuer that the box knows"
            default: "libcrypto has no memory, or lacks what is needed"
            }
    }
}
