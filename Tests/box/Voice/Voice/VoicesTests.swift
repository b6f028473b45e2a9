import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import Testing
import VoiceTestSupport

@testable import SoundboxVoice

@Suite("A box with several voices")
struct VoicesTests {
    private let mandarin: Voice
    private let english: Voice

    init() throws {
        mandarin = try Voice.shipped()
        english = try Voice.shipped("en-US")
    }

    private func payment(_ amount: String) throws -> Utterance {
        .payment(try Money(amount, .CNY), channel: "alipay")
    }

    @Test("Each says the whole announcement, one after the other, with a rest in between")
    func both() throws {
        let voices = Voices(first: mandarin, others: [english])
        let script = try voices.script(for: payment("12"))
        let alone = try (
            mandarin.writer.script(for: payment("12")), english.writer.script(for: payment("12"))
        )
        #expect(script.text == "\(alone.0.text) \(alone.1.text)")
        #expect(script.elements.count == alone.0.elements.count + 1 + alone.1.elements.count)
        #expect(script.elements[alone.0.elements.count] == .pause(Voices.rest))
    }

    @Test("A recording of the second voice is the second voice's")
    func owner() throws {
        let voices = Voices(first: mandarin, others: [english])
        let number = mandarin.recordings.entries.count + 3
        #expect(
            try voices.samples(of: .phrase(number), at: 22_050) == english.samples(of: .phrase(3), at: 22_050))
        #expect(try voices.samples(of: .phrase(3), at: 22_050) == mandarin.samples(of: .phrase(3), at: 22_050))
    }

    @Test("A kind may have a chime of its own, and neither the file nor a copy of the payments' chime")
    func chimesOfKinds() throws {
        let folder = try SoundFolder()
        let source = shippedSounds + "/en-US"
        for name in ["chime", "deposit", "number"] {
            try folder.write(SmallFile.bytes(of: "\(source)/\(name).opus", limit: 1 << 20), to: "\(name).opus")
        }
        try folder.write(SmallFile.bytes(of: "\(source)/chime.opus", limit: 1 << 20), to: "copy.opus")
        let text = try String(decoding: SmallFile.bytes(of: "\(source)/voice.yaml", limit: 1 << 20), as: UTF8.self)
        func voice(chime: String) throws -> Voice {
            let changed = text.replacing("  deposit:\n", with: "  deposit:\n    chime: \(chime)\n")
            try folder.write(changed.utf8, to: "voice.yaml")
            return try Voice(directory: folder.path)
        }
        for chime in ["chime", "copy"] {
            let error = try #require(throws: VoiceError.self) { try voice(chime: chime) }
            #expect(error.description.contains("kinds.deposit.chime: "))
        }
        try folder.write(SmallFile.bytes(of: "\(source)/number.opus", limit: 1 << 20), to: "bell.opus")
        let voice = try voice(chime: "bell")
        let kind = try #require(KindName("deposit"))
        let script = voice.writer.script(for: .kind(kind, amount: try Money("5", .CNY), number: nil))
        let bell = voice.recordings.playable.count - 1
        #expect(script.elements.first == .phrase(bell))
        #expect(try !voice.samples(of: .phrase(bell), at: 22_050).isEmpty)
        // Without it the words are still said.
        var lame = voice
        lame.leaveOut(.phrase(bell), because: .unreadable(file: "bell.opus", reason: "it is damaged"))
        let rest = lame.writer.script(for: .kind(kind, amount: try Money("5", .CNY), number: nil))
        #expect(rest.text == script.text && rest.elements == Array(script.elements.dropFirst(2)))
    }

    @Test("News of a kind that one of them does not know is told by the other one, and whole")
    func unknownKind() throws {
        let folder = try SoundFolder()
        let bytes = try SmallFile.bytes(of: "\(english.directory)/voice.yaml", limit: 1 << 20)
        let text = String(decoding: bytes, as: UTF8.self)
        let older = text.replacing(/kinds:\n(?:[ #].*\n)+/, with: "")
        #expect(older != text)
        try folder.write(older.utf8, to: "voice.yaml")
        let voices = Voices(first: mandarin, others: [try Voice(directory: folder.path)])
        let number = Utterance.kind(try #require(KindName("queue_number")), amount: nil, number: 12)
        for utterance in [number, .replay(number)] {
            let script = voices.script(for: utterance)
            #expect(script.shortcoming == nil && script.text.contains("十二"), "\(script.text)")
            #expect(script.text == Voices(first: mandarin).script(for: utterance).text)
        }
        // What no voice knows is nobody's, and told as far as it can be.
        let nothing = Utterance.kind(try #require(KindName("no_such_kind")), amount: nil, number: nil)
        #expect(voices.script(for: nothing).shortcoming != nil)
        #expect(try voices.script(for: payment("12")).text.contains("twelve"))
    }

    @Test("What one of them cannot say is told, and the other one still says it")
    func shortcoming() throws {
        var lame = english
        let dozen = try #require(lame.recordings.entries.firstIndex { $0.text == "twelve" })
        lame.leaveOut(.phrase(dozen), because: .unreadable(file: "twelve.opus", reason: "it is damaged"))
        let script = try Voices(first: mandarin, others: [lame]).script(for: payment("12"))
        #expect(script.text.contains("十二元"))
        #expect(script.shortcoming != nil)
    }
}
