import SoundboxSystem
import SoundboxYAML

/// The files that a `soundbox.yaml` names. They must not be replaced or removed while it is installed.
public struct InstalledSetup: Sendable, Equatable {
    /// The text, even if it is not valid YAML.
    private let text: String
    private let references: [[String]: String]
    let merchant: String?
    /// The code for amounts that name none; `nil` if it is not said.
    let currency: String?
    /// Whether the file exists and is not valid YAML.
    let isUnreadable: Bool

    /// Blocks on the disk. A missing file names nothing.
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
        currency = document?["announce", "currency"]
        isUnreadable = isThere && document == nil
    }

    func reference(of part: SetupPart) -> String? { references[part.reference] }

    /// Whether one of its keys names the file.
    func refers(to file: String) -> Bool {
        references.values.contains { Self.mean($0, file) }
    }

    /// Whether it names the file anywhere, also under a misspelt key or in a line with an error.
    func names(_ file: String) -> Bool { refers(to: file) || text.contains(SmallFile.name(of: file)) }

    /// A relative path may be relative to any folder, so only its last part is compared.
    static func mean(_ reference: String, _ file: String) -> Bool {
        SmallFile.isSame(reference, file)
            || !reference.hasPrefix("/") && SmallFile.name(of: reference) == SmallFile.name(of: file)
    }
}
