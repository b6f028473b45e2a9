/// The WAV files of `soundbox-speak` and espeak-ng: 16-bit mono PCM at 8–48 kHz.
///
///     let bytes = WAV.bytes(of: sound)
///     WAV.sound(from: bytes, longest: .seconds(30)) == sound
///
/// Layout: "Multimedia Programming Interface and Data Specifications 1.0", chapter 2.
public enum WAV {
    /// Frames per second.
    public static let rates = 8000...48_000
    private static let headerSize = 44

    /// The most bytes that ``bytes(of:)`` writes for a sound of this length.
    public static func mostBytes(for longest: Duration) -> Int {
        headerSize + 2 * frames(in: longest, at: rates.upperBound)
    }

    /// Rounded down.
    public static func frames(in duration: Duration, at rate: Int) -> Int {
        let (seconds, attoseconds) = min(max(duration, .zero), .seconds(3600)).components
        return Int(seconds) * rate + Int(attoseconds / 1_000_000_000) * rate / 1_000_000_000
    }

    public static func bytes(of sound: PCMSound) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let size = 2 * sound.samples.count
        // PCM, one channel; then frames and bytes per second, bytes per frame, bits per sample.
        let format =
            number(1, 2) + number(1, 2) + number(sound.sampleRate, 4) + number(2 * sound.sampleRate, 4) + number(2, 2)
            + number(16, 2)
        var bytes = Array("RIFF".utf8) + number(headerSize - 8 + size, 4) + Array("WAVEfmt ".utf8)
        bytes += number(format.count, 4) + format + Array("data".utf8) + number(size, 4)
        bytes.reserveCapacity(bytes.count + size)
        for sample in sound.samples {
            bytes.append(UInt8(truncatingIfNeeded: sample))
            bytes.append(UInt8(truncatingIfNeeded: sample >> 8))
        }
        return bytes
    }

    /// Reads the samples from the data chunk to its end, or to the end of the bytes: espeak-ng does not know the length
    /// when it writes the header, and claims the largest one.
    /// - Returns: `nil` for any other file, and for a sound that is longer than `longest`.
    public static func sound(from bytes: [UInt8], longest: Duration) -> PCMSound? {
        func number(at offset: Int, _ count: Int) -> Int {
            bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        guard bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WAVE".utf8) else { return nil }
        var offset = 12
        var rate: Int?
        while offset + 8 <= bytes.count {
            let size = number(at: offset + 4, 4)
            let content = offset + 8
            if bytes[offset...].starts(with: "data".utf8) {
                let count = min(size, bytes.count - content) / 2
                guard let rate, count <= frames(in: longest, at: rate) else { return nil }
                let samples = [Int16](unsafeUninitializedCapacity: count) { buffer, initialized in
                    for index in 0..<count {
                        let place = content + 2 * index
                        buffer[index] = Int16(bitPattern: UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8)
                    }
                    initialized = count
                }
                return PCMSound(samples: samples, sampleRate: rate)
            }
            if bytes[offset...].starts(with: "fmt ".utf8) {
                guard size >= 16, content + 16 <= bytes.count, number(at: content, 2) == 1,
                    number(at: content + 2, 2) == 1, number(at: content + 14, 2) == 16,
                    rates.contains(number(at: content + 4, 4))
                else { return nil }
                rate = number(at: content + 4, 4)
            }
            // Chunks begin at even offsets.
            offset = content + size + size % 2
        }
        return nil
    }
}

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
    private let mayBeCutOff: Bool
    /// The end of the form according to its header. What follows is in no chunk, but libsndfile reads it as well.
    /// Usually it is sound whose writer was killed before it could count it.
    private let formEnd: Int

    /// - Returns: what is wrong with a file in memory, in words; `nil` when nothing is.
    package static func problem(in bytes: [UInt8]) -> String? {
        problem(size: bytes.count) { offset, count in
            offset + count <= bytes.count ? Array(bytes[offset..<offset + count]) : nil
        }
    }

    /// - Parameters:
    ///   - size: of the file, in bytes.
    ///   - mayBeCutOff: lets sound pass of which less is there than its header says.
    package static func problem(size: Int, mayBeCutOff: Bool = true, _ read: @escaping Reading) -> String? {
        guard let form = header(at: 0, with: read), form.name == "RIFF" else { return nil }
        // Some recorders never go back to write the length.
        let chunks = RIFFChunks(
            read: read, size: size, mayBeCutOff: mayBeCutOff, formEnd: form.size == 0 ? size : 8 + form.size)
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
                if chunk.name == "data", mayBeCutOff { return nil }
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
