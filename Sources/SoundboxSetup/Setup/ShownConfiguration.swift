import SoundboxConfiguration
import SoundboxCore
import SoundboxSystem
import SoundboxYAML

/// A box's configuration for the eyes of others: installers, support, whoever looks over a shoulder.
///
/// Shows the values that the box understands and that cannot be secrets. Everything else is named and masked, so that a
/// password in the wrong line, under a misspelt key or in the broker's URL is not shown. ``YAMLMask`` says how that is
/// known.
public struct ShownConfiguration: Sendable {
    /// YAML that ends with a newline.
    public let text: String
    /// What must not appear in other texts either, the longest first.
    private let secrets: [String]

    /// Reads the configuration and the secrets beside it. Blocks on the disk.
    public init(readingFile path: String) throws {
        let text = try SmallFile.read(path)
        self.init(text, secrets: Self.secretLines(of: text, in: SmallFile.folder(of: path)))
    }

    /// - Parameter secrets: what the box has in files of their own.
    init(_ text: String, secrets: [String] = []) {
        do {
            let mask = try Configuration.masked(text)
            self.text = mask.text
            self.secrets = Self.forms(of: mask.masked + secrets)
        } catch {
            // It could be anything; the error repeats nothing of it.
            self.text = "# left out: \(error)\n"
            self.secrets = Self.forms(of: secrets + text.split(separator: "\n").map(String.init))
        }
    }

    /// Removes from a log or a report what the configuration does not show. An error of an earlier version, or of
    /// another program, may have repeated it.
    public func removingSecrets(from text: String) -> String {
        secrets.reduce(text) { $0.replacing($1, with: "«masked»") }
    }

    /// Shorter ones would take half of the text with them, and are guessed faster than read.
    private static let shortest = 6

    /// As they stand in a plain text, in a line of the log and in JSON.
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
