import CSndFile
import Glibc
import Testing
import VoiceTestSupport

@testable import SoundboxVoice
@testable import SoundboxWorkshop

@Suite("Importing what a person has recorded")
struct VoiceImporterTests {
    let folder: SoundFolder
    let takes: SoundFolder
    private static let pitches: [Double] = [300, 400, 500]

    init() throws {
        folder = try SoundFolder()
        takes = try SoundFolder()
        try writeList(["{file: a, text: alpha}", "{file: b, text: beta}", "{file: c, text: gamma}"])
    }

    private func writeList(_ entries: [String]) throws {
        let text = """
            recording_format: {sample_rate: 22050, loudness: -22}
            synthesis: {program: espeak-ng, voice: en, speed: 170, pitch: 45}
            recordings: [\(entries.joined(separator: ", "))]
            """
        try folder.write(text.utf8, to: "voice.yaml")
    }

    private func importing(
        _ paths: String..., selection: RecordingScript.Selection = .all, replace: Bool = false, partial: Bool = false,
        pause: Duration = .milliseconds(700)
    ) throws -> VoiceImporter.Report {
        try VoiceImporter(directory: folder.path, selection: selection, replacesPersons: replace)
            .importFiles(paths, pause: pause, isPartial: partial)
    }

    /// A take at another rate, in stereo, with a room's noise and a microphone off zero.
    private func writeTake(_ pitches: [Double] = pitches, to name: String = "take.wav") throws -> String {
        let take = Recording.take(of: pitches, sampleRate: 48_000)
        var room = take.mixed(with: .noise(level: -62, lasting: take.duration, sampleRate: 48_000))
        room.samples = room.samples.map { $0 + 0.02 }
        return try takes.write(
            room.pcm16.flatMap { [$0, $0] }, to: name, sampleRate: 48_000, channelCount: 2,
            format: SF_FORMAT_WAV | SF_FORMAT_PCM_16)
    }

    private func pitch(of file: String) throws -> Double {
        try AudioFile(reading: folder.path(of: file)).recording.pitch
    }

    private var flacs: [String] { get throws { try folder.names.filter { $0.hasSuffix(".flac") } } }

    @Test("A take becomes recordings in the order of the script, which pass the check and carry no mark")
    func take() throws {
        let report = try importing(writeTake())
        #expect(report.imported.map(\.entry.text) == ["alpha", "beta", "gamma"] && report.refused.isEmpty)
        #expect(try VoiceWorkshop(directory: folder.path).check() == [])
        for (file, pitch) in zip(["a.flac", "b.flac", "c.flac"], Self.pitches) {
            #expect(try !AudioFile(reading: folder.path(of: file)).isSynthesized)
            #expect(try abs(self.pitch(of: file) - pitch) < 0.05 * pitch)
        }
    }

    @Test("Where each phrase was found is told")
    func places() throws {
        let report = try importing(writeTake())
        #expect(report.imported.map(\.start.asTime) == ["0:01.0", "0:02.4", "0:03.7"])
    }

    @Test("A phrase too few or too many writes nothing, and the times of the first and last are told")
    func count() throws {
        let few = #expect(throws: ImportError.self) { try importing(writeTake([300, 400])) }
        let text = few?.description ?? ""
        #expect(text.contains("found 2 phrases, the first at 0:01.0, the last at 0:02.4, the script has 3"))
        let many = #expect(throws: ImportError.self) { try importing(writeTake([300, 400, 500, 600])) }
        #expect(many?.description.contains("found 4 phrases") == true)
        // One too many would shift every name after it, partial or not.
        #expect(throws: ImportError.self) { try importing(writeTake([300, 400, 500, 600]), partial: true) }
        #expect(try flacs == [])
    }

    @Test("A pause that would fit is proposed")
    func betterPause() throws {
        let take = Recording.take(of: Self.pitches, pause: .milliseconds(500))
        let path = try takes.write(take.pcm16, to: "quick.flac")
        let error = #expect(throws: ImportError.self) { try importing(path) }
        #expect(error?.description.contains("--pause 450ms would find 3") == true)
        #expect(try importing(path, pause: .milliseconds(450)).imported.count == 3)
    }

    @Test("A take that ends early is taken when it is called partial, and what is absent is told")
    func partial() throws {
        let report = try importing(writeTake([300, 400]), partial: true)
        #expect(report.imported.map(\.entry.file) == ["a", "b"] && report.absent.map(\.file) == ["c"])
        #expect(try flacs == ["a.flac", "b.flac"])
    }

