import SoundboxCore
import SoundboxYAML

/// Intended differences between a voice and ICU: a file such as `Tests/workshop/OracleTests/Deviations/zh-CN.yaml`.
struct Deviations {
    /// A replacement that converts ICU's text into the voice's.
    struct Rule {
        /// File and line, for messages.
        var place: String
        var replacement: ICUReplacement
    }

    var icuLocale: String
    var ruleSet: String
    var rules: [Rule]

    /// Strict: every difference needs a `reason` and a `source`. Blocks on the disk.
    /// - Throws: ``YAMLError`` naming file, line and key.
    init(readingFile path: String) throws(YAMLError) {
        let top = try YAMLValue(readingFile: path).mapping()
        icuLocale = try top.required("icu_locale").string()
        ruleSet = try top.required("rule_set").string()
        rules = []
        for value in try top.required("deviations").list() { rules.append(try Rule(reading: value)) }
        try top.refuseOtherKeys()
    }
}

extension [Deviations.Rule] {
    /// ICU's text after all rules in order, and the indices of the rules that changed it.
    func applied(to text: String) throws(ICUError) -> (text: String, changedBy: [Int]) {
        var text = text
        var changedBy: [Int] = []
        for (index, rule) in enumerated() {
            let changed = try rule.replacement.apply(to: text)
            if changed != text { changedBy.append(index) }
            text = changed
        }
        return (text, changedBy)
    }
}

extension Deviations.Rule {
    fileprivate init(reading value: YAMLValue) throws(YAMLError) {
        let fields = try value.mapping()
        for key in ["reason", "source"] {
            let text = try fields.required(key)
            if try text.string().isEmpty { throw text.error("must not be empty") }
        }
        let pattern = try fields.required("replace")
        place = "\(value.file):\(pattern.line ?? 0)"
        let (expression, template) = (try pattern.string(), try fields.required("with").string())
        do throws(ICUError) {
            replacement = try ICUReplacement(of: expression, with: template)
        } catch {
            throw pattern.error(error.description)
        }
        try fields.refuseOtherKeys()
    }
}
