import SoundboxBox
import SoundboxConfiguration
import SoundboxSystem

extension Configuration {
    /// `nil` if the box does not renew its certificate.
    var certificateStore: CertificateStore? {
        guard let files = identityFiles else { return nil }
        // The same at every start, and evenly distributed over the boxes of a batch.
        let digest = SHA256.hash(of: Array("\(merchantID)/\(deviceID)".utf8))
        let name = String(deviceID.unicodeScalars.prefix(16))
        return CertificateStore(
            spread: Double(digest[0]) / 256, term: files.term, request: { try files.request(for: name) },
            install: files.install, isOnTrial: { files.isOnTrial }, countStart: files.countStart, keep: files.keep,
            restore: { try files.restore(at: $0, because: $1) }, failure: { files.failure })
    }
}