    @Test("Only what is missing is imported when asked for")
    func missing() throws {
        _ = try importing(writeTake([300, 400]), partial: true)
        let before = try folder.bytes(of: "a.flac")
        let report = try importing(writeTake([700]), selection: .missing)
        #expect(report.imported.map(\.entry.file) == ["c"])
        #expect(try folder.bytes(of: "a.flac") == before)
        #expect(throws: ImportError.nothingToDo) { try importing(writeTake([700]), selection: .missing) }
    }

    @Test("A person's recording is overwritten only when that is asked for; a synthesiser's always")
    func replace() throws {
        let made = try Leveler(target: -22).leveled(SilenceTrimmer().trimmed(.tone(200, lasting: .milliseconds(300))))
        for file in ["a", "b", "c"] {
            try AudioFile.writeFLAC(made, to: folder.path(of: "\(file).flac"), isSynthesized: true)
        }
        #expect(try importing(writeTake()).imported.count == 3)
        let before = try folder.bytes(of: "a.flac")
        let other = try writeTake([600, 700, 800])
        #expect(throws: ImportError.wouldReplace(["a", "b", "c"])) { try importing(other) }
        #expect(try folder.bytes(of: "a.flac") == before)
        #expect(try importing(other, replace: true).imported.count == 3)
        #expect(try folder.bytes(of: "a.flac") != before)
    }

    @Test("Phrases of the synthesiser alone can be replaced")
    func synthesized() throws {
        let made = try Leveler(target: -22).leveled(SilenceTrimmer().trimmed(.tone(200, lasting: .milliseconds(300))))
        try AudioFile.writeFLAC(made, to: folder.path(of: "a.flac"), isSynthesized: false)
        try AudioFile.writeFLAC(made, to: folder.path(of: "b.flac"), isSynthesized: true)
        let report = try importing(writeTake([400, 500]), selection: .notSpokenByPerson)
        #expect(report.imported.map(\.entry.file) == ["b", "c"])
    }

    @Test("A clipped phrase is told and not written; the others are")
    func clipped() throws {
        var take = Recording.take(of: Self.pitches)
        let second = 22_050 * 235 / 100..<22_050 * 270 / 100
        for frame in second { take.samples[frame] = min(max(take.samples[frame] * 9, -1), 1) }
        let report = try importing(takes.write(take.pcm16, to: "loud.flac"))
        #expect(report.imported.map(\.entry.file) == ["a", "c"])
        #expect(report.refused.map(\.piece.entry.text) == ["beta"])
        #expect(report.refused.first?.problem == "is clipped, expected a softer recording level")
        #expect(try flacs == ["a.flac", "c.flac"])
    }

    @Test("Files named after entries, by file name or text, each hold one phrase, rests and all")
    func files() throws {
        let rest = Recording.silence(lasting: .milliseconds(900))
        let phrase = rest + .tone(300, lasting: .milliseconds(300)) + rest + .tone(lasting: .milliseconds(300)) + rest
        let first = try takes.write(phrase.pcm16, to: "b.flac")
        let second = try takes.write(Recording.take(of: [500]).pcm16, to: "gamma.flac")
        let report = try importing(first, second)
        #expect(report.imported.map(\.entry.file) == ["b", "c"])
        let duration = try AudioFile(reading: folder.path(of: "b.flac")).recording.duration
        #expect((Duration.milliseconds(1500) ... .milliseconds(1570)).contains(duration))
    }

    @Test("A single file that is named after an entry is that phrase, not a take")
    func singleFile() throws {
        #expect(try importing(takes.write(Recording.take(of: [500]).pcm16, to: "c.flac")).imported.count == 1)
        #expect(try flacs == ["c.flac"])
    }

    @Test("A file that no entry is named like, two for one entry, and silence are told")
    func badFiles() throws {
        let one = try takes.write(Recording.take(of: [500]).pcm16, to: "a.flac")
        let same = try takes.write(Recording.take(of: [500]).pcm16, to: "alpha.flac")
        let other = try takes.write(Recording.take(of: [500]).pcm16, to: "delta.flac")
        #expect(throws: ImportError.unknownName(other)) { try importing(one, other) }
        #expect(throws: ImportError.sameEntry(one, same)) { try importing(one, same) }
        let silent = try takes.write(Recording.silence(lasting: .seconds(1)).pcm16, to: "b.flac")
        let report = try importing(one, silent)
        #expect(report.imported.map(\.entry.file) == ["a"] && report.refused.map(\.piece.entry.file) == ["b"])
    }

