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
    ]

    /// What the installed file holds. Blocks on the disk.
    func read(_ path: String) throws -> String {
        switch content {
        case .secretLine: try SecretFile(content: inline.joined(separator: "."), path: path).read()
        case .secretPEM, .publicPEM: try SmallFile.read(path)
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
        case .publicPEM: try Self.check(text, holds: "CERTIFICATE")
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
