import Synchronization
import Testing
import VoiceTestSupport

@testable import SoundboxVoice
@testable import SoundboxWorkshop

@Suite("Making the recordings of a voice with espeak-ng")
struct VoiceWorkshopTests {
    let folder: SoundFolder

    init() throws { folder = try SoundFolder() }

    private var workshop: VoiceWorkshop { VoiceWorkshop(directory: folder.path) }

    private func writeList(_ entries: [String], voice: String = "cmn-latn-pinyin", sampleRate: Int = 24_000) throws {
        let text = """
            recording_format: {sample_rate: \(sampleRate), loudness: -22}
            synthesis: {program: espeak-ng, voice: \(voice), speed: 170, pitch: 45}
            chime: chime
            recordings: [\(entries.joined(separator: ", "))]
            """
        try folder.write(text.utf8, to: "voice.yaml")
    }

    private let one = "{file: yi1, text: 一, say: yi1}"
    private let two = "{file: er4, text: 二, say: er4}"

    @Test("Every entry and the chime are made, and the check finds nothing wrong with them")
    func fresh() async throws {
        try writeList([one, two])
        #expect(try await workshop.makeRecordings() == VoiceWorkshop.Report(made: ["chime", "yi1", "er4"]))
        #expect(try workshop.check() == [])
    }

    @Test("A second run changes no file")
    func again() async throws {
        try writeList([one, two])
        _ = try await workshop.makeRecordings()
        let before = try folder.names.map { try folder.bytes(of: $0) }
        for all in [false, true] {
            let report = try await workshop.makeRecordings(all: all)
            #expect(report == VoiceWorkshop.Report(unchanged: ["chime", "yi1", "er4"]))
        }
        #expect(try folder.names.map { try folder.bytes(of: $0) } == before)
    }

    @Test("The same list makes the same bytes in another folder")
    func reproducible() async throws {
        let other = try SoundFolder()
        try writeList([one])
        try other.write(folder.bytes(of: "voice.yaml"), to: "voice.yaml")
        _ = try await workshop.makeRecordings()
        _ = try await VoiceWorkshop(directory: other.path).makeRecordings()
        #expect(try folder.bytes(of: "yi1.opus") == other.bytes(of: "yi1.opus"))
        #expect(try folder.bytes(of: "chime.opus") == other.bytes(of: "chime.opus"))
    }

    @Test("Only what is said otherwise, damaged or missing is made again")
    func changed() async throws {
        try writeList([one, two, "{file: san1, text: 三, say: san1}"])
        _ = try await workshop.makeRecordings()
        try writeList([one, "{file: er4, text: 二, say: er3}", "{file: san1, text: 三, say: san1}"])
        try folder.write("not sound".utf8, to: "san1.opus")
        let report = try await workshop.makeRecordings()
        #expect(report.made == ["er4", "san1"] && report.unchanged == ["chime", "yi1"])
        #expect(try workshop.check() == [])
    }

    @Test("What the list no longer names is removed, and so is what an interrupted run left")
    func removed() async throws {
        try writeList([one, two])
        _ = try await workshop.makeRecordings()
        try writeList([one])
        try folder.write("OggS".utf8, to: "yi1.opus.partial")
        #expect(try await workshop.makeRecordings().removed == ["er4"])
        #expect(try folder.names == ["chime.opus", "voice.yaml", "yi1.opus"])
    }

