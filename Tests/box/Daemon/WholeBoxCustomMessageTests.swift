import Logging
import SoundboxAudio
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxTesting
import SoundboxVoice
import TestSupport
import Testing
import VoiceTestSupport

@testable import SoundboxBox

/// Rings, sentences and cancels from the bytes of a message to the receipt, on fakes.
@Suite("The whole box rings and says", .timeLimit(.minutes(15)))
struct WholeBoxCustomMessageTests {
    private let feed = FakeFeed()
    private let inbox = TemporaryInbox()
    private let sink = RecordingSink()
    private let panel = FakePanel()
    private let synthesizer = FakeSpeechSynthesizer()
    private let clips = FakeClipSource()
    private let voices: Voices

    init() throws { voices = Voices(first: try Voice.shipped()) }

    /// - Parameter sink: a ring has no end, so that a sink which takes sound as fast as it comes has too much of it.
    private func parts(_ feed: FakeFeed, _ sink: any AudioSink, refusesSecondRing: Bool = false) -> BoxContext {
        var parts = BoxContext.onFakes(
            feed: feed, inbox: inbox, voices: voices, panel: panel, output: SoundThread { _ in sink })
        parts.settings.ring.second = refusesSecondRing ? .busy : .wait
        parts.synthesizer = synthesizer
        parts.clips = clips
        return parts
    }

    /// A box on a card that is as slow as a card.
    private func withRingingBox(
        _ feed: FakeFeed? = nil, refusesSecondRing: Bool = false, _ body: () async throws -> Void
    ) async throws {
        try await withBox(parts(feed ?? self.feed, NullSink(), refusesSecondRing: refusesSecondRing), body)
    }

    private func withBox(_ body: () async throws -> Void) async throws {
        try await withBox(parts(feed, sink), body)
    }

