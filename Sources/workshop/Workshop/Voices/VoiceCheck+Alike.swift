import SoundboxCore
import SoundboxSpeech
import SoundboxVoice
import SoundboxYAML

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
