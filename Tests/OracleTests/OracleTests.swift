import CICU
import SoundboxCore
import SoundboxSystem
import SoundboxVoice
import Testing

/// Where the voices are that ship with the box.
let shippedVoices = VoiceFolder(path: #filePath.replacing(/\/Tests\/OracleTests\/[^\/]*$/, with: "/sounds"))

@Suite("The numbers of every voice beside ICU's")
struct OracleTests {
    @Test("Every voice has a list of its deviations, and every list a voice")
    func lists() {
        #expect(Deviations.locales == shippedVoices.locales)
    }

    @Test("A voice spells amounts as ICU does, but where it says why not", arguments: shippedVoices.locales)
    func agreement(locale: String) async throws {
        // Seconds of work: on a thread of its own, so that tests that wait for events are not held up.
        let result = try await onOwnThread(named: "oracle") { try Self.comparison(of: locale).result }
        print("oracle \(locale): \(result.summary)")
        #expect(result.compared >= 100_000)
        #expect(result.wrong == 0, "the first of them:\n\(result.examples.joined(separator: "\n"))")
        // A later ICU may read by itself what a rule asks of it: since 76 at the latest zero is nol in Indonesian.
        if soundbox_icu_version() <= Deviations.icuVersion {
            #expect(result.unusedRules == [], "these deviations apply to no amount")
        }
    }

    private static func comparison(of locale: String) throws -> Comparison {
        let language = try shippedVoices.voice(locale).language
        let deviations = try Deviations(of: locale)
        let icu = try ICUSpeller(locale: deviations.icuLocale, ruleSet: deviations.ruleSet)
        var comparison = Comparison(deviations)
        for amount in Amounts.all {
            let ours: String
            do throws(SpeechError) {
                ours = try language.numbers.spell(amount.number, with: language.cardinalRuleSet)
            } catch { ours = "(\(error))" }
            try comparison.compare(amount.digits, ours: ours, icu: try icu.spell(amount.digits))
        }
        return comparison
    }
}

/// What a comparison came to.
private struct ComparisonResult: Sendable {
    var summary: String
    var compared: Int
    var wrong: Int
    var examples: [String]
    var unusedRules: [String]
}

private struct Comparison {
    private let deviations: Deviations
    private var used: Set<Int> = []
    private(set) var equal = 0
    private(set) var deviating = 0
    private(set) var wrong = 0
    /// The first five that are wrong.
    private(set) var examples: [String] = []

    init(_ deviations: Deviations) { self.deviations = deviations }

    mutating func compare(_ digits: String, ours: String, icu: String) throws {
        if ours == icu {
            equal += 1
            return
        }
        let deviation = try deviations.applied(to: icu)
        if ours == deviation.text {
            used.formUnion(deviation.changedBy)
            deviating += 1
        } else {
            wrong += 1
            if examples.count == 5 { return }
            examples.append("\(digits): ours \(ours), ICU's \(icu), with the deviations \(deviation.text)")
        }
    }

    /// A rule that changes nothing is out of date.
    var result: ComparisonResult {
        let compared = equal + deviating + wrong
        return ComparisonResult(
            summary: "\(compared) compared, \(equal) equal, \(deviating) deviating by rule, \(wrong) wrong",
            compared: compared, wrong: wrong, examples: examples,
            unusedRules: deviations.rules.indices.filter { !used.contains($0) }.map { deviations.rules[$0].place })
    }
}
