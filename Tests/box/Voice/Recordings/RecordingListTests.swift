import SoundboxCore
import SoundboxYAML
import Testing

@testable import SoundboxVoice

@Suite("The list of recordings in voice.yaml")
struct RecordingListTests {
    private func list(_ text: String) throws(YAMLError) -> RecordingList {
        try RecordingList(reading: YAMLValue(parsing: text, file: "voice.yaml"))
    }

    private let format = "recording_format: {sample_rate: 22050, loudness: -22}\n"
    private let synthesis = "synthesis: {program: espeak-ng, voice: cmn-latn-pinyin, speed: 170, pitch: 45}\n"

    @Test("Format, synthesis, chime and entries are read in order")
    func whole() throws {
        let list = try list(
            format + synthesis
                + """
                chime: ding
                recordings:
                  - {file: yi1, text: 一, say: yi1}
                  - {file: er4, text: 二}
                  - {file: er4-end, text: 二, say: er4, pace: 0.9, ending: true}
                """)
        #expect(list.sampleRate == 22_050 && list.loudness == -22 && list.chime == "ding")
        #expect(
            list.synthesis == SynthesisSettings(program: .espeakNG(speed: 170, pitch: 45), voice: "cmn-latn-pinyin"))
        #expect(
            list.entries == [
                RecordingEntry(file: "yi1", text: "一", say: "yi1", pace: 1, isEnding: false),
                RecordingEntry(file: "er4", text: "二", say: nil, pace: 1, isEnding: false),
                RecordingEntry(file: "er4-end", text: "二", say: "er4", pace: 0.9, isEnding: true),
            ])
        #expect(list.files == ["ding", "yi1", "er4", "er4-end"])
    }

    @Test("A voice of a person's recordings needs neither synthesis nor chime")
    func persons() throws {
        let list = try list(format + "recordings: [{file: one, text: one}]")
        #expect(list.synthesis == nil && list.chime == nil && list.files == ["one"])
    }

    @Test(
        "A mistake is told with its line and what was expected",
        arguments: [
            ("recordings: [{file: a, text: 一}, {file: a, text: 二}]", "expected each file once"),
            ("recordings: [{file: a, text: 一}, {file: b, text: 一}]", "expected each text once"),
            ("chime: a\nrecordings: [{file: a, text: 一}]", "expected each file once"),
            ("recordings: [{file: ../a, text: 一}]", "letters a–z, digits and hyphens"),
            ("recordings: [{file: A, text: 一}]", "letters a–z, digits and hyphens"),
            ("recordings: [{file: \"\", text: 一}]", "letters a–z, digits and hyphens"),
            ("recordings: [{file: a, text: \" \"}]", "expected text"),
            ("recordings: [{file: a}]", "missing"),
            ("recordings: [{file: a, text: 一, sya: yi1}]", "expected one of file, text, say"),
            ("recordings: [{file: a, text: 一, say: yi1}]", "needs the top-level key \"synthesis\""),
            ("synthesis: {program: espeak, voice: zh, speed: 170, pitch: 45}\nrecordings: []", "espeak-ng"),
            ("synthesis: {program: espeak-ng, voice: zh, speed: 5, pitch: 45}\nrecordings: []", "80 to 450"),
            ("synthesis: {program: kokoro, voice: zf_xiaoxiao}\nrecordings: []", "phonemes"),
            ("synthesis: {program: kokoro, voice: a, phonemes: pinyin, speed: 3}\nrecordings: []", "0.5 to 2"),
            ("synthesis: {program: kokoro, voice: a, phonemes: pinyin, pitch: 3}\nrecordings: []", "unknown key"),
            ("recordings: [{file: a, text: 一, ending: true}, {file: b, text: 一, ending: true}]", "as an ending"),
            ("recordings: [{file: a, text: 一, ending: maybe}]", "true or false"),
            ("recordings: 5", "expected a list"),
            ("chime: a\nkinds: {deposit: {words: x, chime: a}}\nrecordings: []", "kinds.deposit.chime: this chime"),
            ("kinds: {deposit: {words: x, chime: a}}\nrecordings: [{file: a, text: x}]", "expected each file once"),
        ])
    func mistakes(text: String, expected: String) throws {
        let error = try #require(throws: YAMLError.self) { try list(format + text) }
        #expect(error.description.hasPrefix("voice.yaml:"))
        #expect(error.description.contains(expected))
    }

    @Test(
        "A format that no sink or ear could use is refused", arguments: ["7999, loudness: -22", "22050, loudness: 3"])
    func format(values: String) {
        #expect(throws: YAMLError.self) { try list("recording_format: {sample_rate: \(values)}\nrecordings: []") }
    }
}