    @Test("Where the count differs, the place is told at which the two are likely to part, and what is expected there")
    func slip() throws {
        try writeList([
            "{file: a, text: aaaaaaaaaa}", "{file: b, text: bb}", "{file: c, text: cccccccccccccccccccc}",
            "{file: d, text: ddd}",
        ])
        func take(_ lengths: [Int]) throws -> String {
            let rest = Recording.silence(lasting: .seconds(1))
            let take = lengths.reduce(rest) { $0 + .tone(amplitude: 0.3, lasting: .milliseconds($1)) + rest }
            return try takes.write(take.pcm16, to: "take.flac")
        }
        let few = #expect(throws: ImportError.self) { try importing(take([1000, 2000, 300])) }
        let place = "likely to part at 0:03.0, where \"bb\" is expected."
        #expect(few?.description.contains(place) == true, "\(few as Any)")
        let many = #expect(throws: ImportError.self) { try importing(take([1000, 200, 2000, 300, 4000])) }
        #expect(many?.description.contains("likely to part at 0:0") == true)
        #expect(many?.description.contains("behind the last phrase of the script") == true, "\(many as Any)")
    }

    @Test(
        "What the import cuts is never refused for its ends, its length or its offset, however a phrase begins and ends",
        arguments: Ends.allCases)
    func ends(_ ends: Ends) throws {
        for seed in UInt64(1)...6 {
            let rest = Recording.silence(lasting: .seconds(1))
            let phrases = Self.pitches.map { ends.phrase(pitch: $0, seed: seed) }
            let take = phrases.reduce(rest) { $0 + $1 + rest }
            let quiet = take.mixed(with: .noise(level: -80, lasting: take.duration, seed: seed))
            let report = try importing(takes.write(quiet.pcm16, to: "take.flac"), replace: true)
            #expect(report.imported.count == 3, "\(ends), \(seed): \(report.refused)")
            // The files as they are on the disk, after rounding.
            #expect(try VoiceWorkshop(directory: folder.path).check() == [], "\(ends), \(seed)")
        }
    }

    /// How people's phrases begin and end.
    enum Ends: CaseIterable {
        case breathBefore, breathAfter, faintBreathOnBothSides, longDecay, veryShort, stopGap, popOfTheLips, lopsided

        func phrase(pitch: Double, seed: UInt64) -> Recording {
            let word = Recording.tone(pitch, amplitude: 0.12, lasting: .milliseconds(300))
            let milliseconds = Int(seed) * 35
            func breath(_ level: Double) -> Recording {
                .noise(level: level, lasting: .milliseconds(120 + milliseconds), seed: seed)
            }
            switch self {
            case .breathBefore: return breath(-58) + word
            case .breathAfter: return word + breath(-58)
            case .faintBreathOnBothSides: return breath(-62 + Double(seed)) + word + breath(-66 + Double(seed))
            case .longDecay:
                var tail = Recording.tone(pitch, amplitude: 0.12, lasting: .milliseconds(900))
                for frame in tail.samples.indices {
                    tail.samples[frame] *= Float(exp(-Double(frame) / 22_050 * (6 + Double(seed))))
                }
                return word + tail
            case .veryShort: return .tone(pitch, amplitude: 0.2, lasting: .milliseconds(75 + 5 * Int(seed)))
            case .stopGap:
                let burst = Recording.noise(level: -35, lasting: .milliseconds(25), seed: seed)
                return word + .silence(lasting: .milliseconds(90 + milliseconds / 4)) + burst
            case .popOfTheLips:
                let pop = Recording.tone(
                    9 + Double(seed), amplitude: 0.15, lasting: .milliseconds(60 + milliseconds / 3))
                return .tone(pitch, amplitude: 0.12, lasting: .milliseconds(110)).mixed(with: pop)
            case .lopsided:
                var word = Recording.tone(pitch, amplitude: 0.2, lasting: .milliseconds(80 + milliseconds))
                word.samples = word.samples.map { $0 < 0 ? $0 * 0.4 : $0 }
                return word
            }
        }
    }

    @Test("A whole voice spoken by espeak-ng in one take comes out as phrases that pass the check")
    func spoken() async throws {
        let words = ["zero", "one", "eight", "six", "point five", "payment received"]
        try writeList(words.map { "{file: \($0.replacing(" ", with: "-")), text: \($0)}" })
        let synthesizer = Synthesizer(SynthesisSettings(program: .espeakNG(speed: 150, pitch: 45), voice: "en"))
        var take = Recording.silence(lasting: .seconds(1))
        for word in words {
            let spoken = try await synthesizer.speak(word, for: word)
            // espeak-ng speaks near full scale, which a microphone's level must not.
            let softer = Recording(name: word, sampleRate: 22_050, samples: spoken.samples.map { $0 * 0.5 })
            take = take + softer + .silence(lasting: .milliseconds(900))
        }
        let room = take.mixed(with: .noise(level: -58, lasting: take.duration))
        let report = try importing(takes.write(room.pcm16, to: "take.flac"))
        #expect(report.imported.map(\.entry.text) == words)
        #expect(try VoiceWorkshop(directory: folder.path).check() == [])
    }
}
