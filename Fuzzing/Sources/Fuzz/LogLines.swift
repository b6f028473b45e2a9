import SoundboxLogging

extension FuzzTarget {
    /// Lines of the log. What reads as a line is written again as the same bytes; and whatever somebody puts into a
    /// message and its pairs, parted by NULs here, is read back as that and nothing else.
    static let logline = FuzzTarget(name: "logline") { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        if let line = LogLine(parsing: text) { precondition(line.encoded.utf8.elementsEqual(text.utf8)) }

        let parts = bytes.split(separator: 0, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        let pairs = stride(from: 1, to: parts.count - 1, by: 2).map { LogLine.Pair(parts[$0], parts[$0 + 1]) }
        let line = LogLine(time: nil, level: .info, message: parts[0], pairs: pairs)
        let encoded = line.encoded
        precondition(encoded.utf8.count < LogLine.mostBytes)
        precondition(encoded.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
        guard let read = LogLine(parsing: encoded) else { preconditionFailure("what is written cannot be read") }
        precondition(read.pairs.count + read.pairsLeftOut == pairs.count)
        check(read.message, line.message)
        for (read, written) in zip(read.pairs, pairs) {
            check(read.key, written.key)
            check(read.value, written.value)
        }
    }

    /// What is read is what was written, or its beginning and how much of it is missing.
    private static func check(_ read: LogLine.Text, _ written: LogLine.Text) {
        precondition(written.text.utf8.starts(with: read.text.utf8))
        precondition(read.text.utf8.count + read.bytesLeftOut == written.text.utf8.count)
    }
}
