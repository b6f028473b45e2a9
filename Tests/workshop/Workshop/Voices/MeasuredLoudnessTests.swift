import Testing
import VoiceTestSupport

@testable import SoundboxVoice
@testable import SoundboxWorkshop

@Suite("Measured loudness")
struct MeasuredLoudnessTests {
    @Test("A full-scale sine of 997 Hz in one channel is −3.01 LUFS, as BS.1770 calibrates it")
    func calibration() throws {
        let loudness = try MeasuredLoudness(of: .tone(amplitude: 1, lasting: .seconds(5)))
        #expect(abs(loudness.integrated + 3.01) < 0.1)
        #expect(abs(loudness.samplePeak) < 0.1)
    }

    @Test(
        "A word is as loud as a sentence spoken alike, whatever its length",
        arguments: [40, 100, 250, 399, 401, 650, 1000, 2999, 3001])
    func anyLength(milliseconds: Int) throws {
        let long = try MeasuredLoudness(of: .tone(lasting: .seconds(10)))
        let short = try MeasuredLoudness(of: .tone(lasting: .milliseconds(milliseconds)))
        #expect(abs(short.integrated - long.integrated) < 0.1)
    }

    @Test("Half the amplitude is 6 dB less loud and 6 dB lower in its peaks")
    func halved() throws {
        let whole = try MeasuredLoudness(of: .tone(amplitude: 0.5, lasting: .milliseconds(300)))
        let half = try MeasuredLoudness(of: .tone(amplitude: 0.25, lasting: .milliseconds(300)))
        #expect(abs(whole.integrated - half.integrated - 6.02) < 0.01)
        #expect(abs(whole.truePeak - half.truePeak - 6.02) < 0.01)
    }

    @Test("The true peak finds the wave between the samples")
    func truePeak() throws {
        // A quarter of the rate, struck between its crests: the samples reach only 0.707 of the wave.
        let samples = (0..<22_050).map { Float([1, 1, -1, -1][$0 % 4]) * 0.5 }
        let loudness = try MeasuredLoudness(of: Recording(name: "crests", sampleRate: 22_050, samples: samples))
        #expect(abs(loudness.samplePeak + 6.02) < 0.01)
        #expect(loudness.truePeak > loudness.samplePeak + 2)
    }

    @Test("Silence has no loudness; nothing at all is refused")
    func silence() throws {
        #expect(try MeasuredLoudness(of: .silence(lasting: .milliseconds(300))).integrated == -.infinity)
        #expect(throws: RecordingError.unusable(file: "tone", reason: "it is empty")) {
            try MeasuredLoudness(of: .silence(lasting: .zero))
        }
    }
}

@Suite("Levelling")
struct LevelerTests {
    @Test("Soft and loud recordings come out at the target", arguments: [0.01, 0.1, 0.9])
    func target(amplitude: Double) throws {
        let leveled = try Leveler(target: -22).leveled(.tone(amplitude: amplitude, lasting: .milliseconds(300)))
        #expect(abs(try MeasuredLoudness(of: leveled).integrated + 22) < 0.02)
    }

    @Test("Levelling what is level changes nothing that is heard")
    func twice() throws {
        let once = try Leveler(target: -22).leveled(.tone(lasting: .milliseconds(300)))
        let twice = try Leveler(target: -22).leveled(once)
        #expect(abs(try MeasuredLoudness(of: twice).integrated - MeasuredLoudness(of: once).integrated) < 0.02)
    }

    @Test("A recording whose peaks would clip is refused with what it could reach")
    func peaky() throws {
        var clicks = Recording.silence(lasting: .seconds(1))
        for frame in stride(from: 0, to: clicks.samples.count, by: 4000) { clicks.samples[frame] = 0.9 }
        clicks.name = "clicks"
        let error = try #require(throws: RecordingError.self) { try Leveler(target: -15).leveled(clicks) }
        #expect(error.description.contains("clicks") && error.description.contains("-15.0"))
    }

    @Test("Silence cannot be levelled")
    func silence() {
        #expect(throws: RecordingError.unusable(file: "tone", reason: "it is silent")) {
            try Leveler(target: -22).leveled(.silence(lasting: .seconds(1)))
        }
    }
}
