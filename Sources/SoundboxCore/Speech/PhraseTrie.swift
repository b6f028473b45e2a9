/// Phrases as a tree of letters: which of them begin at a place in a text.
///
/// A letter is a Unicode scalar: no phrase begins or ends inside one, and a Chinese text has a third as many as bytes.
/// The tree's edges lie in one hash table with open addressing, so that memory grows with the phrases alone and a step
/// mostly touches one cache line.
struct PhraseTrie: Sendable {
    typealias Letter = UInt32

    /// Hyphens join words as spaces do: "twenty-three" is two words.
    static let separator = Letter(UInt8(ascii: " "))

    private struct Edge: Sendable {
        /// Node and letter; `empty` where there is no edge.
        var key: UInt64
        /// The node that it leads to; 0, the root, where that has no edges.
        var node: UInt32
        /// The phrase that ends there, or -1.
        var phrase: Int32

        static let empty = UInt64.max
    }

    private var edges: [Edge]
    /// Turns a hash into an index: keeps its upper bits.
    private let shift: UInt64

    init(_ phrases: [String]) {
        var nodes: [UInt64: UInt32] = [:]
        var ends: [UInt32: Int32] = [:]
        for (index, phrase) in phrases.enumerated() where !phrase.isEmpty {
            var node: UInt32 = 0
            for scalar in phrase.unicodeScalars {
                let key = Self.key(node, Self.letter(scalar.value))
                node = nodes[key] ?? UInt32(nodes.count + 1)
                nodes[key] = node
            }
            // The first of two equal phrases is kept; the voice check reports the second.
            if ends[node] == nil { ends[node] = Int32(index) }
        }
        let parents = Set(nodes.keys.map { UInt32($0 >> Self.letterBits) })
        // At most a quarter full, so that a search that finds nothing soon meets an empty place.
        var bits: UInt64 = 1
        while 1 << bits < nodes.count * 4 { bits += 1 }
        shift = 64 - bits
        edges = [Edge](repeating: Edge(key: Edge.empty, node: 0, phrase: -1), count: 1 << bits)
        for (key, node) in nodes {
            var place = self.place(of: key)
            while edges[place].key != Edge.empty { place = (place + 1) & (edges.count - 1) }
            edges[place] = Edge(key: key, node: parents.contains(node) ? node : 0, phrase: ends[node] ?? -1)
        }
    }

    /// Writes the letters of a text and tells how many they are.
    /// - Parameter text: valid UTF-8.
    /// - Parameter letters: as long as the text at least.
    func write(_ text: ArraySlice<UInt8>, to letters: UnsafeMutableBufferPointer<Letter>) -> Int {
        var count = 0
        var place = text.startIndex
        func continuation(_ offset: Int) -> Letter { Letter(text[place + offset] & 0x3F) }
        while place < text.endIndex {
            let first = Letter(text[place])
            switch first {
            case ..<0x80:
                letters[count] = Self.letter(first)
                place += 1
            case ..<0xE0:
                letters[count] = (first & 0x1F) << 6 | continuation(1)
                place += 2
            case ..<0xF0:
                letters[count] = (first & 0x0F) << 12 | continuation(1) << 6 | continuation(2)
                place += 3
            default:
                letters[count] = (first & 0x07) << 18 | continuation(1) << 12 | continuation(2) << 6 | continuation(3)
                place += 4
            }
            count += 1
        }
        return count
    }

    /// Calls `body` with each phrase that stands in `text` at `start` and the place where it ends, shortest first.
    func forEachMatch(
        in text: UnsafeBufferPointer<Letter>, at start: Int, _ body: (_ phrase: Int32, _ end: Int) -> Void
    ) {
        edges.withUnsafeBufferPointer { edges in
            var node: UInt32 = 0
            for end in start..<text.count {
                let key = Self.key(node, text[end])
                var place = place(of: key)
                while edges[place].key != key {
                    if edges[place].key == Edge.empty { return }
                    place = (place + 1) & (edges.count - 1)
                }
                let edge = edges[place]
                if edge.phrase >= 0 { body(edge.phrase, end + 1) }
                if edge.node == 0 { return }
                node = edge.node
            }
        }
    }

    /// Fibonacci hashing (Knuth, The Art of Computer Programming, 6.4).
    private func place(of key: UInt64) -> Int { Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> shift) }

    private static func letter(_ scalar: UInt32) -> Letter {
        scalar == UInt32(UInt8(ascii: "-")) ? separator : scalar
    }

    private static func key(_ node: UInt32, _ letter: Letter) -> UInt64 { UInt64(node) << letterBits | UInt64(letter) }

    /// A Unicode scalar has 21 bits.
    private static let letterBits: UInt64 = 21
}
