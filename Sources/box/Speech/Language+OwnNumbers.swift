import SoundboxCore

/// A sentence or a suffix must not contain a number of its own: it would change the amount in a placeholder.
extension Language {
    /// - Parameters:
    ///   - sentences: the voice's `sentences`, as read.
    ///   - suffixes: its `suffixes`; `nil` where it has none.
    /// - Throws: ``YAMLError`` naming the sentence or the suffix.
    func refuseOwnNumbers(in sentences: YAMLValue, _ suffixes: YAMLValue?, by rules: TextRules) throws(YAMLError) {
        for (name, value) in try suffixes?.mapping().entries ?? [] {
            for form in self.suffixes[name]?.forms ?? [] { try value.refuseAmount(in: form.text, by: rules) }
        }
        for (_, value) in try sentences.mapping().entries {
            try value.refuseOwnNumbers(in: try value.string(), self.suffixes, by: rules)
        }
    }
}

extension YAMLValue {
    /// Refuses amounts in a sentence, a number right before a placeholder, and one in a suffix of a number: an amount
    /// is followed by its unit, a count by nothing.
    func refuseOwnNumbers(
        in sentence: String, _ suffixes: [String: Suffix], by rules: TextRules
    ) throws(YAMLError) {
        var before = ""
        var placeholder: SentenceTemplate.Placeholder?
        for piece in SentenceTemplate(sentence).pieces {
            switch piece {
            case .text(let text):
                try refuseAmount(in: text, by: rules)
                before = text
            case .placeholder(let next):
                if next != .channel, rules.endsWithNumber(before) {
                    throw error("a number stands right before {\(next.rawValue)}, and would be heard as a part of it")
                }
                placeholder = next
                before = ""
            case .suffix(let name):
                guard placeholder == .count || placeholder == .number,
                    let form = suffixes[name]?.forms.first(where: { rules.hasNumber($0.text) })
                else { continue }
                throw error(
                    "the suffix \(name) says a number, \(form.text.excerpt), which would be heard as a part of the one "
                        + "before it")
            }
        }
    }

    fileprivate func refuseAmount(in text: String, by rules: TextRules) throws(YAMLError) {
        guard let words = rules.amount(in: text) else { return }
        throw error("says an amount of its own, \(words.excerpt); only {amount} and {total} may")
    }
}
