import CSndFile
import Glibc
import SoundboxCore
import SoundboxSystem
import SoundboxYAML
import Testing
import VoiceTestSupport

@testable import SoundboxVoice
@testable import SoundboxWorkshop

@Suite("Checking the recordings of a voice")
struct RecordingCheckTests {
    let folder: SoundFolder
    /// A recording that nothing is wrong with.
    let good: Recording

    init() throws {
        folder = try SoundFolder()
        good = try Leveler(target: -22).leveled(
            SilenceTrimmer().trimmed(.tone(lasting: .milliseconds(300))))
        try writeList("{file: word, text: word}")
    }

    private func writeList(_ entries: String, chime: String = "") throws {
        let format = "recording_format: {sample_rate: 22050, loudness: -22}\n"
        try folder.write("\(format)\(chime)\nrecordings: [\(entries)]".utf8, to: "voice.yaml")
    }

    private func problems() throws -> [RecordingProblem] { try VoiceWorkshop(directory: folder.path).check() }

    /// The one problem of a voice whose one recording is `recording`.
    private func problem(with recording: Recording) throws -> RecordingProblem {
        try folder.write(recording.pcm16, to: "word.flac")
        let problems = try problems()
        try #require(problems.count == 1, "\(problems)")
        return problems[0]
    }

    @Test("A good recording has no problem")
    func sound() throws {
        try folder.write(good.pcm16, to: "word.flac")
        #expect(try problems() == [])
    }

