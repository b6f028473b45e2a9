import SoundboxCore

/// Finds the words of the voices in one text.
struct TextSearch {
    /// The letters of a word, whether or not they form a word there.
    private struct Match {
        let word: SpokenWords.Word
        let range: Range<Int>
        /// Whether something stands between its letters.
        let isSpread: Bool
    }

    private let text: FoldedText
    private let words: SpokenWords
    private let author: TextRules.Author
    private var matches: [Match] = []
    /// Where matches begin and end that may make adjacent letters a word: fivehundred.
    private var begins: Set<Int> = []
    private var ends: Set<Int> = []
    /// For each unit, whether it belongs to a number.
    private var isNumber: [Bool]

    init(_ text: String, _ words: SpokenWords, by author: TextRules.Author) {
        self.text = FoldedText(text)
        self.words = words
        self.author = author
        let units = self.text.units
        isNumber = units.map(\.isNumeral)
        for start in units.indices {
            for word in words.words[units[start].plain] ?? [] {
                guard let match = match(word, at: start) else { continue }
                matches.append(match)
                guard word.units.count > 2 || word.units[0].kind == .letter(.hangul) else { continue }
                begins.insert(start)
                ends.insert(match.range.upperBound)
            }
        }
        for match in matches where match.word.meaning == .number && stands(match) {
            for place in match.range { isNumber[place] = true }
        }
        for numeral in romanNumerals { for place in numeral { isNumber[place] = true } }
    }

    /// The first word, number or sign that the author may not write.
    var finding: TextProblem? {
        if author == .payer, let first = isNumber.firstIndex(of: true) {
            let count = isNumber[first...].prefix { $0 }.count
            return TextProblem(words: text.words(first..<first + count), meaning: .number)
        }
        let barred = matches.first { match in
            author >= match.word.barred && stands(match)
                && (!match.word.needsNumber || author == .payer || isBesideNumber(match.range))
        }
        if let barred { return TextProblem(words: text.words(barred.range), meaning: barred.word.meaning) }
        let sign = text.units.firstIndex { $0.kind == .currencySign }.map { $0..<$0 + 1 }
        let code = codes.first { author == .payer || isBesideNumber($0) }
        if let unit = sign ?? code { return TextProblem(words: text.words(unit), meaning: .unit) }
        return author == .payer ? foreign : nil
    }

    /// Letters of a script that no sentence uses: a payer's wubai or "five hundred" in a Chinese text, whose numbers
    /// are not among the words.
    private var foreign: TextProblem? {
        let isForeign = { (unit: FoldedText.Unit) in unit.block.map { !words.blocks.contains($0) } ?? false }
        guard let first = text.units.firstIndex(where: isForeign) else { return nil }
        let count = text.units[first...].prefix(while: isForeign).count
        return TextProblem(words: text.words(first..<first + count), meaning: .foreign)
    }

    /// The unit of an amount: one with a number beside it.
    var amount: String? {
        let units = matches.filter { $0.word.meaning == .unit && stands($0) }.map(\.range)
        let signs = text.units.indices.filter { text.units[$0].kind == .currencySign }.map { $0..<$0 + 1 }
        return (units + signs + codes).first(where: isBesideNumber).map(text.words)
    }

    var hasNumber: Bool { isNumber.contains(true) }

    /// Whether the text ends with a number, ignoring spaces but not punctuation after it.
    var endsWithNumber: Bool {
        let end = text.text.lastIndex { !$0.isWhitespace }
        let last = text.units.lastIndex { $0.place.lowerBound == end }
        return last.map { isNumber[$0] } ?? false
    }

    // MARK: - Matching

    /// Spaces, punctuation and pictures between letters do not hide a word.
    private func match(_ word: SpokenWords.Word, at start: Int) -> Match? {
        var place = start
        var isSpread = false
        for (index, letter) in word.units.enumerated() {
            let before = place
            if index > 0 { while place < text.units.count, text.units[place].kind == .separator { place += 1 } }
            isSpread = isSpread || place > before
            guard place < text.units.count, isAlike(text.units[place], letter) else { return nil }
            place += 1
        }
        return Match(word: word, range: start..<place, isSpread: isSpread)
    }

    /// Marks distinguish words if both have them, as in Vietnamese: đông is not đồng. A payer's marks are ignored.
    private func isAlike(_ unit: FoldedText.Unit, _ letter: FoldedText.Unit) -> Bool {
        guard unit.kind == letter.kind, unit.plain == letter.plain else { return false }
        return author == .payer || letter.exact == letter.plain || unit.exact == unit.plain
            || unit.exact == letter.exact
    }

    /// Whether the letters are a word there, and no part of another one.
    private func stands(_ match: Match) -> Bool {
        let units = match.word.units
        guard let first = units.first, let last = units.last else { return false }
        let (start, end) = (match.range.lowerBound, match.range.upperBound)
        let isGluedBefore = start > 0 && text.units[start - 1].kind == first.kind
        let isGluedBehind = end < text.units.count && text.units[end].kind == last.kind
        let touches = ends.contains(start) || begins.contains(end)
        switch first.kind {
        // 分 also means minutes.
        case .letter(.han): return !(first.plain == "分" && units.count == 1 && isGluedBehind && isMinute(end))
        // 사 is four, but not in 감사합니다.
        case .letter(.hangul): return units.count > 1 || !isGluedBefore || !isGluedBehind || touches
        case .letter(.thai): return true
        default:
            if !isGluedBefore, !isGluedBehind { return true }
            guard !match.isSpread else { return false }
            // 500 Euros
            if match.word.meaning == .unit, units.count > 3, !isGluedBefore, isBesideNumber(match.range) { return true }
            return author == .payer
                ? units.count > 3 || touches
                : units.count > 5 || units.count > 3 && touches
        }
    }

    private func isMinute(_ place: Int) -> Bool { text.units[place].plain == "钟" }

    /// Whether a number follows directly, or precedes with at most one letter between: 一百多元.
    private func isBesideNumber(_ range: Range<Int>) -> Bool {
        var letters = 0
        for place in (0..<range.lowerBound).reversed() {
            if isNumber[place] { return true }
            if text.units[place].isLetter { letters += 1 }
            if letters > 1 { break }
        }
        let behind = text.units[range.upperBound...].firstIndex { $0.kind != .separator }
        return behind.map { isNumber[$0] } ?? false
    }

    /// Words of two or more capitals that are Roman numerals, which synthesisers read as numbers: XXV.
    private var romanNumerals: [Range<Int>] {
        let digits = text.units.map { $0.isCapital && "ivxlcdm".contains($0.plain) }
        let isLetter = text.units.map { $0.kind == .letter(.spaced) }
        var found: [Range<Int>] = []
        var start = 0
        while start < digits.count {
            let end = isLetter[start...].firstIndex(of: false) ?? isLetter.count
            if end - start > 1, digits[start..<end].allSatisfy({ $0 }) { found.append(start..<end) }
            start = max(end, start + 1)
        }
        return found
    }

    /// ISO 4217 codes in capitals.
    private var codes: [Range<Int>] {
        text.units.indices.compactMap { start in
            let end = start + 3
            guard end <= text.units.count, text.units[start..<end].allSatisfy(\.isCapital),
                start == 0 || text.units[start - 1].kind != .letter(.spaced),
                end == text.units.count || text.units[end].kind != .letter(.spaced),
                Currency(text.units[start..<end].map(\.plain).joined().uppercased()) != nil
            else { return nil }
            return start..<end
        }
    }
}
