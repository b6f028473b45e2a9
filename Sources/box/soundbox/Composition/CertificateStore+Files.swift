import SoundboxBox
import SoundboxConfiguration
import SoundboxCore
import SoundboxSystem

extension Configuration {
    /// `nil` if the box does not renew its certificate.
    var certificateStore: (any CertificateStore)? {
        guard let files = identityFiles else { return nil }
        // The same at every start, and evenly distributed over the boxes of a batch.
        let digest = SHA256.hash(of: Array("\(merchantID)/\(deviceID)".utf8))
        return IdentityStore(
            spread: Double(digest[0]) / 256, files: files, name: String(deviceID.unicodeScalars.prefix(16)))
    }
}

private struct IdentityStore: CertificateStore {
    let spread: Double
    let files: IdentityFiles
    /// In signing requests.
    let name: String

    func term() throws -> CertificateTerm { try files.term() }
    func request() throws -> String { try files.request(for: name) }
    func install(_ certificate: String) throws -> Bool { try files.install(certificate) }
    var isOnTrial: Bool { files.isOnTrial }
    func countStart() -> Int { files.countStart() }
    func keep() { files.keep() }
    func restore(at time: Timestamp, because reason: String) throws { try files.restore(at: time, because: reason) }
    var failure: (time: Timestamp, reason: String)? { files.failure }
}
