import SoundboxCore
import Testing
import VoiceTestSupport

@testable import SoundboxVoice

@Suite("A box with several voices")
struct VoicesTests {
    private let mandarin: Voice
    private let english: Voice

    init() throws {
        let folder = VoiceFolder(path: shippedSounds)
        mandarin = try folder.voice("zh-CN")
        english = try folder.voice("en-US")
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

    @Test("What one of them cannot say is told, and the other one still says it")
    func shortcoming() throws {
        var lame = english
        let dozen = try #require(lame.recordings.entries.firstIndex { $0.text == "twelve" })
        lame.leaveOut(.phrase(dozen), because: .unreadable(file: "twelve.flac", reason: "it is damaged"))
        let script = try Voices(first: mandarin, others: [lame]).script(for: payment("12"))
        #expect(script.text.contains("十二元"))
        #expect(script.shortcoming != nil)
    }
}
