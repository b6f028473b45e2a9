import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxVoice
import SoundboxYAML
import Testing

@testable import SoundboxWorkshop

@Suite("Mistakes in the number rules of every voice")
struct MutationTests {
    @Test(
        "Without one of its rules, semicolons or parts a voice is refused, or reads every number rightly",
        arguments: shippedVoices.locales)
    func mutants(locale: String) async throws {
        let result = try await onOwnThread(named: "mutants") { try Self.trial(of: locale) }
        print("mutants \(locale): \(result.tried) tried, \(result.refused) refused, \(result.unchanged) unchanged")
        #expect(result.tried > 50)
        // What is left reads every number otherwise and rightly, as `1000 million` for a billion. Each was looked at.
        #expect(result.otherwise.filter { !Survivors.all.contains($0) } == [])
    }

    private struct Trial {
        var tried = 0
        var refused = 0
        var unchanged = 0
        var otherwise: [String] = []
    }

    private static func trial(of locale: String) throws -> Trial {
        let top = try YAMLValue(readingFile: "\(shippedVoices.path)/\(locale)/voice.yaml").mapping()
        let text = try top.required("numbers").string()
        let language = try shippedVoices.speaking(locale, speaker: nil) { $0 }.prepared.language
        // A shop may choose this set, so it is tested like those in use.
        let others = ["%spellout-cardinal-alternate2"].filter(language.numbers.setNames.contains)
        let (amounts, counting) = (language.amountRuleSets + others, language.countingRuleSet)
        let original = try proved(text, amounts, counting)
        var trial = Trial()
        for mutant in RuleMutant.all(of: text) {
            trial.tried += 1
            guard let rules = try? proved(mutant.text, amounts, counting) else {
                trial.refused += 1
                continue
            }
            if let difference = try firstDifference(original, rules, amounts + [counting]) {
                trial.otherwise.append("\(mutant.change): \(difference)")
            } else {
                trial.unchanged += 1
            }
        }
        return trial
    }

    /// As a voice is read when it is loaded, and then checked.
    private static func proved(_ text: String, _ amounts: [String], _ counting: String) throws -> NumberRules {
        let rules = try NumberRules(parsing: text)
        for set in amounts {
            try rules.validate(set, withDecimals: true)
            try rules.validateDistinctness(set, withDecimals: true)
        }
        try rules.validate(counting, withDecimals: false)
        try rules.validateDistinctness(counting, withDecimals: false)
        return rules
    }

    private static let numbers: [DecimalNumber] = {
        var numbers = (UInt64(0)...1200).map { $0 }
        for leading in UInt64(1)...110 {
            var round = leading * 10
            while round <= DecimalNumber.maximumWhole / 2 {
                numbers += [round, round + 1, round + leading]
                round *= 10
            }
        }
        numbers.append(DecimalNumber.maximumWhole)
        return numbers.compactMap { try? DecimalNumber(whole: $0) }
            + ["0.5", "0.05", "1.45", "15.123"].compactMap { try? DecimalNumber($0) }
    }()

    private static func firstDifference(
        _ original: NumberRules, _ mutant: NumberRules, _ sets: [String]
    ) throws -> String? {
        for (index, set) in sets.enumerated() {
            for number in numbers where index == 0 || number.decimals.isEmpty {
                let (before, after) = (try original.spell(number, with: set), try mutant.spell(number, with: set))
                if before != after { return "\(number) \(before) -> \(after)" }
            }
        }
        return nil
    }
}

/// The text of number rules with one thing left out.
struct RuleMutant {
    var change: String
    var text: String

    /// Without each rule, each semicolon and each substitution.
    static func all(of text: String) -> [RuleMutant] {
        let letters = Array(text)
        var mutants: [RuleMutant] = []
        func drop(_ range: Range<Int>, _ change: String) {
            mutants.append(
                RuleMutant(change: change, text: String(letters[..<range.lowerBound] + letters[range.upperBound...])))
        }
        for rule in rules(in: letters) {
            let source = String(letters[rule])
            drop(rule, "drop rule \(source)")
            drop(rule.upperBound - 1..<rule.upperBound, "drop ; of \(source)")
            var place = rule.lowerBound
            while place < rule.upperBound {
                let sign = letters[place]
                guard "<>=".contains(sign), let end = letters[(place + 1)..<rule.upperBound].firstIndex(of: sign) else {
                    place += 1
                    continue
                }
                let isTriple = sign == ">" && letters[end + 1] == ">"
                let part = place..<end + (isTriple ? 2 : 1)
                drop(part, "drop \(String(letters[part])) of \(source)")
                place = part.upperBound
            }
        }
        return mutants
    }

    /// From the first letter of each rule to behind its semicolon.
    private static func rules(in letters: [Character]) -> [Range<Int>] {
        var rules: [Range<Int>] = []
        var begin: Int?
        var isComment = false
        var isLineStart = true
        for (place, letter) in letters.enumerated() {
            if letter.isNewline {
                (isComment, isLineStart) = (false, true)
            } else if isLineStart, letter == "#" {
                isComment = true
            }
            if isComment || letter.isWhitespace { continue }
            isLineStart = false
            if begin == nil { begin = place }
            if letter == ":", let start = begin, letters[start] == "%" { begin = nil }
            if letter == ";", let start = begin {
                rules.append(start..<place + 1)
                begin = nil
            }
        }
        return rules
    }
}
