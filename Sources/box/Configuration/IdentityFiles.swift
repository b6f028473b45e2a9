import Glibc
import SoundboxCore
import SoundboxSystem

/// The key and the certificate of an enrolled box, in one file so that both are replaced at once, and the files of a
/// renewal that is under way. Every call blocks on the disk.
///
///     let files = IdentityFiles(inStateDirectory: "/var/lib/soundbox", issuerFile: "/etc/soundbox/issuer.pem")
///     let request = try files.request(for: "M1001/box-01")
///     let isNew = try files.install(certificate)
///     if isNew, isAcceptedByBroker { files.keep() }
package struct IdentityFiles: Sendable {
    /// Key and certificate, in PEM.
    package let path: String
    private let issuerFile: String
    private let owner: FileOwner?

    /// - Parameters:
    ///   - issuerFile: PEM of the authority that issues certificates.
    ///   - owner: the files' owner; `nil` for this process's user.
    package init(inStateDirectory folder: String, issuerFile: String, owner: FileOwner? = nil) {
        path = Self.path(in: folder)
        self.issuerFile = issuerFile
        self.owner = owner
    }

    package static func path(in stateDirectory: String) -> String { "\(stateDirectory)/identity.pem" }

    /// All files of a box's identity, for deleting them.
    package static func paths(in stateDirectory: String) -> [String] {
        let path = path(in: stateDirectory)
        return [path, next(path), previous(path), starts(path), failure(path)]
    }

    /// The key of the certificate that was requested.
    private static func next(_ path: String) -> String { "\(path).next" }
    /// The identity before, while a new certificate is on trial.
    private static func previous(_ path: String) -> String { "\(path).previous" }
    /// How often the box was started with the certificate on trial.
    private static func starts(_ path: String) -> String { "\(path).starts" }
    /// When and why a new certificate was not kept.
    private static func failure(_ path: String) -> String { "\(path).failure" }

    // // MARK: The current one

    /// Writes the first identity.
    package func adopt(_ key: ClientKey, _ certificate: ClientCertificate) throws {
        try SmallFile.replace(path, with: Self.text(key, certificate), mode: 0o600, owner: owner)
        for leftover in Self.paths(in: SmallFile.folder(of: path)).dropFirst() { unlink(leftover) }
    }

    /// Restores what was there before ``adopt(_:_:)``.
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

    /// Without the key that follows them.
    private static func certificates(in text: String) -> String {
        text.firstRange(of: "-----BEGIN PRIVATE KEY-----").map { String(text[..<$0.lowerBound]) } ?? text
    }

    private static func text(_ key: ClientKey, _ certificate: ClientCertificate) -> String {
        [certificate.text, key.text].map { $0.hasSuffix("\n") ? $0 : "\($0)\n" }.joined()
    }

    // MARK: The next one

    /// A signing request for the next certificate. Its key is stored first, so that an answer finds it after a power
    /// cut.
    package func request(for name: String) throws -> String {
        if let text = try? SmallFile.read(Self.next(path)), let current = try? SmallFile.read(path) {
            // A kill may have come between writing the key in its two places.
            if !current.contains(text), let request = try? ClientKey(text: text).request(for: name) { return request }
        }
        let key = try ClientKey.make()
        try SmallFile.replace(Self.next(path), with: key.text, mode: 0o600, owner: owner)
        return try key.request(for: name)
    }

    /// Replaces the current certificate by the requested one. The old one is kept beside it until ``keep()``.
    /// - Returns: whether anything changed; `false` if it is the current certificate.
    /// - Throws: why it is refused; nothing has changed then.
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
            // Nothing is on trial now. After a kill between the two writes the old identity is on trial, and is kept.
            unlink(Self.previous(path))
            throw error
        }
        unlink(Self.next(path))
        return true
    }

    /// Whether the broker has not yet accepted the box with the current certificate.
    package var isOnTrial: Bool { SmallFile.exists(Self.previous(path)) }

    /// Counts a start with the certificate on trial.
    /// - Returns: the number of this start, from 1 on, power cuts included; always 1 if the disk cannot be written.
    package func countStart() -> Int {
        let file = Self.starts(path)
        let count = (try? SmallFile.read(file)).flatMap { Int($0.filter(\.isNumber)) } ?? 0
        try? SmallFile.replace(file, with: "\(count + 1)\n", mode: 0o600, owner: owner)
        return count + 1
    }

    /// Ends the trial: keeps the new certificate.
    package func keep() {
        unlink(Self.previous(path))
        unlink(Self.starts(path))
        unlink(Self.failure(path))
        SmallFile.syncFolder(of: path)
    }

    /// Ends the trial: restores the certificate before.
    package func restore(at time: Timestamp, because reason: String) throws {
        // Needs no space on the disk. The note about it does, and matters less.
        guard rename(Self.previous(path), path) == 0 else {
            throw FileError(path: path, problem: "cannot be replaced: \(SystemError.last)")
        }
        unlink(Self.starts(path))
        SmallFile.syncFolder(of: path)
        try? SmallFile.replace(Self.failure(path), with: "\(time) \(reason)\n", mode: 0o600, owner: owner)
    }

    /// When and why a new certificate was not kept, if it was the last one received.
    package var failure: (time: Timestamp, reason: String)? {
        guard let bytes = try? SmallFile.bytes(ofRegularFile: Self.failure(path), limit: 4096) else { return nil }
        let line = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        let parts = line.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let time = Timestamp(rfc3339: String(parts[0])) else { return nil }
        return (time, String(parts[1]))
    }
}
