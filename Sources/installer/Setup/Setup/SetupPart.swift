import SoundboxBox
import SoundboxConfiguration
import SoundboxCore
import SoundboxSystem

/// A part of a provisioning document that an installed box has in a file beside `soundbox.yaml`.
struct SetupPart: Sendable {
    /// The path of its key in a provisioning document.
    let inline: [String]
    /// The path of the key in `soundbox.yaml` that names the file.
    let reference: [String]
    /// The name of the file that setup writes.
    let file: String
    let content: Content

    enum Content: Sendable {
        /// The first line of the file.
        case secretLine
        case secretPEM
        case publicPEM
        case signingKey
    }

    var isSecret: Bool { content != .publicPEM }

    /// The names of the file. The second one, such as `broker-2.password`, is for new content while the installed setup
    /// names the first.
    var files: [String] {
        let end = file.lastIndex(of: ".") ?? file.endIndex
        return [file, file[..<end] + "-2" + file[end...]]
    }

    static let all = [
        SetupPart(
            inline: ["broker", "password"], reference: ["broker", "password_file"], file: "broker.password",
            content: .secretLine),
        SetupPart(
            inline: ["broker", "ca"], reference: ["broker", "ca_file"], file: "broker-ca.pem", content: .publicPEM),
        SetupPart(
            inline: ["broker", "certificate"], reference: ["broker", "cert_file"], file: "broker-cert.pem",
            content: .publicPEM),
        SetupPart(
            inline: ["broker", "key"], reference: ["broker", "key_file"], file: "broker-key.pem", content: .secretPEM),
        SetupPart(
            inline: ["authenticity", "key"], reference: ["authenticity", "key_file"], file: "signing.key",
            content: .signingKey),
        SetupPart(
            inline: ["authenticity", "next_key"], reference: ["authenticity", "next_key_file"],
            file: "signing-next.key", content: .signingKey),
        SetupPart(
            inline: ["enrolment", "issuer"], reference: ["enrolment", "issuer_file"], file: "issuer.pem",
            content: .publicPEM),
    ]

    /// The file for a content: the one that has it already, otherwise one that the installed setup does not name. The
    /// installed files stay unchanged until ``SetupPlan/write()`` has replaced `soundbox.yaml`, and belong to
    /// `soundbox.yaml.old` after that. Blocks on the disk.
    func path(for content: String, in folder: String, beside installed: InstalledSetup) -> String {
        let paths = files.map { "\(folder)/\($0)" }
        if let own = installed.reference(of: self), let path = paths.first(where: { InstalledSetup.mean(own, $0) }),
            (try? SmallFile.read(path)) == content
        {
            return path
        }
        let free = paths.filter { !installed.refers(to: $0) }
        return free.first { !installed.names($0) && !SmallFile.isFolder($0) } ?? free.first ?? paths[0]
    }

    /// The content of the installed file. Blocks on the disk.
    func read(_ path: String) throws -> String {
        switch content {
        case .secretLine: try SecretFile(content: inline.joined(separator: "."), path: path).read()
        // One PEM file may contain both; take only this part.
        case .secretPEM: try SmallFile.read(path).pemBlocks { $0.hasSuffix("PRIVATE KEY") }
        case .publicPEM: try SmallFile.read(path).pemBlocks { !$0.hasSuffix("PRIVATE KEY") }
        case .signingKey: try SigningKey(readingFile: path).text
        }
    }

    /// The content for the installed file.
    /// - Throws: why the box would refuse it at its start.
    func installable(_ text: String) throws(SetupError) -> String {
        guard !text.trimmed.isEmpty else { throw SetupError("it is empty") }
        switch content {
        case .secretLine:
            let line = text.last?.isNewline == true ? text.dropLast() : text[...]
            guard !line.contains(where: \.isNewline) else { throw SetupError("expected one line") }
            if let problem = SecretFile.problem(ofLine: String(line)) { throw SetupError("it \(problem)") }
            return "\(line)\n"
        case .secretPEM: try Self.check(text, holds: "PRIVATE KEY")
        case .publicPEM:
            try Self.check(text, holds: "CERTIFICATE")
            guard !text.contains("PRIVATE KEY-----") else {
                throw SetupError("there is a private key in it, and this file may be read by everybody")
            }
            try Self.checkCertificates(in: text)
        case .signingKey:
            do { return try SigningKey(text).text + "\n" } catch { throw SetupError(error.description) }
        }
        return text.hasSuffix("\n") ? text : text + "\n"
    }

    /// Checks only the frame of RFC 7468, to recognise a path or other text.
    private static func check(_ text: String, holds label: String) throws(SetupError) {
        guard text.contains("-----BEGIN "), text.contains("\(label)-----"), text.contains("-----END ") else {
            throw SetupError("expected PEM: lines from -----BEGIN \(label)----- to -----END \(label)-----")
        }
    }

    /// Checks the blocks with the label CERTIFICATE. What else OpenSSL takes in such a file, as revocation lists and trusted
    /// certificates, is its to judge.
    ///
    /// - Parameter key: what the first certificate must be for; `nil` for any.
    static func checkCertificates(in text: String, key: ClientKey? = nil) throws(SetupError) {
        let blocks = text.pemBlocks { $0 == "CERTIFICATE" }
        guard !blocks.isEmpty else { return }
        do { _ = try ClientCertificate(reading: blocks, key: key) } catch { throw SetupError(error.description) }
    }

    /// The problem with a file that a document names; `nil` for none, or if the box can start without it. Blocks on the
    /// disk.
    ///
    /// - Parameter getsItsMode: whether setup will change the mode so that only the owner can read it.
    func problem(inFile path: String, getsItsMode: Bool) -> String? {
        do {
            switch content {
            case .secretLine: _ = try SecretFile(path: path).read(evenIfExposed: getsItsMode)
            case .signingKey: _ = try SigningKey(readingFile: path, evenIfExposed: getsItsMode)
            case .secretPEM, .publicPEM: break
            }
            return nil
        } catch { return "\(error)" }
    }
}

extension String {
    /// The PEM blocks (RFC 7468) with an accepted label; the whole text if it has no blocks.
    fileprivate func pemBlocks(_ accepts: (Substring) -> Bool) -> String {
        var result = ""
        var isTaken = false
        var hasBlocks = false
        for line in split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            if line.hasPrefix("-----BEGIN ") {
                hasBlocks = true
                isTaken = accepts(line.dropFirst(11).prefix { $0 != "-" })
            }
            if isTaken { result += "\(line)\n" }
            if line.hasPrefix("-----END ") { isTaken = false }
        }
        return hasBlocks ? result : self
    }
}
