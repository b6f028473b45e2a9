import SoundboxCore
import SoundboxSpeech
import Testing
import VoiceTestSupport

@testable import SoundboxVoice
@testable import SoundboxWorkshop

@Suite("Measuring how smoothly a voice speaks")
struct VoiceReportTests {
    let folder: SoundFolder

    /// A voice that says "one" and "yuan" as tones that are given.
    init() throws {
        folder = try SoundFolder()
        let text = VoiceSkeleton.firstVoice("en").replacing("chime: chime", with: "")
        try folder.write(text.utf8, to: "voice.yaml")
    }

    private func measure(_ amount: String, _ recordings: [String: Recording]) async throws -> VoiceReport.Line {
        for (name, recording) in recordings {
            try AudioFile.writeFLAC(recording, to: folder.path(of: "\(name).flac"), isSynthesized: false)
        }
        // The others must be there, and are not heard.
        let voice = try Voice(directory: folder.path)
        let tone = Recording.tone(lasting: .milliseconds(100), sampleRate: 24_000)
        for entry in voice.recordings.entries where recordings[entry.file] == nil {
            try AudioFile.writeFLAC(tone, to: folder.path(of: "\(entry.file).flac"), isSynthesized: false)
        }
        let report = try VoiceReport(voice)
        #expect(report.currency?.code == "CNY")
        return try await report.line(for: try Money(amount, #require(report.currency)), isCompared: false)
    }

    private func tone(_ milliseconds: Int) -> Recording {
        .tone(500, lasting: .milliseconds(milliseconds), sampleRate: 24_000)
    }

    private func silence(_ milliseconds: Int) -> Recording {
        .silence(lasting: .milliseconds(milliseconds), sampleRate: 24_000)
    }

    @Test("Segments, speech, rests and the longest gap are those of the sound")
    func lengths() async throws {
        let line = try await measure(
            "1",
            ["received": tone(400), "one": tone(300) + silence(70), "yuan": silence(50) + tone(200)])
        #expect(line.text == "received, one yuan" && line.segmentCount == 3)
        #expect(line.rests == .milliseconds(160))
        // The rest after "received" is no gap.
        #expect((Duration.milliseconds(115) ... .milliseconds(125)).contains(line.longestGap))
        #expect((Duration.milliseconds(1010) ... .milliseconds(1025)).contains(line.speech))
        #expect(line.fluent == nil && line.ratio == nil)
    }

    @Test("A recording that is cut in the middle of a wave is joined without a jump, as the box would play it")
    func jumps() async throws {
        // At −6 dBFS the wave stands at its crest where it is cut: a quarter of 48 frames after a whole number of periods.
        var cut = tone(300)
        cut.samples = Array(cut.samples.prefix(48 * 100 + 13))
        let harsh = try await measure("1", ["one": cut, "yuan": silence(30) + tone(200)])
        let smooth = try await measure("1", ["one": tone(300) + silence(30), "yuan": silence(30) + tone(200)])
        #expect(try #require(harsh.largestJump) < -20)
        #expect(try #require(smooth.largestJump) < -90)
    }

    @Test("The shipped Cantonese voice is compared with espeak-ng reading the same words in one go")
    func shipped() async throws {
        let voice = try Voice.shipped("zh-HK")
        let report = try VoiceReport(voice)
        #expect(await report.lackOfFluentReading() == nil)
        let line = try await report.line(for: try Money("123.45", #require(Currency("HKD"))), isCompared: true)
        #expect(line.segmentCount > 2)
        // Half or twice as long would not be the same words.
        #expect((0.7...1.5).contains(try #require(line.ratio)))
    }

    @Test("A voice without a synthesiser says so, and an amount that it cannot say is refused")
    func lack() async throws {
        let report = try VoiceReport(Voice(directory: folder.path))
        #expect(await report.lackOfFluentReading() == "the voice has no synthesiser")
        let money = try Money("5", #require(Currency("CHE")))
        await #expect(throws: SpeechError.noUnit(money.currency)) {
            try await report.line(for: money, isCompared: false)
        }
    }
}
