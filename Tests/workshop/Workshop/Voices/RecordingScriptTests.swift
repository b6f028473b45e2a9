import Testing
import VoiceTestSupport

@testable import SoundboxVoice
@testable import SoundboxWorkshop

@Suite("The script that a speaker reads")
struct RecordingScriptTests {
    let folder: SoundFolder

    init() throws {
        folder = try SoundFolder()
        let text = """
            recording_format: {sample_rate: 22050, loudness: -22}
            # Not a heading.
            recordings:
              # Digits
              - {file: a, text: alpha}
              - file: b
                text: beta
              # What happened,
              # in two lines

              - {file: c, text: gamma} # not a heading either
              - {file: d, text: delta}
            """
        try folder.write(text.utf8, to: "voice.yaml")
    }

    private func files(_ selection: RecordingScript.Selection) throws -> [String] {
        try RecordingScript(directory: folder.path, selection: selection).lines.map(\.entry.file)
    }

    @Test("It is in the order of the list, grouped by the comments")
    func groups() throws {
        let lines = try RecordingScript(directory: folder.path).lines
        #expect(lines.map(\.entry.text) == ["alpha", "beta", "gamma", "delta"])
        let second = "What happened, in two lines"
        #expect(lines.map(\.heading) == ["Digits", "Digits", second, second])
    }

    @Test("What is missing, damaged, or spoken by no person can be asked for")
    func selections() throws {
        let tone = Recording.tone(lasting: .milliseconds(300))
        try AudioFile.writeFLAC(tone, to: folder.path(of: "a.flac"), isSynthesized: true)
        try AudioFile.writeFLAC(tone, to: folder.path(of: "b.flac"), isSynthesized: false)
        try folder.write("words".utf8, to: "c.flac")
        #expect(try files(.all) == ["a", "b", "c", "d"])
        #expect(try files(.missing) == ["c", "d"])
        #expect(try files(.notSpokenByPerson) == ["a", "c", "d"])
    }
}
