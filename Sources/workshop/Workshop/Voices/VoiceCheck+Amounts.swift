import SoundboxCore
import SoundboxSpeech
import SoundboxVoice

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
