import SoundboxAudio
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxVoice
import Testing
import VoiceTestSupport

@Suite("Everything that a voice has to say")
struct VoiceTourTests {
    @Test("A shipped voice says every sentence, prompt, kind, channel and currency", arguments: ["zh-CN", "en-US"])
    func complete(name: String) throws {
        let voice = try Voice.shipped(name)
        let stops = VoiceTour(voice).parts.flatMap(\.stops)
        let texts = try stops.map { try $0.script.get().text }
        #expect(texts.allSatisfy { !$0.isEmpty })
        let keys = Set(stops.map(\.key))
        for sentence in Language.Sentence.allCases where voice.language.sentences[sentence] != nil {
            #expect(keys.contains("sentences.\(sentence.rawValue)"))
        }
        for prompt in Prompt.allCases where voice.language.prompts[prompt] != nil {
            #expect(keys.contains("prompts.\(prompt.rawValue)"))
        }
        for kind in voice.language.kinds.keys { #expect(keys.contains("kinds.\(kind.text)")) }
        for word in voice.language.channels.values { #expect(texts.contains { $0.contains(word) }) }
        for words in voice.language.units.values { #expect(texts.contains { $0.contains(words.unit.other) }) }
    }

    @Test("What the recordings do not cover is told with its key, and the rest is still said")
    func gap() throws {
        let folder = try SoundFolder()
        let text = try SmallFile.read("\(shippedSounds)/en-US/voice.yaml")
        try folder.write(text.replacing("  - {file: two, text: two, say: two}\n", with: "").utf8, to: "voice.yaml")
        let stops = VoiceTour(try Voice(directory: folder.path)).parts.flatMap(\.stops)
        let failed = stops.filter { if case .failure = $0.script { true } else { false } }
        #expect(!failed.isEmpty && failed.count < stops.count / 2)
        #expect(failed.contains { $0.key == "counts" })
        #expect(stops.contains { if case .success = $0.script { true } else { false } })
    }
}
