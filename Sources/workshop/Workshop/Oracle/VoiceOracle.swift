import CICU
import SoundboxCore
import SoundboxSpeech
import SoundboxYAML

/// Compares a language's numbers with ICU's spelling of more than 100,000 amounts:
///
///     let report = try VoiceOracle().compare(voice.language, deviations: "zh-CN.yaml")
///     print("\(report.wrong) of \(report.compared) differ")
///
/// ICU is not always right: it reads some amounts as nobody says them. A file of deviations lists the intended
/// differences with their reasons.
public struct VoiceOracle: Sendable {
    /// An amount that the voice reads differently from ICU.
    public struct Difference: Sendable, Equatable {
        public let amount: String
        /// The voice's reading, or why it has none.
        public let own: String
        public let icu: String
        /// ICU's text after the deviations.
        public let expected: String
    }

    public struct Report: Sendable, Equatable {
        public fileprivate(set) var equal = 0
        /// Different, as the deviations say.
        public fileprivate(set) var deviating = 0
        public fileprivate(set) var wrong = 0
        /// The first wrong ones.
        public fileprivate(set) var examples: [Difference] = []
        /// File and line of deviations that change no amount.
        public fileprivate(set) var unusedRules: [String] = []

        public var compared: Int { equal + deviating + wrong }
    }

    /// The rule set that reads amounts in most of ICU's locales.
    public static let usualRuleSet = "%spellout-cardinal"

    public init() {}

    /// ICU's major version: 72.
    public var version: Int { Int(soundbox_icu_version()) }

    /// Compares the language's cardinal set with all amounts, and the sets of its units' genders with whole numbers,
    /// each with ICU's set of the same name. ICU also declines before a decimal point (eine Komma fünf), which nobody
    /// says.
    ///
    /// Computes for seconds; blocks on the disk.
    /// - Parameters:
    ///   - deviations: a file of deviations, which also names ICU's locale and rule set; `nil` compares without.
    ///   - ruleSet: ICU's rule set if no file names it; `nil` takes ``usualRuleSet``, or the set with the name of the
    ///     language's own.
    ///   - mostExamples: how many differences are kept.
    /// - Throws: ``ICUError``, or ``YAMLError`` for the deviations.
    public func compare(
        _ language: Language, deviations file: String? = nil, ruleSet: String? = nil, mostExamples: Int = 20
    ) throws -> Report {
        let deviations = try file.map { try Deviations(readingFile: $0) }
        let locale = deviations?.icuLocale ?? language.locale.replacing("-", with: "_")
        var comparison = SpellingComparison(language, deviations?.rules ?? [], mostExamples: mostExamples)
        let speller =
            if let ruleSet = deviations?.ruleSet ?? ruleSet {
                try ICUSpeller(locale: locale, ruleSet: ruleSet)
            } else {
                try usualSpeller(locale, otherwise: language.cardinalRuleSet)
            }
        try comparison.compare(OracleAmounts.all, by: language.cardinalRuleSet, with: speller)
        for set in language.amountRuleSets where set != language.cardinalRuleSet {
            let speller = try ICUSpeller(locale: locale, ruleSet: set)
            try comparison.compare(OracleAmounts.all.filter(\.number.decimals.isEmpty), by: set, with: speller)
        }
        return comparison.result
    }

    private func usualSpeller(_ locale: String, otherwise own: String) throws(ICUError) -> ICUSpeller {
        do { return try ICUSpeller(locale: locale, ruleSet: Self.usualRuleSet) } catch {
            guard let speller = try? ICUSpeller(locale: locale, ruleSet: own) else { throw error }
            return speller
        }
    }
}

private struct SpellingComparison {
    private let language: Language
    private let deviations: [Deviations.Rule]
    private let mostExamples: Int
    private var report = VoiceOracle.Report()
    private var used: Set<Int> = []

    init(_ language: Language, _ deviations: [Deviations.Rule], mostExamples: Int) {
        self.language = language
        self.deviations = deviations
        self.mostExamples = mostExamples
    }

    var result: VoiceOracle.Report {
        var result = report
        result.unusedRules = deviations.indices.filter { !used.contains($0) }.map { deviations[$0].place }
        return result
    }

    mutating func compare(
        _ amounts: [OracleAmounts.Amount], by ruleSet: String, with speller: ICUSpeller
    ) throws(ICUError) {
        for amount in amounts {
            let own: String
            do throws(SpeechError) { own = try language.numbers.spell(amount.number, with: ruleSet) } catch {
                own = "(\(error))"
            }
            let icu = try speller.spell(amount.digits)
            if own == icu {
                report.equal += 1
                continue
            }
            let deviation = try deviations.applied(to: icu)
            if own == deviation.text {
                used.formUnion(deviation.changedBy)
                report.deviating += 1
            } else {
                report.wrong += 1
                guard report.examples.count < mostExamples else { continue }
                report.examples.append(
                    .init(amount: amount.digits, own: own, icu: icu, expected: deviation.text))
            }
        }
    }
}

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
