import Glibc
import SoundboxCore
import SoundboxSystem

/// The key and the certificate of a box that was enrolled, in one file, so that both are replaced at once; and what is
/// beside it while the next certificate is on its way. Everything blocks on the disk.
package struct IdentityFiles: Sendable {
    /// Both, in PEM.
    package let path: String
    private let issuerFile: String
    private let owner: FileOwner?

    /// - Parameters:
    ///   - issuerFile: PEM of who is believed about certificates.
    ///   - owner: who gets the files; `nil` leaves them to this process's user.
    package init(inStateDirectory folder: String, issuerFile: String, owner: FileOwner? = nil) {
        path = Self.path(in: folder)
        self.issuerFile = issuerFile
        self.owner = owner
    }

    package static func path(in stateDirectory: String) -> String { "\(stateDirectory)/identity.pem" }

    /// All that may be there of a box's identity, for whoever takes it away.
    package static func paths(in stateDirectory: String) -> [String] {
        let path = path(in: stateDirectory)
        return [path, next(path), previous(path), starts(path), failure(path)]
    }

    /// The key that the next certificate is asked for.
    private static func next(_ path: String) -> String { "\(path).next" }
    /// What counted before, while a new certificate is on trial.
    private static func previous(_ path: String) -> String { "\(path).previous" }
    /// How often a box was started with the one on trial.
    private static func starts(_ path: String) -> String { "\(path).starts" }
    /// When and why a new certificate was not kept.
    private static func failure(_ path: String) -> String { "\(path).failure" }

    // MARK: The one that counts

    /// Puts a first identity in its place.
    package func adopt(_ key: ClientKey, _ certificate: ClientCertificate) throws {
        try SmallFile.replace(path, with: Self.text(key, certificate), mode: 0o600, owner: owner)
        for leftover in Self.paths(in: SmallFile.folder(of: path)).dropFirst() { unlink(leftover) }
    }

    /// Puts back what was there before ``adopt(_:_:)``.
    /// - Parameter text: `nil` for nothing.
    package func putBack(_ text: String?) throws {
        guard let text else {
            unlink(path)
            return
        }
        try SmallFile.replace(path, with: text, mode: 0o600, owner: owner)
    }

    package func term() throws -> CertificateTerm {
        let certificate = try ClientCertificate(reading: Self.certificates(in: try SmallFile.read(path)))
        return CertificateTerm(
            begin: Timestamp(millisecondsSince1970: certificate.notBefore * 1000),
            end: Timestamp(millisecondsSince1970: certificate.notAfter * 1000))
    }

    /// Without the key behind them.
    private static func certificates(in text: String) -> String {
        text.firstRange(of: "-----BEGIN PRIVATE KEY-----").map { String(text[..<$0.lowerBound]) } ?? text
    }

    private static func text(_ key: ClientKey, _ certificate: ClientCertificate) -> String {
        [certificate.text, key.text].map { $0.hasSuffix("\n") ? $0 : "\($0)\n" }.joined()
    }

    // MARK: The next one

    /// A signing request for the next certificate. Its key is on the disk before, so that an answer finds it after a
    /// power cut.
    package func request(for name: String) throws -> String {
        if let text = try? SmallFile.read(Self.next(path)), let current = try? SmallFile.read(path) {
            // A kill may have come between the key's two places.
            if !current.contains(text), let request = try? ClientKey(text: text).request(for: name) { return request }
        }
        let key = try ClientKey.make()
        try SmallFile.replace(Self.next(path), with: key.text, mode: 0o600, owner: owner)
        return try key.request(for: name)
    }

    /// Puts the certificate that was asked for in the place of the one that counts, which stays beside it until
    /// ``keep()``.
    /// - Returns: whether anything changed; `false` for the one that counts already.
    /// - Throws: why it is not taken; nothing has changed then.
    package func install(_ text: String) throws -> Bool {
        let current = try SmallFile.read(path)
        if let own = try? ClientCertificate(reading: text), current.hasPrefix(own.text) { return false }
        guard let nextKey = try? SmallFile.read(Self.next(path)), !current.contains(nextKey) else {
            throw IdentityError("this box has asked for none")
        }
        let key = ClientKey(text: nextKey)
        let certificate = try ClientCertificate(reading: text, key: key, issuer: try SmallFile.read(issuerFile))
        let term = try term()
        guard certificate.notAfter * 1000 > term.end.millisecondsSince1970 else {
            throw IdentityError("it ends no later than the one that the box has")
        }
        do {
            try SmallFile.replace(Self.previous(path), with: current, mode: 0o600, owner: owner)
            try SmallFile.replace(path, with: Self.text(key, certificate), mode: 0o600, owner: owner)
        } catch {
            // Nothing is on trial. After a kill between the two the old one is, and is kept.
            unlink(Self.previous(path))
            throw error
        }
        unlink(Self.next(path))
        return true
    }

    /// Whether the broker has not yet let the box in with the certificate that counts.
    package var isOnTrial: Bool { SmallFile.exists(Self.previous(path)) }

    /// A box is started with the one on trial.
    /// - Returns: which start with it this is, from 1 on, power cuts included; 1 where the disk takes nothing.
    package func countStart() -> Int {
        let file = Self.starts(path)
        let count = (try? SmallFile.read(file)).flatMap { Int($0.filter(\.isNumber)) } ?? 0
        try? SmallFile.replace(file, with: "\(count + 1)\n", mode: 0o600, owner: owner)
        return count + 1
    }

    /// The trial is over: the new one is good.
    package func keep() {
        unlink(Self.previous(path))
        unlink(Self.starts(path))
        unlink(Self.failure(path))
        SmallFile.syncFolder(of: path)
    }

    /// The trial is over: the one before counts again.
    package func restore(at time: Timestamp, because reason: String) throws {
        // Needs no room on the disk. What is said of it does, and is worth less.
        guard rename(Self.previous(path), path) == 0 else {
            throw FileError(path: path, problem: "cannot be replaced: \(SystemError.last)")
        }
        unlink(Self.starts(path))
        SmallFile.syncFolder(of: path)
        try? SmallFile.replace(Self.failure(path), with: "\(time) \(reason)\n", mode: 0o600, owner: owner)
    }

    /// When and why a new certificate was not kept, if that was the last that came.
    package var failure: (time: Timestamp, reason: String)? {
        guard let bytes = try? SmallFile.bytes(ofRegularFile: Self.failure(path), limit: 4096) else { return nil }
        let line = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        let parts = line.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let time = Timestamp(rfc3339: String(parts[0])) else { return nil }
        return (time, String(parts[1]))
    }
}
