import SoundboxCore

/// Compares a language's numbers with ICU's spelling of more than 100,000 amounts.
///
/// ICU is no judge: it reads some amounts as nobody says them. Where a voice reads otherwise on purpose, a file of
/// deviations says how and why.
public struct VoiceOracle: Sendable {
    /// An amount that is read otherwise than ICU reads it.
    public struct Difference: Sendable, Equatable {
        public let amount: String
        /// As the voice reads it, or why it cannot.
        public let own: String
        public let icu: String
        /// ICU's text with the deviations in it.
        public let expected: String
    }

    public struct Report: Sendable, Equatable {
        public fileprivate(set) var equal = 0
        /// As the deviations say.
        public fileprivate(set) var deviating = 0
        public fileprivate(set) var wrong = 0
        /// The first of those that are wrong.
        public fileprivate(set) var examples: [Difference] = []
        /// Places of deviations that change no amount.
        public fileprivate(set) var unusedRules: [String] = []

        public var compared: Int { equal + deviating + wrong }
    }

    /// What most of ICU's locales call the set that reads amounts.
    public static let usualRuleSet = "%spellout-cardinal"

    private let library: ICULibrary

    /// Blocks on the disk.
    /// - Throws: ``ICUError`` where there is no ICU.
    public init() throws(ICUError) { library = try ICULibrary() }

    /// ICU's major version: 72.
    public var version: Int { library.version }

    /// Computes for seconds and blocks on the disk.
    ///
    /// - Parameters:
    ///   - deviations: a file of them, which also names ICU's locale and rule set; `nil` compares with ICU as it is.
    ///   - ruleSet: ICU's, where no file names it.
    ///   - mostExamples: how many differences are kept.
    /// - Throws: ``ICUError``, or ``YAMLError`` for the deviations.
    public func compare(
        _ language: Language, deviations file: String? = nil, ruleSet: String = Self.usualRuleSet,
        mostExamples: Int = 20
    ) throws -> Report {
        let deviations =
            if let file { try Deviations(readingFile: file, library) } else {
                Deviations(icuLocale: language.locale.replacing("-", with: "_"), ruleSet: ruleSet)
            }
        let speller = try ICUSpeller(library, locale: deviations.icuLocale, ruleSet: deviations.ruleSet)
        var report = Report()
        var used: Set<Int> = []
        for amount in OracleAmounts.all {
            let own: String
            do throws(SpeechError) {
                own = try language.numbers.spell(amount.number, with: language.cardinalRuleSet)
            } catch { own = "(\(error))" }
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
                    Difference(amount: amount.digits, own: own, icu: icu, expected: deviation.text))
            }
        }
        report.unusedRules = deviations.rules.indices.filter { !used.contains($0) }.map { deviations.rules[$0].place }
        return report
    }
}
