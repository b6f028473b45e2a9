import SoundboxCore
import SoundboxSpeech
import SoundboxVoice
import SoundboxYAML

/// Checks that a voice can say everything in its `voice.yaml`, and that its recordings fit together:
///
///     for problem in try VoiceCheck(voice).problems() { print(problem) }
public struct VoiceCheck: Sendable {
    let voice: Voice

    public init(_ voice: Voice) {
        self.voice = voice
    }

    /// All problems, one line each; empty for none. Blocks on the disk for seconds.
    public func problems() throws -> [String] {
        let recordings = RecordingCheck(directory: voice.directory, list: voice.recordings)
        return try problemsOfWords() + (try recordings.problems().map { "\(voice.directory)/\($0)" })
    }

    /// Those of its words and rules. Opens no recording.
    func problemsOfWords() throws -> [String] {
        let uncovered = uncovered()
        return emptySentences() + uncovered + (uncovered.isEmpty ? gluedNumbers() : []) + (try alike())
    }

    /// Optional keys that the voice lacks, one line each, with what is said instead.
    public var notes: [String] {
        let language = voice.language
        var missing: [(key: String, instead: String)] = []
        if language.sentences[.replay] == nil {
            missing.append(("sentences.replay", "a payment that is repeated is told without words before it"))
        }
        if language.sentences[.todayRefunds] == nil {
            missing.append(("sentences.today_refunds", "the day's total is told without what was paid back"))
        }
        for prompt in Prompt.allCases where language.prompts[prompt] == nil {
            let words = language.words(of: prompt == .marker ? .message : prompt)
            missing.append(
                (
                    "prompts.\(prompt.rawValue)",
                    words.isEmpty ? "the box says nothing instead" : "the box says \"\(words)\" instead"
                ))
        }
        if language.otherCurrency == nil {
            missing.append(("other_currency", "an amount in a currency without a word is not told"))
        }
        return missing.map { "\(voice.directory)/voice.yaml: \($0.key): this key is missing; \($0.instead)" }
    }

    private func emptySentences() -> [String] {
        Language.Sentence.allCases.filter { voice.language.sentences[$0]?.isEmpty == true }.map {
            "\(voice.directory)/voice.yaml: sentences.\($0.rawValue): it says nothing"
        }
    }

    private func uncovered() -> [String] {
        voice.writer.unrecorded.map { "\(voice.directory)/voice.yaml: \($0.key): \($0.error)" }
    }
}

/// Checks that different numbers and amounts sound different.
extension VoiceCheck {
    /// Numbers and amounts that sound alike, with their line in `voice.yaml`.
    /// - Throws: ``YAMLError`` if `voice.yaml` cannot be read again.
    func alike() throws(YAMLError) -> [String] {
        let language = voice.language
        let top = try YAMLValue(readingFile: "\(voice.directory)/voice.yaml").mapping()
        let (rules, units) = (try top.required("numbers"), try top.required("units"))
        do throws(NumberRuleError) {
            for set in language.ruleSets {
                try language.numbers.validateDistinctness(set, withDecimals: language.amountRuleSets.contains(set))
            }
        } catch {
            // Amounts contain numbers, so further checks make no sense.
            return ["\(rules.error(error))"]
        }
        do throws(Language.UnitLikeNumber) { try language.proveUnits() } catch { return ["\(units.error("\(error)"))"] }
        var seen: [CurrencyWords] = []
        var problems: [String] = []
        for (code, value) in try units.mapping().entries {
            guard let words = language.units[code], !seen.contains(words) else { continue }
            seen.append(words)
            do throws(Language.AlikeAmounts) { try language.proveAmounts(of: code) } catch {
                problems.append("\(value.error("\(error)"))")
            }
        }
        return problems
    }
}

/// Problems that only whole amounts show.
extension VoiceCheck {
    /// The first number without recordings, although each word of the rules is recorded: rules may join words, such as
    /// zwei and hundert to zweihundert.
    func gluedNumbers() -> [String] {
        let language = voice.language
        for set in language.ruleSets {
            for number in Self.numbers {
                guard let words = try? language.numbers.spell(number, with: set) else { continue }
                do throws(SpeechError) {
                    _ = try voice.writer.script(ofText: words)
                } catch {
                    let advice =
                        language.wordsAreSpaced
                        ? "; the rules glue words together: say \"words: unspaced\", put a blank between them, or record "
                            + "the word whole" : ""
                    return ["\(voice.directory)/voice.yaml: numbers: \(number) is \"\(words)\": \(error)\(advice)"]
                }
            }
        }
        return []
    }

    /// Chosen so that they use each rule of a language.
    private static let numbers: [DecimalNumber] = {
        var numbers = (UInt64(0)...120).map { $0 }
        for leading in [1, 2, 3, 5, 12, 21, 101] as [UInt64] {
            var round = leading * 100
            while round <= DecimalNumber.maximumWhole {
                numbers += [round, round + 1, round + leading]
                round *= 10
            }
        }
        return numbers.compactMap { try? DecimalNumber(whole: $0) }
            + ["0.5", "12.05", "1.25"].compactMap { try? DecimalNumber($0) }
    }()
}
