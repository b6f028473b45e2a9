import SoundboxYAML
import Testing
import VoiceTestSupport

@testable import SoundboxVoice

@Suite("Converting the rate")
struct ResamplerTests {
    @Test("The length in time stays, to the nearest frame", arguments: [8000, 16_000, 44_100, 48_000, 96_000])
    func length(rate: Int) throws {
        let resampled = try Resampler.resample(.tone(lasting: .milliseconds(500)), to: rate)
        #expect(resampled.sampleRate == rate)
        #expect(resampled.samples.count == rate / 2)
    }

    @Test("A tone stays where and what it is", arguments: [44_100, 48_000])
    func tone(rate: Int) throws {
        let resampled = try Resampler.resample(.tone(440, lasting: .seconds(1)), to: rate)
        let direct = Recording.tone(440, lasting: .seconds(1), sampleRate: rate)
        // The filter rings where the sound starts and ends.
        let inner = rate / 10..<rate * 9 / 10
        let error = zip(resampled.samples[inner], direct.samples[inner]).map { abs($0 - $1) }.max() ?? 1
        #expect(error < 0.0005)
    }

    @Test("Nothing above half the new rate gets through")
    func aliasing() throws {
        let high = Recording.tone(7000, lasting: .seconds(1), sampleRate: 48_000)
        let resampled = try Resampler.resample(high, to: 8000)
        #expect((resampled.samples[800..<7200].map(abs).max() ?? 1) < 0.0005)
    }

    @Test("At the same rate every sample stays as it is")
    func identity() throws {
        let tone = Recording.tone(lasting: .milliseconds(100))
        #expect(try Resampler.resample(tone, to: 22_050) == tone)
    }

    @Test("An empty recording stays empty, a frame becomes as many as it lasts")
    func shortest() throws {
        let empty = Recording(name: "empty", sampleRate: 22_050, samples: [])
        #expect(try Resampler.resample(empty, to: 48_000).samples.isEmpty)
        let frame = Recording(name: "frame", sampleRate: 8000, samples: [0.5])
        #expect(try Resampler.resample(frame, to: 48_000).samples.count == 6)
    }
}