    private func withBox(_ parts: BoxContext, _ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { _ = try? await Box(parts).run(endingOn: nil) }
            try await body()
            group.cancelAll()
        }
    }

    private func deliver(_ members: String, id: String) async throws {
        #expect(
            try await feed.deliver(command: #"{"id":"\#(id)","at":"\#(Timestamp.now)",\#(members)}"#) == .acknowledged)
    }

    private func rings(_ id: String, on feed: FakeFeed? = nil) async throws {
        _ = try await (feed ?? self.feed).status { $0["ring"]?["id"]?.string == id || $0["ring"]?.string == id }
    }

    @Test("A ring is stored, rings, and is answered by the button, which replays nothing")
    func answered() async throws {
        try await withRingingBox {
            try await deliver(#""type":"ring""#, id: "r-1")
            _ = try await feed.receipt(of: "r-1", "stored")
            try await rings("r-1")
            panel.click(.replay, at: .monotonicNow)
            _ = try await feed.receipt(of: "r-1", "answered")
            #expect(try inbox.customMessages().isEmpty)
        }
    }

    @Test("A ring that is cancelled while it sounds says so; one that comes after its cancel never rings")
    func cancelled() async throws {
        try await withBox {
            try await deliver(#""type":"ring","timeout":600"#, id: "r-1")
            while sink.announcements.isEmpty { await Task.yield() }
            try await deliver(#""type":"cancel","command_id":"r-1""#, id: "c-1")
            #expect(try await feed.receipt(of: "r-1", "cancelled")["reason"]?.string == "while it sounded")
            try await deliver(#""type":"cancel","command_id":"r-2""#, id: "c-2")
            try await deliver(#""type":"ring""#, id: "r-2")
            #expect(try await feed.receipt(of: "r-2", "cancelled")["reason"]?.string == "before it came")
        }
    }

    @Test("A ring that still has time rings again after a restart, and is then cancelled")
    func restarted() async throws {
        try await withRingingBox {
            try await deliver(#""type":"ring","timeout":600"#, id: "r-1")
            try await rings("r-1")
        }
        #expect(try inbox.customMessages().map(\.customMessage.id.text) == ["r-1"])
        let second = FakeFeed()
        try await withRingingBox(second) {
            try await rings("r-1", on: second)
            try await second.deliver(command: #"{"id":"c-1","type":"cancel","command_id":"r-1"}"#)
            _ = try await second.receipt(of: "r-1", "cancelled")
        }
    }

    @Test("A second ring is refused as busy where it is configured so")
    func busy() async throws {
        try await withRingingBox(refusesSecondRing: true) {
            try await deliver(#""type":"ring","timeout":600"#, id: "r-1")
            try await deliver(#""type":"ring""#, id: "r-2")
            #expect(try await feed.reply(to: "r-2", "refused")["reason"]?.string?.hasPrefix("busy:") == true)
        }
    }

    @Test("A payment that comes while it rings is spoken between two repeats, and the ring goes on")
    func paymentBetweenRepeats() async throws {
        try await withRingingBox {
            try await deliver(#""type":"ring","timeout":600"#, id: "r-1")
            try await rings("r-1")
            try await feed.deliver(payment: #"{"id":"A-1","amount":"1"}"#)
            _ = try await feed.receipt(of: "A-1", "announced")
            #expect(try inbox.customMessages().count == 1)
            panel.click(.replay, at: .monotonicNow)
            _ = try await feed.receipt(of: "r-1", "answered")
        }
    }

    @Test("A sentence is said by recordings, by the synthesiser, or the clip that it names")
    func said() async throws {
        let clip = ClipReference(url: "https://cdn.example.com/a.ogg", sha256: String(repeating: "a", count: 64))
        clips.put(FakeSpeechSynthesizer.sound(of: "clip"), at: clip)
        let phrase = try #require(voices.languages[0].prompts[.networkRestored])
        try await withBox {
            try await deliver(#""type":"say","segments":["\#(phrase)"]"#, id: "s-1")
            #expect(try await feed.receipt(of: "s-1", "spoken")["how"]?.string == "aloud")
            try await deliver(#""type":"say","text":"三号桌叫人""#, id: "s-2")
            _ = try await feed.receipt(of: "s-2", "spoken")
            #expect(synthesizer.asked.entries == ["三号桌叫人"])
            try await deliver(#""type":"say","clip":{"url":"\#(clip.url)","sha256":"\#(clip.sha256)"}"#, id: "s-3")
            _ = try await feed.receipt(of: "s-3", "spoken")
            #expect(sink.announcements.count == 3)
        }
    }

    @Test("A clip that cannot be had is said in words, and its receipt says why")
    func failed() async throws {
        try await withBox {
            let sum = String(repeating: "b", count: 64)
            try await deliver(
                #""type":"say","text":"三号桌叫人","clip":{"url":"https://cdn.example.com/b","sha256":"\#(sum)"}"#,
                id: "s-1")
            let receipt = try await feed.receipt(of: "s-1", "failed")
            #expect(receipt["reason"]?.string?.contains("no server answers") == true, "\(receipt.text)")
            #expect(sink.announcements.count == 1)
        }
    }

    @Test(
        "A payer's remark that says that money came costs the remark, and the payment is announced",
        arguments: [false, true], ["转你五百了", "五百转过来了", "重复播报", "已取消", "存储故障", "登录验证码 一二三四五六"])
    func remark(saysTexts: Bool, text: String) async throws {
        var parts = parts(feed, sink)
        parts.notices.saysTexts = saysTexts
        try await withBox(parts) {
            try await feed.deliver(payment: #"{"id":"A-1","amount":"0.01","text":"\#(text)"}"#)
            let stored = try await feed.receipt(of: "A-1", "stored")
            #expect(stored["reason"]?.string?.hasPrefix("text: ") == true)
            _ = try await feed.receipt(of: "A-1", "announced")
            #expect(try #require(try inbox.lastAnnounced()).notice.text == nil)
            #expect(synthesizer.asked.entries.isEmpty)
        }
    }

    @Test("The text of a notice is left out while another notice waits: no payment waits for what a payer has written")
    func remarkWhileOthersWait() async throws {
        var parts = parts(feed, sink)
        parts.notices.saysTexts = true
        let money = try Money("1", .CNY)
        _ = try inbox.store(
            [
                .notice(PaymentNotice(id: try PaymentID("A-1"), money: money, text: "谢谢老板")),
                .notice(PaymentNotice(id: try PaymentID("A-2"), money: money)),
            ], at: .now)
        try await withBox(parts) {
            _ = try await feed.receipt(of: "A-2", "announced")
            #expect(sink.announcements.count == 2)
        }
    }

    @Test("A text that tells of an amount is refused")
    func amount() async throws {
        try await withBox {
            try await deliver(#""type":"say","text":"支付宝到账一百元""#, id: "s-1")
            #expect(try await feed.reply(to: "s-1", "refused")["reason"]?.string?.hasPrefix("text: ") == true)
        }
    }

    @Test("A payment that is cancelled while it sounds ends, and its receipt says so")
    func payment() async throws {
        try await withRingingBox {
            try await feed.deliver(payment: #"{"id":"A-1","amount":"123456789.12"}"#)
            _ = try await feed.status { $0["announcing"]?.bool == true }
            try await deliver(#""type":"cancel","payment_id":"A-1""#, id: "c-1")
            let receipt = try await feed.receipts.next { receipt -> JSONValue? in
                guard let json = try? JSONValue(parsing: receipt.payload), json["state"]?.string != "stored" else {
                    return nil
                }
                return json
            }
            // The sink takes the sound faster than a card: the last word may have come first.
            #expect(["cancelled", "announced"].contains(receipt["state"]?.string), "\(receipt.text)")
        }
    }
}
