/// Checks the chunks of a WAV file before libsndfile reads them. libsndfile 1.2 never returns from a `LIST` chunk with
/// a part that claims to be almost 4 GiB long.
///
///     if let problem = RIFFChunks.problem(in: bytes) { print(problem) }
///
/// Layout: RIFF, "Multimedia Programming Interface and Data Specifications 1.0", chapter 2. Other containers pass.
package struct RIFFChunks {
    /// More than any recorder writes; reading more would only take time.
    private static let limit = 1000

    /// Reads bytes from an offset on; `nil` when there are fewer.
    package typealias Reading = (_ offset: Int, _ count: Int) -> [UInt8]?

    private let read: Reading
    private let size: Int
    /// The end of the form according to its header. What follows is in no chunk, but libsndfile reads it as well.
    /// Usually it is sound whose writer was killed before it could count it.
    private let formEnd: Int

    /// - Returns: what is wrong with a file in memory, in words; `nil` when nothing is.
    package static func problem(in bytes: [UInt8]) -> String? {
        problem(size: bytes.count) { offset, count in
            offset + count <= bytes.count ? Array(bytes[offset..<offset + count]) : nil
        }
    }

    /// - Parameter size: of the file, in bytes.
    package static func problem(size: Int, _ read: @escaping Reading) -> String? {
        guard let form = header(at: 0, with: read), form.name == "RIFF" else { return nil }
        // Some recorders never go back to write the length.
        let chunks = RIFFChunks(read: read, size: size, formEnd: form.size == 0 ? size : 8 + form.size)
        return chunks.problem(from: 12, to: chunks.size, looksIntoLists: true)
    }

    /// - Parameter looksIntoLists: whether to check the chunks inside lists; libsndfile reads one level.
    private func problem(from start: Int, to end: Int, looksIntoLists: Bool) -> String? {
        var offset = start
        for _ in 0..<Self.limit {
            guard offset + 8 <= end, let chunk = Self.header(at: offset, with: read) else { return nil }
            let room = end - offset - 8
            guard chunk.size <= room else {
                // A recording that was cut off, or streamed by a recorder that did not know its length.
                if chunk.name == "data" { return nil }
                if looksIntoLists, offset >= formEnd, chunk.name != "LIST" { return nil }
                return "its chunk \"\(chunk.name)\" claims \(chunk.size) bytes where \(room) are left"
            }
            if looksIntoLists, chunk.name == "LIST",
                let problem = problem(from: offset + 12, to: offset + 8 + chunk.size, looksIntoLists: false)
            {
                return problem
            }
            // Chunks begin at even offsets.
            offset += 8 + chunk.size + chunk.size % 2
        }
        return "it has more than \(Self.limit) chunks"
    }

    private static func header(at offset: Int, with read: Reading) -> (name: String, size: Int)? {
        guard let bytes = read(offset, 8) else { return nil }
        let name = String(
            decoding: bytes[..<4].map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
        return (name, bytes[4...].reversed().reduce(0) { $0 << 8 | Int($1) })
    }
}
