/// A mapping that records which of its keys were read. A key that is left over at the end is a spelling mistake.
///
///     let top = try value.mapping()
///     let volume = try top.read("volume") { try $0.integer(in: 0...100) } ?? 80
///     try top.refuseOtherKeys()
///
/// So each key occurs once in the code: where it is read.
public struct YAMLMapping {
    public let value: YAMLValue
    /// All entries, for a mapping whose keys are data: currencies, channels.
    public let entries: [(key: String, value: YAMLValue)]

    init(value: YAMLValue, entries: [(key: String, value: YAMLValue)]) {
        self.value = value
        self.entries = entries
    }

    public func optional(_ key: String) -> YAMLValue? {
        value.reading.ask(for: key, in: value.path)
        return entries.first { $0.key == key }?.value
    }

    /// Reads a key, with its range and default in one expression:
    ///
    ///     volume = try audio.read("volume") { try $0.integer(in: 0...100) } ?? 80
    ///
    /// - Parameter read: an error of another type is given the place of the value.
    /// - Returns: `nil` without such a key; if mistakes are tolerated, also for a value that cannot be read.
    public func read<Value>(_ key: String, _ read: (YAMLValue) throws -> Value) throws(YAMLError) -> Value? {
        guard let value = optional(key) else { return nil }
        do { return try read(value) } catch {
            if value.reading.toleratesMistakes { return nil }
            throw error as? YAMLError ?? value.error("\(error)")
        }
    }

    /// A mapping whose keys are all optional; an empty one if the key is missing.
    public func section(_ key: String) throws(YAMLError) -> YAMLMapping {
        try read(key) { try $0.mapping() } ?? YAMLMapping(value: value.missing(key), entries: [])
    }

    /// - Throws: ``YAMLError`` when there is no such key. It names a similar key, or the key's beginning, if one is
    ///   there instead.
    public func required(_ key: String) throws(YAMLError) -> YAMLValue {
        if let value = optional(key) { return value }
        if value.reading.toleratesMistakes { return value.missing(key) }
        let left = others
        if let slip = nearest(to: key, among: left.map(\.key), within: 1) ?? left.map(\.key).first(where: key.isCutTo),
            let entry = left.first(where: { $0.key == slip })
        {
            throw error(unknown: entry)
        }
        throw YAMLError(file: value.file, line: value.line, key: path(of: key), problem: "this key is missing")
    }

    /// Refuses every key that was not read. Call it when all keys have been read, before checking them together.
    /// - Throws: ``YAMLError`` that suggests the nearest of the keys that were read.
    public func refuseOtherKeys() throws(YAMLError) {
        value.reading.finished.insert(value.path)
        guard !value.reading.toleratesMistakes, let entry = others.first else { return }
        throw error(unknown: entry)
    }

    /// The entries that were not read so far.
    private var others: [(key: String, value: YAMLValue)] {
        entries.filter { !value.reading.isAsked($0.key, in: value.path) }
    }

    private func error(unknown entry: (key: String, value: YAMLValue)) -> YAMLError {
        let known = value.reading.asked[value.path] ?? []
        let hint =
            nearest(to: entry.key, among: known, within: max(1, entry.key.count / 2)).map { "did you mean \"\($0)\"?" }
            ?? "expected one of \(known.joined(separator: ", "))"
        var error = entry.value.error("unknown key; \(hint)")
        if value.reading.isConfidential, !KeyName(entry.key).isMadeOf(wordsOf: known) {
            error.key = path(of: "«a key that is not shown»")
        }
        return error
    }

    private func path(of key: String) -> String {
        value.key.isEmpty ? key : "\(value.key).\(key)"
    }
}

extension String {
    /// Whether `other` is this without its last words: `device` for `device_id`.
    fileprivate func isCutTo(_ other: String) -> Bool { hasPrefix(other + "_") }
}

/// The candidate that differs from `word` in the fewest letters; `nil` when none is near enough.
func nearest(to word: String, among candidates: [String], within limit: Int) -> String? {
    let ranked = candidates.map { ($0, editDistance(word, $0)) }.min { $0.1 < $1.1 }
    guard let (candidate, distance) = ranked, distance <= limit else { return nil }
    return candidate
}

/// The Levenshtein distance, letter by letter.
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
