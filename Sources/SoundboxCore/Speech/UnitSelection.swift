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
        trie = PhraseTrie(phrases.map { Self.normalized($0.utf8) })
    }

    /// The indices of the phrases to play, in order.
    /// - Throws: ``SpeechError/missingPhrase(_:)`` with the text from the first place that nothing covers.
    public func cover(_ text: String) throws(SpeechError) -> [Int] {
        let bytes = Self.normalized(text.utf8)
        // From the end to the start: the fewest phrases that cover the text from each place on.
        var best = [Choice?](repeating: nil, count: bytes.count + 1)
        best[bytes.count] = Choice(count: 0, length: 0, phrase: nil)
        for start in bytes.indices.reversed() {
            if bytes[start] == Self.separator {
                best[start] = best[start + 1].map { Choice(count: $0.count, length: 1, phrase: nil) }
                continue
            }
            guard isBoundary(start, in: bytes) else { continue }
            trie.forEachMatch(in: bytes, at: start) { phrase, length in
                guard isBoundary(start + length, in: bytes), let rest = best[start + length] else { return }
                // Matches come shortest first, so `<=` lets the longest win a tie.
                if best[start].map({ rest.count + 1 <= $0.count }) ?? true {
                    best[start] = Choice(count: rest.count + 1, length: length, phrase: phrase)
                }
            }
        }
        return try phrases(chosen: best, in: bytes)
    }

    private struct Choice {
        var count: Int
        var length: Int
        var phrase: Int?
    }

    private func phrases(chosen best: [Choice?], in bytes: [UInt8]) throws(SpeechError) -> [Int] {
        var phrases: [Int] = []
        var place = 0
        guard best[0] != nil else { throw .missingPhrase(uncoverable(in: bytes)) }
        while place < bytes.count, let choice = best[place] {
            if let phrase = choice.phrase { phrases.append(phrase) }
            place += choice.length
        }
        return phrases
    }

    /// The text from the furthest place that phrases reach and none continues.
    private func uncoverable(in bytes: [UInt8]) -> String {
        var reachable = [Bool](repeating: false, count: bytes.count + 1)
        reachable[0] = true
        var furthest = 0
        for start in bytes.indices where reachable[start] {
            furthest = start
            if bytes[start] == Self.separator { reachable[start + 1] = true }
            trie.forEachMatch(in: bytes, at: start) { _, length in
                if isBoundary(start + length, in: bytes) { reachable[start + length] = true }
            }
        }
        return String(decoding: bytes[furthest...], as: UTF8.self)
    }

    private func isBoundary(_ place: Int, in bytes: [UInt8]) -> Bool {
        !wordsAreSpaced || place == 0 || place == bytes.count || bytes[place] == Self.separator
            || bytes[place - 1] == Self.separator
    }

    private static let separator = UInt8(ascii: " ")

    /// Hyphens join words as spaces do: "twenty-three" is two words.
    private static func normalized(_ text: some Sequence<UInt8>) -> [UInt8] {
        text.map { $0 == UInt8(ascii: "-") ? separator : $0 }
    }
}

/// The phrases as a tree of bytes. Bytes that occur in no phrase share column 0, which leads nowhere, so that a node
/// takes as many columns as the language has different bytes, and not 256.
private struct PhraseTrie: Sendable {
    private var columns = [UInt16](repeating: 0, count: 256)
    private var columnCount = 1
    /// `next[node * columnCount + column]`; 0 leads nowhere, since no edge leads back to the root.
    private var next: [Int32] = []
    /// The phrase that ends at a node, or -1.
    private var phraseAtNode: [Int32] = []

    init(_ phrases: [[UInt8]]) {
        for byte in phrases.joined() where columns[Int(byte)] == 0 {
            columns[Int(byte)] = UInt16(columnCount)
            columnCount += 1
        }
        addNode()
        for (index, phrase) in phrases.enumerated() where !phrase.isEmpty {
            var node = 0
            for byte in phrase {
                let edge = node * columnCount + Int(columns[Int(byte)])
                if next[edge] == 0 { next[edge] = addNode() }
                node = Int(next[edge])
            }
            // The first of two equal phrases is kept; the voice check reports the second.
            if phraseAtNode[node] < 0 { phraseAtNode[node] = Int32(index) }
        }
    }

    @discardableResult
    private mutating func addNode() -> Int32 {
        next.append(contentsOf: repeatElement(0, count: columnCount))
        phraseAtNode.append(-1)
        return Int32(phraseAtNode.count - 1)
    }

    /// Calls `body` with each phrase that stands in `text` at `start` and its length in bytes, shortest first.
    func forEachMatch(in text: [UInt8], at start: Int, _ body: (_ phrase: Int, _ length: Int) -> Void) {
        var node = 0
        for place in start..<text.count {
            node = Int(next[node * columnCount + Int(columns[Int(text[place])])])
            if node == 0 { return }
            if phraseAtNode[node] >= 0 { body(Int(phraseAtNode[node]), place - start + 1) }
        }
    }
}
