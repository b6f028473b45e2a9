import CTLSClient
import SoundboxSystem

/// What the certificate says that the other side of a connection offers. Nothing is trusted for it.
public struct OfferedCertificate: Sendable, Equatable {
    /// Seconds since 1970.
    public var notBefore: Int
    public var notAfter: Int
    /// Host names and addresses that it is made out to, as it says them itself.
    public var names: [String]

    /// Takes the certificate and ends the handshake there: the connection is of no further use. Blocks for at most `limit`;
    /// for a thread of ``startThread(named:isUrgent:_:)``.
    ///
    /// - Parameters:
    ///   - socket: connected and non-blocking. It stays open.
    ///   - host: who is asked for, unless it is an address.
    /// - Returns: `nil` when none is offered within the limit.
    public init?(on socket: Int32, host: String, within limit: Duration) {
        var certificate = soundbox_offered_certificate()
        var names: [String] = []
        let isRead = withUnsafeMutablePointer(to: &names) { names in
            soundbox_look_at_certificate(
                socket, host, limit.pollMilliseconds, &certificate,
                { names, name, size in
                    let bytes = UnsafeRawBufferPointer(start: name, count: size)
                    names?.assumingMemoryBound(to: [String].self).pointee.append(String(decoding: bytes, as: UTF8.self))
                }, names)
        }
        guard isRead else { return nil }
        notBefore = Int(certificate.not_before)
        notAfter = Int(certificate.not_after)
        self.names = names
    }
}
