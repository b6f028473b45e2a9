import Glibc

/// Looks over the chunks of a WAV file before libsndfile does: its release 1.2 never comes back from a `LIST` chunk with a
/// part that claims to be almost 4 GiB long.
///
/// Layout: RIFF, "Multimedia Programming Interface and Data Specifications 1.0", chapter 2. Other containers pass.
struct RIFFChunks {
    /// More than any recorder writes; what follows them would only cost time.
    private static let limit = 1000

    private let file: Int32
    private let size: Int

    /// - Returns: what is wrong, in words; `nil` when nothing is. Blocks on the disk; leaves the file's position alone.
    static func problem(in file: Int32) -> String? {
        var status = stat()
        guard fstat(file, &status) == 0 else { return nil }
        let chunks = RIFFChunks(file: file, size: Int(status.st_size))
        guard let header = chunks.header(at: 0), header.name == "RIFF" else { return nil }
        return chunks.problem(from: 12, to: chunks.size, looksIntoLists: true)
    }

    /// - Parameter looksIntoLists: one level is all that libsndfile looks into.
    private func problem(from start: Int, to end: Int, looksIntoLists: Bool) -> String? {
        var offset = start
        for _ in 0..<Self.limit {
            guard offset + 8 <= end, let chunk = header(at: offset) else { return nil }
            let room = end - offset - 8
            guard chunk.size <= room else {
                // A recording that was cut off, or streamed by a recorder that did not know its length.
                if chunk.name == "data" { return nil }
                return "its chunk \"\(chunk.name)\" claims \(chunk.size) bytes where \(room) are left"
            }
            if looksIntoLists, chunk.name == "LIST",
                let problem = problem(from: offset + 12, to: offset + 8 + chunk.size, looksIntoLists: false)
            {
                return problem
            }
            // Chunks begin at even places.
            offset += 8 + chunk.size + chunk.size % 2
        }
        return "it has more than \(Self.limit) chunks"
    }

    private func header(at offset: Int) -> (name: String, size: Int)? {
        var bytes = [UInt8](repeating: 0, count: 8)
        guard pread(file, &bytes, 8, off_t(offset)) == 8 else { return nil }
        let name = String(
            decoding: bytes[..<4].map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
        return (name, bytes[4...].reversed().reduce(0) { $0 << 8 | Int($1) })
    }
}
