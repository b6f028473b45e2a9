import SoundboxSystem
import SoundboxYAML

/// Which files a `soundbox.yaml` names: those must not be replaced or removed under it.
public struct InstalledSetup: Sendable, Equatable {
    /// Whatever stands in it, also what nobody can read as YAML.
    private let text: String
    private let references: [[String]: String]
    let merchant: String?
    /// Whether something is there that nobody can say the meaning of.
    let isUnreadable: Bool

    /// Blocks on the disk. Without a file it names nothing.
    public init(_ path: String) {
        let bytes = try? SmallFile.bytes(of: path, limit: 64 << 20)
        self.init(text: String(decoding: bytes ?? [], as: UTF8.self), isThere: SmallFile.exists(path))
    }

    init(text: String, isThere: Bool = true) {
        self.text = text
        let document = isThere ? try? YAMLDocument(parsing: text, file: "installed") : nil
        references = Dictionary(
            uniqueKeysWithValues: SetupPart.all.compactMap { part in
                document?[path: part.reference].map { (part.reference, $0) }
            })
        merchant = document?["merchant_id"]
        isUnreadable = isThere && document == nil
    }

    func reference(of part: SetupPart) -> String? { references[part.reference] }

    /// Under one of its keys.
    func refers(to file: String) -> Bool {
        references.values.contains { Self.mean($0, file) }
    }

    /// Also under a key that is misspelt, or in a line that cannot be read.
    func names(_ file: String) -> Bool { refers(to: file) || text.contains(SmallFile.name(of: file)) }

    /// A relative path is one of the folder that somebody was in when it was written.
    static func mean(_ reference: String, _ file: String) -> Bool {
        SmallFile.isSame(reference, file)
            || !reference.hasPrefix("/") && SmallFile.name(of: reference) == SmallFile.name(of: file)
    }
}
