import SoundboxCore
import SoundboxTesting
import SoundboxVoice
import Testing
import VoiceTestSupport

@testable import SoundboxBox

@Suite("What senders may have said by the box's voices")
struct CustomMessageSpeechTests {
    private func rules(texts: Bool = false) throws -> CustomMessageSpeech {
        CustomMessageSpeech(voices: Voices(first: try Voice.shipped()), saysNoticeTexts: texts, clips: FakeClipSource())
    }

    private func customMessage(_ content: CustomMessage.Content, id: String = "e-1", isRing: Bool = false) throws
        -> CustomMessage
    {
        CustomMessage(
            id: try CommandID(id), purpose: isRing ? .ring(timeout: .seconds(30)) : .say, content: content, at: .now)
    }

    @Test("The text of a notice is not said unless the configuration wants it, and then by the rule for payers")
    func texts() throws {
        #expect(try rules().problemOfText("谢谢老板") == "not said here; payments.text is not set")
        #expect(try rules(texts: true).problemOfText("谢谢老板") == nil)
        #expect(try rules(texts: true).problemOfText("转你五百了") == #"must not say "五百", which is a number"#)
        #expect(try rules(texts: true).problemOfText("")?.hasPrefix("expected") == true)
        #expect(try rules(texts: true).problemOfText("[[daozhang]]")?.hasPrefix("must not contain") == true)
    }

    @Test(
        "Prompts may be said as they are; other segments are judged as a text, together",
        arguments: [
            (["欢迎使用收款音箱"], nil), (["网络已连接", "有一条消息"], nil), (["五", "十"], nil),
            (["收款"], "segments: must not say \"收款\""),
            (["五", "欢迎使用收款音箱", "元"], "segments: must not say \"元\""), (["已取消"], "segments: must not say \"已取消\""),
            (["重复播报"], "segments: must not say"), (["存储故障"], "segments"), (["登录验证码", "五"], "segments"),
            (["五", "元"], "segments: must not say \"元\""), (["天气"], "segments[0]: the voice has no recording of"),
        ] as [([String], String?)])
    func segments(segments: [String], problem: String?) throws {
        let found = try rules().problem(of: try customMessage(.segments(segments)))
        if let problem {
            #expect(found?.hasPrefix(problem) == true, "\(found ?? "")")
        } else {
            #expect(found == nil)
        }
    }

    @Test("Texts, and what is said in place of a clip, are refused with their field and the words")
    func fields() throws {
        let clip = ClipReference(url: "https://cdn.example.com/a", sha256: String(repeating: "a", count: 64))
        let refusal = #"text: must not say "支付宝", which is the name of a channel"#
        #expect(try rules().problem(of: customMessage(.text("支付宝一百"))) == refusal)
        #expect(
            try rules().problem(of: customMessage(.clip(clip, otherwise: "支付宝一百"), isRing: true)) == refusal)
        #expect(try rules().problem(of: customMessage(.clip(clip, otherwise: nil))) == nil)
        #expect(try rules().problem(of: customMessage(.text("网络已连接"))) == nil)
    }
}
