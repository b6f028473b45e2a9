import SoundboxBox
import SoundboxConfiguration
import SoundboxSystem

/// A part that a provisioning document contains, and that an installed box keeps in a file beside `soundbox.yaml`.
struct SetupPart: Sendable {
    /// The key of the provisioning format, from the top.
    let inline: [String]
    /// The key of `soundbox.yaml` that names the file instead.
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

    /// Also the name for a new content while the setup that is installed names the first: `broker-2.password`.
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

    /// The file for a content: the one that has it already, or else one that the setup which is installed does not name.
    /// That one stays whole until ``SetupPlan/write()`` has replaced its `soundbox.yaml`, and after that as
    /// `soundbox.yaml.old`. Blocks on the disk.
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

    /// What the installed file holds. Blocks on the disk.
    func read(_ path: String) throws -> String {
        switch content {
        case .secretLine: try SecretFile(content: inline.joined(separator: "."), path: path).read()
        // One file may hold both, and each part is to be in its own place.
        case .secretPEM: try SmallFile.read(path).pemBlocks { $0.hasSuffix("PRIVATE KEY") }
        case .publicPEM: try SmallFile.read(path).pemBlocks { !$0.hasSuffix("PRIVATE KEY") }
        case .signingKey: try SigningKey(readingFile: path).text
        }
    }

    /// What the installed file is to hold.
    /// - Throws: what the box would refuse at its start.
    func installable(_ text: String) throws(SetupError) -> String {
        guard !text.trimmed.isEmpty else { throw SetupError("it is empty") }
        switch content {
        case .secretLine: break
        case .secretPEM: try Self.check(text, holds: "PRIVATE KEY")
        case .publicPEM:
            try Self.check(text, holds: "CERTIFICATE")
            guard !text.contains("PRIVATE KEY-----") else {
                throw SetupError("there is a private key in it, and this file may be read by everybody")
            }
        case .signingKey:
            do { return try SigningKey(text).text + "\n" } catch { throw SetupError(error.description) }
        }
        return text.hasSuffix("\n") ? text : text + "\n"
    }

    /// The frame of RFC 7468 only: what is in it shows when it is used. Without one it is a path, or something else.
    private static func check(_ text: String, holds label: String) throws(SetupError) {
        guard text.contains("-----BEGIN "), text.contains("\(label)-----"), text.contains("-----END ") else {
            throw SetupError("expected PEM: lines from -----BEGIN \(label)----- to -----END \(label)-----")
        }
    }

    /// What is wrong with the file that a document names, instead of holding its content; `nil` when nothing is, or when
    /// the box can start without. Blocks on the disk.
    ///
    /// - Parameter getsItsMode: whether setup is about to see to it that nobody else may read the file.
    func problem(inFile path: String, getsItsMode: Bool) -> String? {
        guard content == .signingKey else { return nil }
        do {
            _ = try SigningKey(readingFile: path, evenIfExposed: getsItsMode)
            return nil
        } catch { return error.description }
    }
}

extension String {
    /// The blocks of PEM (RFC 7468) whose label is accepted; the whole text where it has no blocks.
    fileprivate func pemBlocks(_ accepts: (Substring) -> Bool) -> String {
        var result = ""
        var isTaken = false
        var hasBlocks = false
        for line in split(separator: "\n", omittingEmptySubsequences: false) {
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
