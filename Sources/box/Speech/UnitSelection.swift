import SoundboxCore

/// Covers a text with the recorded phrases that sound best together.
///
///     let units = UnitSelection(phrases: ["twenty", "three", "twenty-three"], wordsAreSpaced: true)
///     let indices = try units.cover(Array("twenty-three".unicodeScalars)[...])  // [2]
///
/// A phrase that is recorded as a whole has its own rhythm and tone sandhi, so the fewest recordings win. Among
/// coverings with equally many, the order of preference is: one that ends with an ending, the fewest digits cut from
/// their places, the fewest single syllables, the longest first phrase, the longest second one, and so on. The choice
/// is deterministic.
struct UnitSelection: Sendable {
    /// No phrase begins or ends inside one.
    typealias Letter = Unicode.Scalar

    private struct Phrase: Sendable {
        let letters: [Letter]
        /// Its index in the list of phrases.
        let index: Int
        let isEnding: Bool
    }

    /// What makes a covering worse. One more recording weighs more than everything else in an announcement.
    private enum Cost {
        static let recording = 1000
        /// The last recording is not one that was spoken as an ending: its melody sounds unfinished.
        static let openEnd = 100
        /// A digit ends a recording before its place word: 零七, 十二 is heard as other numbers; 零, 七十二 is not.
        static let cutPlace = 20
        /// A syllable spoken alone, the hardest to understand: 四十, 五元 instead of 四十五, 元.
        static let loneLetter = 10
    }

    /// Whether spaces and hyphens separate words, so that a phrase may only begin and end at one.
    private let wordsAreSpaced: Bool
    /// Those that may stand anywhere, by their first letter, the shortest first; of two equal phrases, only the first in
    /// the list.
    private let phrases: [Letter: [Phrase]]
    /// Those that were spoken as the end of a sentence, by all their letters: a voice may have a thousand, and what is
    /// left of a text is one of them or none.
    private let endings: [[Letter]: Phrase]
    /// The words that follow a digit and raise its value: 十, 百. Only if words are not spaced.
    private let places: [[Letter]]

    /// - Parameters:
    ///   - phrases: the recorded phrases. ``cover(_:)`` returns their indices.
    ///   - endings: indices of phrases that were spoken as the end of a sentence, and are used only there.
    ///   - places: the words that the number rules put right after a digit.
    init(phrases: [String], endings: Set<Int> = [], places: [String] = [], wordsAreSpaced: Bool) {
        self.wordsAreSpaced = wordsAreSpaced
        self.places = wordsAreSpaced ? [] : places.map { Self.normalized($0.unicodeScalars) }.filter { !$0.isEmpty }
        var known: [Bool: Set<[Letter]>] = [:]
        let distinct = phrases.enumerated().compactMap { index, text -> Phrase? in
            let letters = Self.normalized(text.unicodeScalars)
            let isEnding = endings.contains(index)
            // The first of two equal phrases is kept; the voice check reports the second.
            return letters.isEmpty || !known[isEnding, default: []].insert(letters).inserted
                ? nil : Phrase(letters: letters, index: index, isEnding: isEnding)
        }
        self.phrases = Dictionary(grouping: distinct.filter { !$0.isEnding }) { $0.letters[0] }.mapValues { phrases in
            phrases.sorted { $0.letters.count < $1.letters.count }
        }
        self.endings = Dictionary(
            uniqueKeysWithValues: distinct.filter(\.isEnding).map { ($0.letters, $0) })
    }

    /// A chosen phrase.
    struct Unit: Sendable, Equatable {
        /// Its index in the list of phrases.
        var phrase: Int
        /// The letters of the text that it covers, in the text's own indices.
        var place: Range<Int>
    }

    /// The indices of the phrases to play, in order.
    /// - Throws: ``SpeechError/missingPhrase(_:)`` with the text from the first place that nothing covers.
    func cover(_ text: ArraySlice<Letter>) throws(SpeechError) -> [Int] { try units(for: text).map(\.phrase) }

