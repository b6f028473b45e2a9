import SoundboxCore

/// A part of a sentence whose form depends on the text before it: 원이 and 달러가, Turkish -ı, -i, -u and -ü.
public struct Suffix: Sendable, Equatable {
    public struct Form: Sendable, Equatable {
        /// It fits after a text that ends with one of these; `nil` fits after any.
        public var endings: [String]?
        /// What is spoken; may be empty.
        public var text: String

        public init(after endings: [String]?, _ text: String) {
            self.endings = endings
            self.text = text
        }
    }

    /// The first that fits is spoken. The last one always fits.
    public let forms: [Form]

    public init(_ forms: [Form]) { self.forms = forms }

    func text(after text: String) -> String {
        forms.first { form in form.endings.map { $0.contains(where: text.hasSuffix) } ?? true }?.text ?? ""
    }
}

extension Suffix {
    /// Reads the suffixes of a voice, by the names that its sentences use.
    static func all(reading value: YAMLValue) throws(YAMLError) -> [String: Suffix] {
        var suffixes: [String: Suffix] = [:]
        for (name, value) in try value.mapping().entries {
            guard !name.isEmpty, !name.contains(where: { "{}:".contains($0) }) else {
                throw value.error("expected a name without braces and colons, such as 이/가")
            }
            suffixes[name] = try Suffix(reading: value)
        }
        return suffixes
    }

    private init(reading value: YAMLValue) throws(YAMLError) {
        let entries = try value.list()
        var forms: [Form] = []
        for (index, entry) in entries.enumerated() {
            let mapping = try entry.mapping()
            let isLast = index == entries.count - 1
            let endings = try mapping.optional("after").map { (value) throws(YAMLError) in try readEndings(value) }
            guard isLast == (endings == nil) else {
                throw entry.error(
                    isLast
                        ? "expected the last form without `after`, for everything that no other fits"
                        : "expected `after`: without it this form fits always, and none behind it is ever said")
            }
            forms.append(Form(after: endings, try mapping.required("say").string()))
            try mapping.refuseOtherKeys()
        }
        guard forms.count > 1 else {
            throw value.error("expected two or more forms, {after: […], say: …}, and the last one without `after`")
        }
        self.init(forms)
    }
}

private func readEndings(_ value: YAMLValue) throws(YAMLError) -> [String] {
    var endings: [String] = []
    for item in try value.list() {
        let ending = try item.string()
        guard !ending.isEmpty else { throw item.error("expected letters; everything ends with nothing") }
        endings.append(ending)
    }
    guard !endings.isEmpty else { throw value.error("expected one ending or more") }
    return endings
}
