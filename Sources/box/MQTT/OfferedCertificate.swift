import CTLSClient
import SoundboxSystem

/// What the certificate of a connection's peer says. Nothing of it is verified.
public struct OfferedCertificate: Sendable, Equatable {
    /// Seconds since 1970.
    public var notBefore: Int
    public var notAfter: Int
    /// Host names and addresses that it was issued for.
    public var names: [String]

    /// Reads the certificate and ends the handshake: the connection is of no further use. Blocks for at most `limit`;
    /// call it on a thread of ``startThread(named:isUrgent:_:)``.
    ///
    /// - Parameters:
    ///   - socket: connected and non-blocking. It stays open.
    ///   - host: the server name to ask for, unless it is an address.
    /// - Returns: `nil` when no certificate is offered within the limit.
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