    /// The phrases to play, in order, with what each of them covers.
    /// - Throws: as ``cover(_:)``.
    func units(for text: ArraySlice<Letter>) throws(SpeechError) -> [Unit] {
        let letters = Self.normalized(text)
        let best = choices(for: letters)
        guard best[0] != nil else { throw .missingPhrase(uncoverable(letters, of: text)) }
        var units: [Unit] = []
        var place = 0
        while place < letters.count, let choice = best[place] {
            let begin = text.startIndex + place
            if let phrase = choice.phrase { units.append(Unit(phrase: phrase, place: begin..<begin + choice.length)) }
            place += choice.length
        }
        return units
    }

    private struct Choice {
        /// Of everything that covers the text from here on.
        var cost: Int
        /// In letters.
        var length: Int
        /// `nil` for a separator.
        var phrase: Int?
    }

    /// The best choice at each place, and at the end; `nil` if there is none. Computed from the end to the start.
    private func choices(for letters: [Letter]) -> [Choice?] {
        var best = [Choice?](repeating: nil, count: letters.count + 1)
        best[letters.count] = Choice(cost: 0, length: 0)
        let textEnd = Self.textEnd(letters)
        for start in letters.indices.reversed() {
            if letters[start] == Self.separator {
                best[start] = best[start + 1].map { Choice(cost: $0.cost, length: 1) }
            } else if isBoundary(start, in: letters) {
                let isCut = start > 0 && letters[start - 1] != Self.separator && beginsPlace(start, in: letters)
                forEachMatch(in: letters, at: start) { phrase, end in
                    guard let rest = best[end] else { return }
                    let cost =
                        rest.cost + cost(of: phrase, endsText: end == textEnd) + (isCut ? Cost.cutPlace : 0)
                    // Matches come shortest first, so the longest wins a tie.
                    if let found = best[start], found.cost < cost { return }
                    best[start] = Choice(cost: cost, length: end - start, phrase: phrase.index)
                }
            }
        }
        return best
    }

    private func cost(of phrase: Phrase, endsText: Bool) -> Int {
        Cost.recording + (endsText && !phrase.isEnding ? Cost.openEnd : 0)
            + (!wordsAreSpaced && phrase.letters.count == 1 ? Cost.loneLetter : 0)
    }

    /// The text from the furthest place that phrases reach and none continues.
    private func uncoverable(_ letters: [Letter], of text: ArraySlice<Letter>) -> String {
        var reachable = [Bool](repeating: false, count: letters.count + 1)
        reachable[0] = true
        var furthest = 0
        for start in letters.indices where reachable[start] {
            furthest = start
            if letters[start] == Self.separator { reachable[start + 1] = true }
            forEachMatch(in: letters, at: start) { _, end in reachable[end] = true }
        }
        var rest = String.UnicodeScalarView()
        rest.append(contentsOf: text.dropFirst(furthest))
        return String(rest)
    }

    /// Calls `body` with each phrase that may stand in the text at `start` and the place where it ends, shortest first, an
    /// ending behind another of the same length.
    private func forEachMatch(in letters: [Letter], at start: Int, _ body: (_ phrase: Phrase, _ end: Int) -> Void) {
        for phrase in phrases[letters[start]] ?? [] {
            let end = start + phrase.letters.count
            if end > letters.count { break }
            if isBoundary(end, in: letters), letters[start..<end].elementsEqual(phrase.letters) {
                body(phrase, end)
            }
        }
        let textEnd = Self.textEnd(letters)
        if start < textEnd, let ending = endings[Array(letters[start..<textEnd])] { body(ending, textEnd) }
    }

    private func isBoundary(_ place: Int, in letters: [Letter]) -> Bool {
        !wordsAreSpaced || place == 0 || place == letters.count || letters[place] == Self.separator
            || letters[place - 1] == Self.separator
    }

    private func beginsPlace(_ start: Int, in letters: [Letter]) -> Bool {
        places.contains { letters[start...].starts(with: $0) }
    }

    private static let separator: Letter = " "

    /// After the last letter that is no separator.
    private static func textEnd(_ letters: [Letter]) -> Int {
        letters.lastIndex { $0 != separator }.map { $0 + 1 } ?? 0
    }

    /// Hyphens join words as spaces do: "twenty-three" is two words.
    private static func normalized(_ text: some Sequence<Letter>) -> [Letter] {
        text.map { $0 == "-" ? separator : $0 }
    }
}
