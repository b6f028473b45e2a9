import Glibc
import SoundboxCore
import SoundboxYAML

/// Where a voice reads numbers otherwise than ICU, on purpose: `Deviations/<locale>.yaml`.
struct Deviations {
    /// One difference, as what turns ICU's text into the voice's.
    struct Rule {
        /// Where it stands, for messages.
        var place: String
        var replacement: Replacement
    }

    var icuLocale: String
    var ruleSet: String
    var rules: [Rule]

    /// The ICU that the lists were made beside: Debian 12's.
    static let icuVersion: Int32 = 72

    private static let directory = #filePath.replacing(/[^\/]+$/, with: "Deviations")

    /// The locales that have such a file, sorted.
    static var locales: [String] {
        guard let directory = opendir(directory) else { return [] }
        defer { closedir(directory) }
        var locales: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(".yaml") { locales.append(String(name.dropLast(".yaml".count))) }
        }
        return locales.sorted()
    }

    /// Strict: every difference says why it is one and who else says so.
    init(of locale: String) throws {
        let top = try YAMLValue(readingFile: "\(Self.directory)/\(locale).yaml").mapping()
        icuLocale = try top.required("icu_locale").string()
        ruleSet = try top.required("rule_set").string()
        rules = try top.required("deviations").list().map(Rule.init(reading:))
        try top.refuseOtherKeys()
    }

    /// ICU's text with every rule applied, in order, and the rules that changed it.
    func applied(to text: String) throws -> (text: String, changedBy: [Int]) {
        var text = text
        var changedBy: [Int] = []
        for (index, rule) in rules.enumerated() {
            let changed = try rule.replacement.apply(to: text)
            if changed != text { changedBy.append(index) }
            text = changed
        }
        return (text, changedBy)
    }
}

extension Deviations.Rule {
    fileprivate init(reading value: YAMLValue) throws {
        let fields = try value.mapping()
        for key in ["reason", "source"] {
            let text = try fields.required(key)
            if try text.string().isEmpty { throw text.error("must not be empty") }
        }
        let pattern = try fields.required("replace")
        place = "\(value.file):\(pattern.line ?? 0)"
        do {
            replacement = try Replacement(of: try pattern.string(), with: try fields.required("with").string())
        } catch let error as ICUError {
            throw pattern.error(error.description)
        }
        try fields.refuseOtherKeys()
    }
}
