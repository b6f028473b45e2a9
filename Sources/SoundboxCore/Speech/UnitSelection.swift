/// Covers a text with the fewest recorded phrases.
///
/// A phrase recorded whole carries its own rhythm and tone sandhi, so fewer and longer recordings sound better. Of
/// several coverings with the same number, the one whose first phrase is longest wins, then the second, and so on:
/// the choice is stable. Time is linear in the text for phrases of bounded length.
public struct UnitSelection: Sendable {
    /// Whether spaces and hyphens separate words, so that a phrase may only begin and end at one.
    private let wordsAreSpaced: Bool
    private let trie: PhraseTrie

    /// - Parameter phrases: what there is a recording for. Their indices are what ``cover(_:)`` returns.
    public init(phrases: [String], wordsAreSpaced: Bool) {
        self.wordsAreSpaced = wordsAreSpaced
        trie = PhraseTrie(phrases)
    }

    /// The indices of the phrases to play, in order.
    /// - Throws: ``SpeechError/missingPhrase(_:)`` with the text from the first place that nothing covers.
    public func cover(_ text: String) throws(SpeechError) -> [Int] {
        var phrases: [Int] = []
        try cover(Array(text.utf8)[...]) { phrases.append($0) }
        return phrases
    }

    /// Calls `body` with each phrase to play, in order; not at all when it throws.
    /// - Parameter text: valid UTF-8.
    func cover(_ text: ArraySlice<UInt8>, _ body: (Int) -> Void) throws(SpeechError) {
        guard !text.isEmpty else { return }
        if let rest = uncovered(text, body) { throw .missingPhrase(rest) }
    }

    /// The work of ``cover(_:_:)``, with the text that nothing covers as its result: `withUnsafeTemporaryAllocation`
    /// hands on the type of an error from Swift 6.3 on only.
    private func uncovered(_ text: ArraySlice<UInt8>, _ body: (Int) -> Void) -> String? {
        withUnsafeTemporaryAllocation(of: PhraseTrie.Letter.self, capacity: text.count) { buffer in
            let letters = UnsafeBufferPointer(rebasing: buffer[..<trie.write(text, to: buffer)])
            return withUnsafeTemporaryAllocation(of: Choice.self, capacity: letters.count + 1) { best in
                choose(for: letters, best)
                guard best[0].isPossible else { return uncoverable(letters, of: text) }
                var place = 0
                while place < letters.count {
                    let choice = best[place]
                    if choice.phrase >= 0 { body(Int(choice.phrase)) }
                    place += Int(choice.length)
                }
                return nil
            }
        }
    }

    /// From the end to the start: the fewest phrases that cover the text from each place on.
    private func choose(for letters: UnsafeBufferPointer<PhraseTrie.Letter>, _ best: UnsafeMutableBufferPointer<Choice>)
    {
        best[letters.count] = Choice(count: 0, length: 0, phrase: -1)
        for start in letters.indices.reversed() {
            var choice = Choice.none
            if letters[start] == PhraseTrie.separator {
                let rest = best[start + 1]
                if rest.isPossible { choice = Choice(count: rest.count, length: 1, phrase: -1) }
            } else if isBoundary(start, in: letters) {
                trie.forEachMatch(in: letters, at: start) { phrase, end in
                    let rest = best[end]
                    // Matches come shortest first, so that the longest wins a tie.
                    guard rest.isPossible, rest.count < choice.count, isBoundary(end, in: letters) else { return }
                    choice = Choice(count: rest.count + 1, length: Int32(end - start), phrase: phrase)
                }
            }
            best[start] = choice
        }
    }

    private struct Choice {
        /// How many phrases cover the text from here on.
        var count: Int32
        /// In letters.
        var length: Int32
        /// -1 for a separator.
        var phrase: Int32

        static let none = Choice(count: .max, length: 0, phrase: -1)
        var isPossible: Bool { count < .max }
    }

    /// The text from the furthest place that phrases reach and none continues.
    private func uncoverable(_ letters: UnsafeBufferPointer<PhraseTrie.Letter>, of text: ArraySlice<UInt8>) -> String {
        var reachable = [Bool](repeating: false, count: letters.count + 1)
        reachable[0] = true
        var furthest = 0
        for start in letters.indices where reachable[start] {
            furthest = start
            if letters[start] == PhraseTrie.separator { reachable[start + 1] = true }
            trie.forEachMatch(in: letters, at: start) { _, end in
                if isBoundary(end, in: letters) { reachable[end] = true }
            }
        }
        return String(String(decoding: text, as: UTF8.self).unicodeScalars.dropFirst(furthest))
    }

    private func isBoundary(_ place: Int, in letters: UnsafeBufferPointer<PhraseTrie.Letter>) -> Bool {
        !wordsAreSpaced || place == 0 || place == letters.count || letters[place] == PhraseTrie.separator
            || letters[place - 1] == PhraseTrie.separator
    }
}
