import SoundboxCore
import SoundboxSpeech
import TestSupport
import Testing
import VoiceTestSupport

@testable import SoundboxVoice

@Suite("Several speakers of one language")
struct SpeakersTests {
    private let folder: TestSupport.TemporaryFolder
    private var voices: VoiceFolder { VoiceFolder(path: folder.path) }

    init() throws { folder = try TestSupport.TemporaryFolder() }

    private func write(_ name: String, _ speaker: String?) throws {
        try SpeakerFolder.write(name, speaker: speaker, in: folder.path)
    }

    /// Who speaks, and why not who was asked for.
    private func speaking(_ speaker: String?) throws -> (name: String, standIn: StandIn?) {
        let (voice, standIn) = try voices.speaking("zh-CN", speaker: speaker) { $0 }
        return (voice.name, standIn)
    }

    @Test("Each folder is a voice, and a language is there once")
    func entries() throws {
        try write("zh-CN", "xiaoxiao")
        try write("zh-CN-yunxi", "yunxi")
        #expect(voices.names == ["zh-CN", "zh-CN-yunxi"])
        #expect(voices.locales == ["zh-CN"])
        #expect(voices.entries.map(\.speaker?.name) == ["XIAOXIAO", "YUNXI"])
        #expect(voices.entries.map(\.isUsual) == [true, false])
    }

    @Test("A voice is opened by its folder's name; the usual speaker's has two")
    func names() throws {
        try write("zh-CN", "xiaoxiao")
        try write("zh-CN-yunxi", "yunxi")
        for (asked, opened) in [
            ("zh-CN", "zh-CN"), ("zh-CN-yunxi", "zh-CN-yunxi"), ("zh-CN-xiaoxiao", "zh-CN"),
        ] {
            let voice = try voices.voice(asked)
            #expect(voice.name == opened && voice.language.locale == "zh-CN")
        }
        for asked in ["zh-CN-", "zh-CN-yunx", "zh", "../zh-CN", ""] {
            #expect(
                throws: VoiceError.notFound(
                    name: asked, directory: folder.path, available: ["zh-CN", "zh-CN-yunxi"])
            ) { try voices.voice(asked) }
        }
    }

    @Test(
        "A folder beside a language names its speaker as it is called itself",
        arguments: [
            (nil, "speaker.id: this key is missing; a folder \"zh-CN-yunxi\" beside \"zh-CN\" is another speaker's"),
            ("yunyang", "speaker.id: \"yunyang\" does not fit the folder \"zh-CN-yunxi\"; expected \"yunxi\""),
            ("Yunxi", "speaker.id: expected 2 to 32 small letters and digits"),
            ("yun-xi", "speaker.id: expected 2 to 32 small letters and digits"),
        ])
    func fits(speaker: String?, problem: String) throws {
        try write("zh-CN-yunxi", speaker)
        let error = try #require(throws: VoiceError.self) { try voices.voice("zh-CN-yunxi") }
        #expect(error.description.contains("zh-CN-yunxi/voice.yaml"))
        #expect(error.description.contains(problem))
    }

    @Test("Whoever was chosen speaks, and nobody chosen is the language's own folder")
    func chosen() throws {
        try write("zh-CN", "xiaoxiao")
        try write("zh-CN-yunxi", "yunxi")
        for (speaker, name) in [(nil, "zh-CN"), ("yunxi", "zh-CN-yunxi"), ("xiaoxiao", "zh-CN")] {
            #expect(try speaking(speaker) == (name, nil))
        }
    }

    @Test("Where only another speaker is installed, that one speaks, and it is no fault that nobody was chosen")
    func onlyOne() throws {
        try write("zh-CN-yunxi", "yunxi")
        let (name, standIn) = try speaking(nil)
        #expect(name == "zh-CN-yunxi")
        #expect(standIn == .onlyOne(locale: "zh-CN", speaks: "zh-CN-yunxi") && standIn?.isFault == false)
        #expect(try speaking("yunxi") == ("zh-CN-yunxi", nil))
    }

    @Test("Where the speaker who was chosen is not installed, another one speaks, and it is a fault")
    func notInstalled() throws {
        try write("zh-CN-yunxi", "yunxi")
        try write("zh-CN-yunyang", "yunyang")
        #expect(try speaking("xiaoxiao").name == "zh-CN-yunxi")
        try write("zh-CN", "xiaoxiao")
        let (name, standIn) = try speaking("emma")
        #expect(name == "zh-CN")
        #expect(standIn == .notInstalled(locale: "zh-CN", speaker: "emma", speaks: "zh-CN"))
        #expect(standIn?.isFault == true)
        #expect(standIn?.description == "speaker \"emma\" of zh-CN is not installed; zh-CN speaks instead")
    }

    @Test("A folder that is called like a speaker's and speaks another language is nobody's who was asked for")
    func foreignFolder() throws {
        try write("zh-CN", "xiaoxiao")
        try SpeakerFolder.write("zh-CN-yunxi", speaker: "yunxi", in: folder.path) {
            $0.replacing("locale: zh-CN", with: "locale: zh-TW")
        }
        let (name, standIn) = try speaking("yunxi")
        #expect(name == "zh-CN")
        #expect(standIn == .notInstalled(locale: "zh-CN", speaker: "yunxi", speaks: "zh-CN"))
    }

    @Test("Where the speaker who was chosen cannot be used, another one speaks, and the fault says why")
    func unusable() throws {
        try write("zh-CN", "xiaoxiao")
        try write("zh-CN-yunxi", "yunxi")
        try folder.write("locale: zh-CN\nspeaker: {id: yunxi, name: x}\n", to: "zh-CN-yunxi/voice.yaml")
        let (name, standIn) = try speaking("yunxi")
        #expect(name == "zh-CN" && standIn?.isFault == true)
        #expect(standIn?.description.contains("zh-CN-yunxi/voice.yaml") == true)
        #expect(standIn?.description.hasSuffix("; zh-CN speaks instead") == true)
        // What is needed of a voice counts, too: here, that it can be played.
        try write("zh-CN-yunxi", "yunxi")
        let silent = VoiceError.recording(.unusable(file: "x", reason: "it is silent"))
        let voice = try voices.speaking("zh-CN", speaker: nil) { (voice) throws(VoiceError) in
            if voice.name == "zh-CN" { throw silent }
            return voice
        }
        #expect(voice.prepared.name == "zh-CN-yunxi")
        #expect(voice.standIn == .unusable(silent, speaks: "zh-CN-yunxi"))
    }

    @Test("Where nobody of the language can be used, the error is that of whoever was asked for")
    func nobody() throws {
        try write("zh-CN-yunxi", "yunxi")
        try write("zh-CN", "xiaoxiao")
        for name in ["zh-CN", "zh-CN-yunxi"] { try folder.write("locale: [\n", to: "\(name)/voice.yaml") }
        let error = try #require(throws: VoiceError.self) { try speaking(nil) }
        #expect(error.description.contains("/zh-CN/voice.yaml"))
        // Another language with the same beginning is none of this one's speakers.
        try SpeakerFolder.write("zh-Hant-TW", speaker: nil, in: folder.path) {
            $0.replacing("locale: zh-CN", with: "locale: zh-Hant-TW")
        }
        #expect(throws: VoiceError.self) { try voices.speaking("zh-Hant", speaker: nil) { $0 } }
        #expect(throws: VoiceError.self) { try voices.speaking("zh", speaker: "TW") { $0 } }
    }
}
