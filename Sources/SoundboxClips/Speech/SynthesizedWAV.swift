import SoundboxCore

/// What espeak-ng writes: a WAV file whose lengths are not true, since it does not know them when it begins.
///
/// Layout: "Multimedia Programming Interface and Data Specifications 1.0", chapter 2.
enum SynthesizedWAV {
    /// - Returns: the samples from the data chunk to the end of the bytes; `nil` for anything but 16-bit mono PCM at a rate
    ///   of 8–48 kHz.
    static func sound(from bytes: [UInt8]) -> PCMSound? {
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
                guard let rate else { return nil }
                let end = size < bytes.count - content ? content + size : bytes.count
                let samples = stride(from: content, to: end - 1, by: 2).map {
                    Int16(truncatingIfNeeded: number(at: $0, 2))
                }
                return PCMSound(samples: samples, sampleRate: rate)
            }
            if bytes[offset...].starts(with: "fmt ".utf8) {
                guard size >= 16, content + 16 <= bytes.count, number(at: content, 2) == 1,
                    number(at: content + 2, 2) == 1, number(at: content + 14, 2) == 16,
                    DecodedClip.rates.contains(number(at: content + 4, 4))
                else { return nil }
                rate = number(at: content + 4, 4)
            }
            // Chunks begin at even places.
            offset = content + size + size % 2
        }
        return nil
    }
}
