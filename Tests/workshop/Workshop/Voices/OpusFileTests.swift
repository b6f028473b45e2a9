import Glibc
import SoundboxSystem
import TestSupport
import Testing
import VoiceTestSupport

@testable import SoundboxVoice
@testable import SoundboxWorkshop

@Suite("Recordings written as Ogg Opus")
struct OpusFileTests {
    private let folder: SoundFolder

    init() throws { folder = try SoundFolder() }

    /// A recording as it comes back from its file.
    private func stored(_ recording: Recording) throws -> Recording {
        try AudioFile.write(recording, to: folder.path(of: "a"), isSynthesized: false)
        return try AudioFile(reading: folder.path(of: "a.opus")).recording
    }

    /// The place of a sine that begins at its zero, in frames: 0 where it belongs, 1 for a frame late.
    private func lateness(of samples: ArraySlice<Float>, _ frequency: Double, at rate: Int) -> Double {
        let step = 2 * Double.pi * frequency / Double(rate)
        let (sine, cosine) = samples.indices.reduce((0.0, 0.0)) { sum, frame in
            let angle = step * Double(frame)
            return (sum.0 + Double(samples[frame]) * sin(angle), sum.1 + Double(samples[frame]) * cos(angle))
        }
        return -atan2(cosine, sine) / step
    }

    @Test("The halves of a sine join to the sample, wherever it is cut", arguments: [8000, 16_000, 24_000, 48_000])
    func join(rate: Int) throws {
        let frequency = 440.0
        let whole = Recording.tone(frequency, lasting: .milliseconds(1200), sampleRate: rate)
        let tenth = rate / 10
        // At the border of a packet, beside it, and anywhere.
        for cut in [rate / 2, rate / 2 + 1, rate / 2 - 1, rate * 617 / 1000] {
            var halves = whole
            halves.samples = []
            for part in [whole.samples[..<cut], whole.samples[cut...]] {
                let half = try stored(Recording(name: "half", sampleRate: rate, samples: Array(part)))
                #expect(half.samples.count == part.count)
                halves.samples += half.samples
            }
            #expect(halves.samples.count == whole.samples.count)
            for range in [cut - tenth..<cut, cut..<cut + tenth] {
                #expect(abs(lateness(of: halves.samples[range], frequency, at: rate)) < 0.5, "cut at \(cut): \(range)")
            }
            // Nothing is left out or put in between: the step there is one that a sine of this loudness has.
            let steepest = Float(2 * Double.pi * frequency / Double(rate) * 0.5)
            #expect(abs(halves.samples[cut] - halves.samples[cut - 1]) < steepest + 0.1, "cut at \(cut)")
        }
    }

    @Test("Every length comes back as it was, and the shortest one too")
    func lengths() throws {
        for count in [1, 59, 60, 61, 239, 240, 480, 960, 1919, 1920, 19_199, 19_200, 48_001] {
            let tone = Recording.tone(lasting: .seconds(3), sampleRate: 24_000)
            let part = Recording(name: "part", sampleRate: 24_000, samples: Array(tone.samples.prefix(count)))
            #expect(try stored(part).samples.count == count)
        }
    }

    @Test("The same sound makes the same bytes, and a second writing changes nothing")
    func reproducible() throws {
        let tone = Recording.tone(lasting: .seconds(1), sampleRate: 24_000)
        #expect(try AudioFile.write(tone, to: folder.path(of: "one"), isSynthesized: true, origin: "a"))
        #expect(try !AudioFile.write(tone, to: folder.path(of: "one"), isSynthesized: true, origin: "a"))
        #expect(try AudioFile.write(tone, to: folder.path(of: "two"), isSynthesized: true, origin: "a"))
        #expect(try folder.bytes(of: "one.opus") == folder.bytes(of: "two.opus"))
        #expect(try AudioFile.write(tone, to: folder.path(of: "one"), isSynthesized: true, origin: "b"))
        #expect(try folder.names == ["one.opus", "two.opus"])
    }

    @Test("What it was made from, and who spoke it, come back", arguments: [nil, "", "espeak-ng cmn: yi1", "一百元"])
    func comment(origin: String?) throws {
        let tone = Recording.tone(lasting: .milliseconds(200), sampleRate: 24_000)
        try AudioFile.write(tone, to: folder.path(of: "made"), isSynthesized: true, origin: origin)
        let made = try AudioFile(reading: folder.path(of: "made.opus"))
        #expect(made.isSynthesized && made.origin == origin)
        try AudioFile.write(tone, to: folder.path(of: "person"), isSynthesized: false)
        let person = try AudioFile(reading: folder.path(of: "person.opus"))
        #expect(!person.isSynthesized && person.origin == nil)
    }

    @Test("It takes the place of the recording in another format")
    func otherFormats() throws {
        let tone = Recording.tone(lasting: .milliseconds(200), sampleRate: 24_000)
        for name in ["a.flac", "a.wav"] { try folder.write(tone.pcm16, to: name) }
        try AudioFile.write(tone, to: folder.path(of: "a"), isSynthesized: false)
        #expect(try folder.names == ["a.opus"])
    }

    @Test("What will not do is written with more bits, and in the end as well as it can be")
    func bitRates() throws {
        let noise = Recording.noise(level: -20, lasting: .seconds(1), sampleRate: 24_000)
        var sizes: [Int] = []
        for wanted in 1...6 {
            var tries = 0
            try AudioFile.write(noise, to: folder.path(of: "noise"), isSynthesized: false) { _ in
                tries += 1
                return tries == wanted
            }
            #expect(tries == min(wanted, OpusFile.bitRates.count))
            sizes.append(try folder.bytes(of: "noise.opus").count)
        }
        #expect(sizes[0] < sizes[1] && sizes[1] < sizes[2] && sizes[2] < sizes[3] && sizes[3] == sizes[5])
    }

    @Test("The energy of an s, most of it above 8 kHz, stays within 1 dB")
    func upperBand() throws {
        // White noise, so a third of it lies there.
        let noise = Recording.noise(level: -20, lasting: .seconds(1), sampleRate: 24_000)
        func upper(_ recording: Recording) throws -> Double {
            // What a rate of 16 kHz leaves out.
            let low = try Resampler.resample(Resampler.resample(recording, to: 16_000), to: 24_000)
            return zip(recording.samples, low.samples).reduce(0) { $0 + Double(($1.0 - $1.1) * ($1.0 - $1.1)) }
        }
        #expect(abs(10 * log10(try upper(stored(noise)) / upper(noise))) < 1)
    }
}