    @Test("A person's recording is neither overwritten nor removed, listed with \"say\", without it, or not at all")
    func persons() async throws {
        try writeList([one, "{file: er4, text: 二}"])
        let tone = Recording.tone(lasting: .milliseconds(300)).pcm16
        for name in ["yi1.flac", "er4.flac", "san1.flac"] { try folder.write(tone, to: name) }
        let before = try folder.bytes(of: "yi1.flac")
        let report = try await workshop.makeRecordings()
        #expect(report == VoiceWorkshop.Report(made: ["chime"], skipped: ["yi1", "er4"]))
        for name in ["yi1.flac", "er4.flac", "san1.flac"] { #expect(try folder.bytes(of: name) == before) }
    }

    /// The files that a run speaks.
    private func spoken(all: Bool = false) async throws -> [String] {
        let seen = Mutex<[VoiceWorkshop.Progress]>([])
        _ = try await workshop.makeRecordings(all: all) { step in seen.withLock { $0.append(step) } }
        let steps = seen.withLock { $0 }
        #expect(steps.map(\.done) == Array(steps.indices.map { $0 + 1 }))
        #expect(steps.allSatisfy { $0.total == steps.count })
        return steps.map(\.file)
    }

    @Test("Only what is new or changed is spoken, and everything when that is asked for")
    func onlyChanged() async throws {
        try writeList([one, two])
        #expect(try await spoken() == ["yi1", "er4"])
        #expect(try await spoken() == [])
        try writeList([one, two, "{file: san1, text: 三, say: san1}"])
        #expect(try await spoken() == ["san1"])
        try writeList([one, "{file: er4, text: 二, say: er4, pace: 0.8}", "{file: san1, text: 三, say: san1}"])
        #expect(try await spoken() == ["er4"])
        #expect(try await spoken(all: true) == ["yi1", "er4", "san1"])
        try writeList([one], voice: "cmn-latn-pinyin+f3")
        #expect(try await spoken() == ["yi1"])
    }

    @Test("A file that does not say what it was made from is spoken once more")
    func unknownOrigin() async throws {
        try writeList([one])
        _ = try await workshop.makeRecordings()
        let made = try AudioFile(reading: folder.path(of: "yi1.opus")).recording
        try AudioFile.write(made, to: folder.path(of: "yi1"), isSynthesized: true)
        #expect(try await spoken() == ["yi1"])
        #expect(try await spoken() == [])
        #expect(try AudioFile(reading: folder.path(of: "yi1.opus")).recording.pcm16 == made.pcm16)
    }

    @Test("At a rate that Opus does not have the recordings are FLAC, and at one that it has they are Opus again")
    func rates() async throws {
        try writeList([one], sampleRate: 22_050)
        _ = try await workshop.makeRecordings()
        #expect(try folder.names == ["chime.flac", "voice.yaml", "yi1.flac"])
        #expect(try workshop.check() == [])
        try writeList([one])
        #expect(try await workshop.makeRecordings().made == ["chime", "yi1"])
        #expect(try folder.names == ["chime.opus", "voice.yaml", "yi1.opus"])
        #expect(try workshop.check() == [])
    }

    @Test("Masters have the same sound before Opus: as long, and at the same loudness")
    func masters() async throws {
        let masters = try SoundFolder()
        try writeList([one])
        _ = try await VoiceWorkshop(directory: folder.path, masters: masters.path).makeRecordings()
        #expect(try masters.names == ["chime.flac", "yi1.flac"])
        let master = try AudioFile(reading: masters.path(of: "yi1.flac"))
        let stored = try AudioFile(reading: folder.path(of: "yi1.opus"))
        #expect(master.recording.samples.count == stored.recording.samples.count)
        #expect(master.origin == stored.origin && stored.format == .opus)
        let difference =
            try MeasuredLoudness(of: master.recording).integrated
            - MeasuredLoudness(of: stored.recording).integrated
        #expect(abs(difference) < 0.5)
    }

    @Test("A run that speaks nothing needs no synthesiser")
    func withoutSynthesizer() async throws {
        try writeList(["{file: yi1, text: 一}"], voice: "no-such-voice")
        #expect(try await workshop.makeRecordings() == VoiceWorkshop.Report(made: ["chime"], skipped: ["yi1"]))
    }

    @Test("A voice that the synthesiser does not have is told before anything is made")
    func unknownVoice() async throws {
        try writeList([one], voice: "no-such-voice")
        let reason = "espeak-ng has no voice \"no-such-voice\"; `espeak-ng --voices` lists them"
        await #expect(throws: RecordingError.synthesisFailed(file: "voice.yaml", reason: reason)) {
            try await workshop.makeRecordings()
        }
        #expect(try folder.names == ["voice.yaml"])
    }

    @Test("A variant of a voice is taken")
    func variant() async throws {
        try writeList([one], voice: "cmn-latn-pinyin+f3")
        #expect(try await workshop.makeRecordings().made == ["chime", "yi1"])
    }

    @Test("Text that looks like an option is spoken, and text that makes no sound is refused")
    func oddTexts() async throws {
        try writeList(["{file: dash, text: dash, say: \"--version\"}"])
        #expect(try await workshop.makeRecordings().made == ["chime", "dash"])
        try writeList(["{file: quiet, text: quiet, say: \".\"}"])
        let error = try await #require(throws: RecordingError.self) { try await workshop.makeRecordings() }
        #expect(error.description.contains("\"quiet\""))
    }
}
