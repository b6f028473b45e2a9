import SoundboxSystem
import SoundboxYAML

/// Which files a `soundbox.yaml` names: those must not be replaced or removed under it.
struct InstalledSetup {
    private let document: YAMLDocument?
    /// What is no YAML may name whatever stands in it.
    private let text: String

    /// Blocks on the disk. Without a file it names nothing.
    init(_ path: String) { self.init(text: (try? SmallFile.read(path)) ?? "") }

    init(text: String) {
        document = try? YAMLDocument(parsing: text, file: "installed")
        self.text = document == nil ? text : ""
    }

    /// Whether something is there that nobody can say the meaning of.
    var isUnreadable: Bool { !text.isEmpty }

    var merchant: String? { document?["merchant_id"] }

    func reference(of part: SetupPart) -> String? { document?[path: part.reference] }

    /// - Parameter file: an absolute path.
    func names(_ file: String) -> Bool {
        SetupPart.all.contains { part in reference(of: part).map { Self.mean($0, file) } ?? false }
            || text.contains(SmallFile.name(of: file))
    }

    /// A relative path is one of the folder that somebody was in when it was written.
    static func mean(_ reference: String, _ file: String) -> Bool {
        SmallFile.isSame(reference, file)
            || !reference.hasPrefix("/") && SmallFile.name(of: reference) == SmallFile.name(of: file)
    }
}
