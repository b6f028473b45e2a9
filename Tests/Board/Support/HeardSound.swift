import Foundation

/// What came out of the loopback card, as the phrases of ``ToneVoice``.
struct HeardSound {
    /// Frames per second of the recordings that the tests make: mono, 16 bits, without a header.
    static let sampleRate = 48_000

    struct Phrase: Equatable {
        var text: String
        /// Seconds since the recording began.
        var start: Double
        var end: Double
        /// How much of that time it sounded.
        var heard: Double
        /// The loudest 40 ms of it, root mean square, full scale 1.
        var level: Double
    }

    /// Within one phrase: a window across the edge of a tone may be taken for none.
    private static let longestDropout = 0.1

    let phrases: [Phrase]

    var text: [String] { phrases.map(\.text) }

    init(reading path: String) throws {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let all = stride(from: 0, to: bytes.count - 1, by: 2).map {
            Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
        }
        // Every fourth: 12 kHz are enough for tones below 4 kHz.
        let step = 4
        let samples = stride(from: 0, to: all.count, by: step).map { Double(all[$0]) / 32_768 }
        let rate = Double(Self.sampleRate / step)
        let window = Int(0.04 * rate)
        let hop = window / 2
        var phrases: [Phrase] = []
        for start in stride(from: 0, through: samples.count - window, by: hop) {
            let part = samples[start..<start + window]
            let level = (part.reduce(0) { $0 + $1 * $1 } / Double(window)).squareRoot()
            guard level > 0.0005, let tone = Self.tone(of: part, level: level, rate: rate) else { continue }
            let (begin, end) = (Double(start) / rate, Double(start + window) / rate)
            if let last = phrases.last, last.text == tone, begin - last.end < Self.longestDropout,
                // Heard for longer than one phrase lasts: it was said twice.
                last.heard + min(end - last.end, end - begin) < 1.6 * ToneVoice.duration
            {
                phrases[phrases.count - 1].heard += min(end - last.end, end - begin)
                phrases[phrases.count - 1].end = end
                phrases[phrases.count - 1].level = max(last.level, level)
            } else {
                phrases.append(Phrase(text: tone, start: begin, end: end, heard: end - begin, level: level))
            }
        }
        // A window across two tones may resemble a third.
        self.phrases = phrases.filter { $0.heard > 0.1 }
    }

    /// The tone that makes up most of these samples, by Goertzel's algorithm; `nil` when none does.
    private static func tone(of samples: ArraySlice<Double>, level: Double, rate: Double) -> String? {
        var best: (phrase: String, power: Double)?
        for (phrase, frequency) in ToneVoice.tones {
            let coefficient = 2 * cos(2 * .pi * frequency / rate)
            var (previous, beforePrevious) = (0.0, 0.0)
            for sample in samples {
                (previous, beforePrevious) = (sample + coefficient * previous - beforePrevious, previous)
            }
            let power = previous * previous + beforePrevious * beforePrevious - coefficient * previous * beforePrevious
            if power > best?.power ?? 0 { best = (phrase, power) }
        }
        guard let best else { return nil }
        // A pure tone of this level has amplitude √2 · level, and n samples of it a power of (n · amplitude / 2)².
        let pure = Double(samples.count * samples.count) * level * level / 2
        return best.power > 0.5 * pure ? best.phrase : nil
    }
}
