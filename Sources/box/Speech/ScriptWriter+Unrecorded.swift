import SoundboxCore

extension ScriptWriter {
    /// What the voice's `voice.yaml` has the box say, and no recording covers: the key, and the words. Numbers are checked
    /// by all words that their rules can produce, not by samples: where this is empty, every amount can be said.
    ///
    ///     for (key, error) in voice.writer.unrecorded { print(key, error) }  // numbers no recording covers "八"
    ///
    /// Takes some milliseconds.
    public var unrecorded: [(key: String, error: SpeechError)] {
        // Pieces are checked one by one, and a piece is not always the end of a sentence.
        let writer = withoutEndings
        let numbers = language.numbers.vocabulary(ofSets: language.ruleSets).map { ("numbers", $0) }
        let units = language.units.sorted { $0.key < $1.key }.flatMap { code, words in
            ([words.unit] + words.subunits.map(\.word)).flatMap { [$0.one, $0.other] }.map { ("units.\(code)", $0) }
        }
        let joints = [language.subunitJoint, language.subunitZero ?? ""].map { ("subunit_joint, subunit_zero", $0) }
        let channels = language.channels.sorted { $0.key < $1.key }.map { ("channels.\($0.key)", $0.value) }
        let sentences = Language.Sentence.allCases.map { sentence in
            ("sentences.\(sentence.rawValue)", language.sentences[sentence] ?? "")
        }
        let prompts = Prompt.allCases.map { ("prompts.\($0.rawValue)", language.prompts[$0] ?? "") }
        let kinds = language.kinds.sorted { $0.key.text < $1.key.text }.map {
            ("kinds.\($0.key).words", $0.value.words)
        }
        let other = [("other_currency", language.otherCurrency ?? "")]
        let texts = numbers + units + other + joints + channels + sentences + prompts + kinds
        return texts.flatMap { key, text in
            // The texts of placeholders are checked separately.
            text.split(separator: /\{[^}]*\}/).compactMap { piece in
                do throws(SpeechError) {
                    _ = try writer.script(ofText: String(piece))
                    return nil
                } catch {
                    return (key, error)
                }
            }
        }
    }
}