    @Test("A missing file is named")
    func missing() throws {
        #expect(
            try problems() == [
                RecordingProblem(file: "word.opus", problem: "does not exist", expected: "a recording")
            ])
    }

    @Test("Text under the name of a recording, an empty file and a cut one are named", arguments: [-1, 0, 1500])
    func damaged(length: Int) throws {
        if length < 0 {
            try folder.write("words".utf8, to: "word.flac")
        } else {
            try folder.write(good.pcm16, to: "whole.flac")
            try folder.write(folder.bytes(of: "whole.flac").prefix(length), to: "word.flac")
            unlink(folder.path(of: "whole.flac"))
        }
        let problems = try problems()
        #expect(problems.map(\.file) == ["word.flac"])
        #expect(problems.first?.problem.hasPrefix("cannot be used: ") == true)
        #expect(problems.first?.expected == "a recording with sound")
    }

    @Test("The wrong rate, stereo and WAV under another name are each told with what was expected")
    func format() throws {
        let stereo = good.pcm16.flatMap { [$0, $0] }
        try folder.write(
            stereo, to: "word.flac", sampleRate: 24_000, channelCount: 2, format: SF_FORMAT_WAV | SF_FORMAT_PCM_16)
        #expect(
            try problems() == [
                RecordingProblem(
                    file: "word.flac", problem: "is of another format than its name says",
                    expected: "Opus in Ogg, FLAC or WAV, each under its own name"),
                RecordingProblem(file: "word.flac", problem: "has 2 channels", expected: "1"),
                RecordingProblem(file: "word.flac", problem: "has 24000 frames per second", expected: "22050"),
            ])
    }

    @Test("1 LU off is let pass, more is not", arguments: [(0.9, true), (-0.9, true), (1.1, false), (-1.1, false)])
    func loudness(off: Double, passes: Bool) throws {
        try folder.write(try Leveler(target: -22 + off).leveled(good).pcm16, to: "word.flac")
        let problems = try problems()
        #expect(problems.isEmpty == passes)
        if let problem = problems.first {
            #expect(problem.problem.hasSuffix("LUFS loud") && problem.expected == "-23.0 to -21.0")
        }
    }

    @Test("A peak above −1 dBTP is told though the loudness is right")
    func peak() throws {
        var recording = good
        recording.samples[3000] = 0.99
        let problem = try problem(with: recording)
        #expect(problem.problem.hasPrefix("peaks at ") && problem.expected == "-1.0 or less")
    }

    @Test("Clipping is told")
    func clipped() throws {
        var recording = good
        for frame in 3000..<3003 { recording.samples[frame] = 1 }
        try folder.write(recording.pcm16, to: "word.flac")
        let clipped = RecordingProblem(
            file: "word.flac", problem: "is clipped", expected: "no samples at full scale in a row")
        #expect(try problems().contains(clipped))
    }

    @Test("An offset from zero is told")
    func offset() throws {
        var recording = good
        recording.samples = recording.samples.map { $0 + 0.0025 }
        let problem = try problem(with: recording)
        #expect(problem.problem.hasPrefix("lies off zero by -52") && problem.expected == "-60.0 or less")
    }

    @Test("Too much silence before or after is told in milliseconds")
    func margins() throws {
        // Silence counts towards loudness, so it is levelled anew.
        let leveler = Leveler(target: -22)
        let late = try problem(with: leveler.leveled(.silence(lasting: .milliseconds(90)) + good))
        #expect(late.problem == "starts with 100 ms of silence" && late.expected.hasSuffix("or less"))
        let long = try problem(with: leveler.leveled(good + .silence(lasting: .milliseconds(200))))
        #expect(long.problem.hasPrefix("ends with 22") && long.expected.hasSuffix("or less"))
    }

    @Test("A recording that starts or ends in the middle of a wave clicks")
    func clicks() throws {
        let sound = try #require(SilenceTrimmer().sound(in: good))
        var cut = good
        cut.samples = Array(good.samples[(sound.lowerBound + 5)...])
        #expect(try problem(with: cut).problem == "starts with a click")
        cut.samples = Array(good.samples[..<(sound.upperBound - 5)])
        #expect(try problem(with: cut).problem == "ends with a click")
    }

    @Test("Silence, and sound too short or too long to be a phrase, stand alone as problems")
    func useless() throws {
        #expect(try problem(with: .silence(lasting: .milliseconds(300))).problem == "is silent")
        #expect(try problem(with: .tone(lasting: .milliseconds(30))).problem.hasPrefix("lasts "))
        #expect(try problem(with: .tone(lasting: .seconds(16))).problem.hasPrefix("lasts "))
    }

    @Test("A synthesised recording of other words is told; one of a person says nothing of where it is from")
    func origin() throws {
        let synthesis = "synthesis: {program: espeak-ng, voice: en, speed: 150, pitch: 50}\n"
        let list = try SmallFile.read(folder.path(of: "voice.yaml")).replacing(
            "{file: word, text: word}", with: "{file: word, text: word, say: word}")
        try folder.write((synthesis + list).utf8, to: "voice.yaml")
        let entries = try RecordingList(reading: YAMLValue(readingFile: folder.path(of: "voice.yaml")))
        let own = try #require(entries.origin(of: entries.entries[0]))
        let path = folder.path(of: "word.flac")
        for (origin, isSynthesized, problems) in [
            (own, true, 0), (own.replacing(": word", with: ": other"), true, 1), (nil, true, 0), (nil, false, 0),
        ] as [(String?, Bool, Int)] {
            try AudioFile.writeFLAC(good, to: path, isSynthesized: isSynthesized, origin: origin)
            let found = try self.problems()
            #expect(found.count == problems, "\(found)")
            if let problem = found.first {
                #expect(problem.problem.hasSuffix(#": other""#) && problem.expected.contains(#": word""#))
            }
        }
    }

    @Test("Two texts with one sound are told, unless the list says them alike")
    func sameSound() throws {
        try folder.write(good.pcm16, to: "word.flac")
        try folder.write(good.pcm16, to: "other.flac")
        try writeList("{file: word, text: word}, {file: other, text: other}")
        #expect(try problems().map(\.problem) == ["holds the same sound as word.flac"])
        let synthesis = "synthesis: {program: espeak-ng, voice: cmn, speed: 170, pitch: 45}"
        try writeList("{file: word, text: word, say: a}, {file: other, text: other, say: a}", chime: synthesis)
        #expect(try problems() == [])
    }

    @Test(
        "A word in the place of a chime is told: each announcement would begin with it",
        arguments: ["chime: ding", "kinds: {membership: {chime: ding}}"])
    func wordAsChime(chime: String) throws {
        try folder.write(good.pcm16, to: "word.flac")
        try folder.write(good.pcm16, to: "ding.flac")
        try writeList("{file: word, text: word}", chime: chime)
        #expect(
            try problems() == [
                RecordingProblem(
                    file: "word.flac", problem: "holds the same sound as ding.flac",
                    expected: "\"word\", and a chime without words")
            ])
    }

    @Test("A file that no entry names is told; notes and the licence are not")
    func orphans() throws {
        try folder.write(good.pcm16, to: "word.flac")
        for name in ["orphan.flac", "word.flac.partial", "README.md", "LICENSE"] {
            try folder.write("x".utf8, to: name)
        }
        #expect(try problems().map(\.file) == ["orphan.flac", "word.flac.partial"])
    }

    @Test("A recording may be WAV, FLAC or Opus; a second one of its name is told, for it is not played")
    func formats() throws {
        let wav = SF_FORMAT_WAV | SF_FORMAT_PCM_16
        try folder.write(good.pcm16, to: "word.wav", format: wav)
        #expect(try problems() == [])
        try folder.write(good.pcm16, to: "word.flac")
        let second = RecordingProblem(
            file: "word.wav", problem: "is not played, since there is word.flac", expected: "one of the two")
        #expect(try problems() == [second])
    }

    @Test("The chime may be softer than the speech by 10 LU, and not louder")
    func chime() throws {
        try folder.write(good.pcm16, to: "word.flac")
        try writeList("{file: word, text: word}", chime: "chime: ding")
        for (loudness, count) in [(-22.1, 0), (-26, 0), (-31.5, 0), (-33, 1), (-21, 1)] {
            try folder.write(try Leveler(target: loudness).leveled(good).pcm16, to: "ding.flac")
            #expect(try problems().count == count)
        }
    }

    @Test("A problem reads as one line that names file, finding and expectation")
    func text() {
        let problem = RecordingProblem(file: "a.flac", problem: "has 2 channels", expected: "1")
        #expect(problem.description == "a.flac: has 2 channels, expected 1")
    }
}
