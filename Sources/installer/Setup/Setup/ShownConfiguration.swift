import SoundboxConfiguration
import SoundboxCore
import SoundboxSystem
import SoundboxYAML

/// A box's configuration without secrets, for installers and support:
///
///     let shown = try ShownConfiguration(readingFile: "/etc/soundbox/soundbox.yaml")
///     print(shown.text)
///
/// Shows only values that the box understands and that cannot be secrets. Everything else is named and masked, so that
/// a password in the wrong line, under a misspelt key or in the broker's URL is not shown. ``YAMLMask`` has the rules.
public struct ShownConfiguration: Sendable {
    /// YAML that ends with a newline.
    public let text: String
    /// Texts that must not appear elsewhere either, longest first.
    private let secrets: [String]

    /// Reads the configuration and the secrets beside it. Blocks on the disk.
    public init(readingFile path: String) throws {
        let text = try SmallFile.read(path)
        self.init(text, secrets: Self.secretLines(of: text, in: SmallFile.folder(of: path)))
    }

    /// - Parameter secrets: the secrets in separate files.
    init(_ text: String, secrets: [String] = []) {
        do {
            let mask = try Configuration.masked(text)
            self.text = mask.text
            self.secrets = Self.forms(of: mask.masked + secrets)
        } catch {
            // The text could be anything. The error repeats none of it.
            self.text = "# left out: \(error)\n"
            self.secrets = Self.forms(of: secrets + text.split(separator: "\n").map(String.init))
        }
    }

    /// Masks in a log or a report what the configuration does not show. Errors of earlier versions or other programs
    /// may contain it.
    public func removingSecrets(from text: String) -> String {
        secrets.reduce(text) { $0.replacing($1, with: "«masked»") }
    }

    /// In bytes. Masking shorter secrets would destroy much of the text, and they are easy to guess anyway.
    private static let shortest = 6

    /// Their forms in plain text, in a log line and in JSON.
    private static func forms(of secrets: [String]) -> [String] {
        let lines = secrets.flatMap { $0.split(whereSeparator: \.isNewline).map { $0.trimmed } }
        let forms = lines.flatMap { line in
            [line, line.escaped { _ in false }, String(JSONValue.string(line).text.dropFirst().dropLast())]
        }
        return Set(forms.filter { $0.utf8.count >= shortest }).sorted { ($1.utf8.count, $0) < ($0.utf8.count, $1) }
    }

    private static func secretLines(of text: String, in folder: String) -> [String] {
        let document = try? YAMLDocument(parsing: text, file: "soundbox.yaml")
        return SetupPart.all.filter { $0.content == .secretLine }.flatMap { part in
            ([document?[path: part.reference]].compactMap(\.self) + part.files.map { "\(folder)/\($0)" })
                .compactMap { try? SecretFile(path: $0).read() }
        }
    }
}
