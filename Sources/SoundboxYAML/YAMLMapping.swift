/// A mapping whose every key must be asked for: what is left over when reading ends is a spelling mistake.
public struct YAMLMapping {
    public let value: YAMLValue
    public let entries: [(key: String, value: YAMLValue)]

    init(value: YAMLValue, entries: [(key: String, value: YAMLValue)]) {
        self.value = value
        self.entries = entries
    }

    public func optional(_ key: String) -> YAMLValue? {
        value.reading.asked.insert(value.path + [key])
        return entries.first { $0.key == key }?.value
    }

    public func required(_ key: String) throws(YAMLError) -> YAMLValue {
        if let value = optional(key) { return value }
        throw YAMLError(file: value.file, line: value.line, key: path(of: key), problem: "this key is missing")
    }

    /// Refuses every key outside `known`, naming the nearest known one.
    public func allow(only known: [String]) throws(YAMLError) {
        value.reading.asked.formUnion(known.map { value.path + [$0] })
        guard !value.reading.toleratesUnknownKeys else { return }
        for entry in entries where !known.contains(entry.key) {
            let hint =
                nearest(to: entry.key, among: known).map { "did you mean \"\($0)\"?" }
                ?? "expected one of \(known.joined(separator: ", "))"
            var error = entry.value.error("unknown key; \(hint)")
            if value.reading.isConfidential, !KeyName(entry.key).isMadeOf(wordsOf: known) {
                error.key = path(of: "«a key that is not shown»")
            }
            throw error
        }
    }

    private func path(of key: String) -> String {
        value.key.isEmpty ? key : "\(value.key).\(key)"
    }
}

/// The candidate that differs from `word` in the fewest letters; `nil` when none is near enough to be meant.
func nearest(to word: String, among candidates: [String]) -> String? {
    let ranked = candidates.map { ($0, editDistance(word, $0)) }.min { $0.1 < $1.1 }
    guard let (candidate, distance) = ranked, distance <= max(1, word.count / 2) else { return nil }
    return candidate
}

/// Levenshtein's distance, letter by letter.
func editDistance(_ left: String, _ right: String) -> Int {
    let right = Array(right)
    var row = Array(0...right.count)
    for (i, letter) in left.enumerated() {
        var diagonal = row[0]
        row[0] = i + 1
        for (j, other) in right.enumerated() {
            let substituted = diagonal + (letter == other ? 0 : 1)
            diagonal = row[j + 1]
            row[j + 1] = min(substituted, row[j] + 1, row[j + 1] + 1)
        }
    }
    return row[right.count]
}
