/// A word or phrase to look for in a folded text.
struct FoldedWord: Sendable {
    let units: [FoldedText.Unit]

    /// `nil` for what has no letter.
    init?(_ text: String) {
        units = FoldedText(text).units.filter { $0.kind != .separator }
        guard units.contains(where: { if case .letter = $0.kind { true } else { false } }) else { return nil }
    }
}

extension FoldedText {
    /// How a word is looked for.
    struct Search: Sendable {
        /// Marks tell words apart, as in Vietnamese: đồng is no đóng.
        var marksMatter = false
        /// Digits between letters are passed over: dao4zhang4.
        var passesDigits = false
        /// The word may begin in the middle of letters.
        var startsAnywhere = false
    }

    /// Where a word that stands here ends; `nil` when it does not stand here. Separators between letters are passed over.
    func end(of word: FoldedWord, at start: Int, _ search: Search, endsAnywhere: Bool = false) -> Int? {
        guard start < units.count else { return nil }
        var place = start
        for (index, letter) in word.units.enumerated() {
            if index > 0 {
                while place < units.count,
                    units[place].kind == .separator || search.passesDigits && units[place].kind == .digit
                {
                    place += 1
                }
            }
            guard place < units.count, matches(units[place], letter, search) else { return nil }
            place += 1
        }
        if !search.startsAnywhere, word.units.first?.isSpacedLetter == true, start > 0, units[start - 1].isSpacedLetter
        {
            return nil
        }
        if !endsAnywhere, word.units.last?.isSpacedLetter == true, place < units.count, units[place].isSpacedLetter {
            return nil
        }
        return place
    }

    /// The first place of any of the words.
    func firstRange(of words: [FoldedWord], _ search: Search, from first: Int = 0) -> Range<Int>? {
        for start in first..<units.count {
            for word in words {
                if let end = end(of: word, at: start, search) { return start..<end }
            }
        }
        return nil
    }

    private func matches(_ unit: Unit, _ letter: Unit, _ search: Search) -> Bool {
        guard unit.kind == letter.kind else { return false }
        if unit.exact == letter.exact { return true }
        return unit.plain == letter.plain && !(search.marksMatter && unit.exact != unit.plain)
    }

    /// The same text, in which nothing reaches into these words or across them.
    func barring(_ words: [FoldedWord], _ search: Search) -> FoldedText {
        var barred = self
        for start in units.indices {
            for word in words {
                guard let end = end(of: word, at: start, search) else { continue }
                for place in start..<end { barred.units[place].kind = .barrier }
            }
        }
        return barred
    }
}
