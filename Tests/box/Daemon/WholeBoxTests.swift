import Glibc
import Logging
import SoundboxAudio
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxTesting
import TestSupport
import Testing
import VoiceTestSupport

@testable import SoundboxBox
@testable import SoundboxVoice

/// No broker, no disk, no card: what a shop hears is decided here all the same.
@Suite("The whole box on fakes", .timeLimit(.minutes(15)))
struct WholeBoxTests {
    private let feed = FakeFeed()
    private let inbox = TemporaryInbox()
    private let sink = RecordingSink()
    private let panel = FakePanel()
    private let log = Journal<String>()
    private let voice: Voice

    init() throws { voice = try Voice.shipped() }

    private func parts() -> BoxContext {
        var parts = BoxContext.onFakes(
            feed: feed, inbox: inbox, voices: Voices(first: voice), panel: panel,
            output: SoundThread { [sink] _ in sink })
        parts.logger = Logger(label: "box") { [log] _ in TextLog(lines: log) }
        return parts
    }

    private func withBox(_ others: BoxContext? = nil, _ body: () async throws -> Void) async throws {
        let parts = others ?? parts()
        try await withThrowingTaskGroup { group in
            group.addTask { _ = try? await Box(parts).run(endingOn: nil) }
            try await body()
            group.cancelAll()
        }
        #expect(sink.misuses.isEmpty)
    }

    /// What is heard when this is all that is said.
    private func alone(_ utterance: Utterance, _ delivery: Delivery = Delivery()) async throws -> [UInt8] {
        let sink = RecordingSink()
        let voices = Voices(first: voice)
        let player = Player(sink: sink, voices: voices, volume: Volume(100))
        try await player.play(voices.script(for: utterance), delivery)
        return try #require(sink.announcements.first)
    }

    @Test("Bytes of a payment become its words, the frames of these words with a vibration, and two receipts")
    func payment() async throws {
        sink.beforeNextWrite { [panel] in while !panel.driven.contains(where: \.isVibrating) { usleep(1000) } }
        try await withBox {
            let notice = #"{"id":"A-1","amount":"123.45","currency":"CNY","channel":"alipay"}"#
            #expect(try await feed.deliver(payment: notice) == .acknowledged)
            _ = try await feed.receipt(of: "A-1", "stored")
            _ = try await feed.receipt(of: "A-1", "announced")
            let words = try await log.next { $0.contains("announcing") ? $0 : nil }
            #expect(words.contains("支付宝到账,一百二十三点四五元"), "\(words)")
            let money = try Money("123.45", .CNY)
            #expect(try await sink.announcements == [alone(.payment(money, channel: "alipay"))])
        }
    }

    @Test("A box that is made anew leaves nothing of the old one")
    func gone() async throws {
        weak var state: BoxState?
        do {
            let parts = parts()
            state = parts.state
            try await withBox(parts) {
                #expect(try await feed.deliver(payment: #"{"id":"A-1","amount":"1"}"#) == .acknowledged)
                _ = try await feed.receipt(of: "A-1", "announced")
            }
        }
        // A thread that is just ending may have the last of it; one that is kept never ends this.
        while state != nil { try await Task.sleep(for: .milliseconds(10)) }
    }

    @Test("What came before the box was off is told from what comes first, before that can come")
    func start() throws {
        func arrive(_ id: String) throws {
            let notice = PaymentNotice(id: try PaymentID(id), money: try Money("1", .CNY))
            _ = try inbox.store([.notice(notice)], at: .now, clock: .unconfirmed)
        }
        try arrive("before")
        let parts = parts()
        _ = Box(parts)
        try arrive("first")
        // What the announcer does with its first look.
        try parts.clock.afterStep { _ in try inbox.distrustArrivalTimes() }
        #expect(try inbox.waiting(limit: 2).map(\.clock) == [.none, .unconfirmed])
    }

    @Test("A receipt tells how its payment was announced: aloud, muted, at volume 0 or in quiet hours without a sound")
    func audibilities() async throws {
        try await withBox {
            try await feed.deliver(payment: #"{"id":"M-1","amount":"1"}"#)
            #expect(try await feed.receipt(of: "M-1", "announced")["how"]?.string == "aloud")
            try await feed.deliver(command: #"{"id":"m-1","type":"volume","volume":"mute"}"#)
            _ = try await feed.status { $0["muted"]?.bool == true }
            try await feed.deliver(payment: #"{"id":"M-2","amount":"1"}"#)
            #expect(try await feed.receipt(of: "M-2", "announced")["how"]?.string == "muted")
            let line = try await log.next { $0.hasPrefix("announced ") && $0.contains("M-2") ? $0 : nil }
            #expect(line.contains("\"told\": muted"), "\(line)")
            try await feed.deliver(command: #"{"id":"m-2","type":"volume","volume":"unmute"}"#)
            try await feed.deliver(command: #"{"id":"m-3","type":"volume","volume":0}"#)
            _ = try await feed.status { $0["muted"]?.bool == false && $0["volume"]?.integer == 0 }
            try await feed.deliver(payment: #"{"id":"M-3","amount":"1"}"#)
            #expect(try await feed.receipt(of: "M-3", "announced")["how"]?.string == "volume_0")
        }
    }

    @Test("What is too late to be news is receipted with how its summary was told")
    func audibilityOfSummary() async throws {
        try await withBox {
            try await feed.deliver(command: #"{"id":"s-1","type":"volume","volume":0}"#)
            _ = try await feed.status { $0["volume"]?.integer == 0 }
            try await feed.deliver(payment: #"{"id":"S-1","amount":"1","paid_at":"2026-01-02T00:00:00Z"}"#)
            let receipt = try await feed.receipt(of: "S-1", "expired")
            #expect(receipt["how"]?.string == "volume_0" && receipt["summary"]?.string != nil, "\(receipt.text)")
        }
    }

    @Test("A payment whose message has expired is stored, and expired in a summary; a fresh one is spoken")
    func expiredMessage() async throws {
        try await withBox {
            func message(_ id: String, _ expiry: Duration?) -> FeedMessage {
                FeedMessage(
                    topic: .payments, payload: Array(#"{"id":"\#(id)","amount":"1"}"#.utf8), expiry: expiry)
            }
            try await feed.deliver([message("E-1", .zero), message("E-2", .seconds(3_600)), message("E-3", nil)])
            _ = try await feed.receipt(of: "E-1", "stored")
            let receipt = try await feed.receipt(of: "E-1", "expired")
            #expect(receipt["reason"]?.string == "told in a summary of 1", "\(receipt.text)")
            for id in ["E-2", "E-3"] { _ = try await feed.receipt(of: id, "announced") }
            // Its sender sends it once more: it is known.
            try await feed.deliver([message("E-1", nil)])
            _ = try await feed.receipt(of: "E-1", "duplicate")
        }
    }

    @Test(
        "A live payment is late by a confirmed clock only; what waited is late by one that is ahead as well",
        arguments: [200, 3_600] as [Int64])
    func live(secondsAhead: Int64) async throws {
        func message(_ id: String, paid ago: Int64, isLive: Bool = true) -> FeedMessage {
            let time = Timestamp(millisecondsSince1970: Timestamp.now.millisecondsSince1970 - ago * 1000)
            let text = #"{"id":"\#(id)","amount":"1","paid_at":"\#(time)"}"#
            return FeedMessage(topic: .payments, payload: Array(text.utf8), isLive: isLive)
        }
        try await withBox {
            try await feed.deliver([message("L-1", paid: 3 * 3_600)])
            _ = try await feed.receipt(of: "L-1", "expired")
            try await feed.deliver([message("L-2", paid: 1)])
            _ = try await feed.receipt(of: "L-2", "announced")
        }
        let other = FakeFeed()
        var ahead = parts()
        ahead.feed = other
        ahead.settings.announcements.freshness.expireAfter = .seconds(60)
        ahead.clock = BoxClock(newestKnown: nil) {
            let now = Timestamp(millisecondsSince1970: Timestamp.now.millisecondsSince1970 + secondsAhead * 1000)
            return BoxClock.Signs(now: now, isSynchronised: false, offset: .zero)
        }
        try await withBox(ahead) {
            try await other.deliver([message("L-3", paid: 1, isLive: false)])
            _ = try await other.receipt(of: "L-3", "expired")
            try await other.deliver([message("L-4", paid: 1)])
            _ = try await other.receipt(of: "L-4", "announced")
            let command = #"{"id":"v-1","at":"\#(Timestamp.now)","type":"volume","volume":70}"#
            try await other.deliver([FeedMessage(topic: .commands, payload: Array(command.utf8), isLive: true)])
            _ = try await other.reply(to: "v-1", "ok")
        }
    }

    @Test("A box that may says that it is ready as soon as payments can arrive, and with no chime")
    func ready() async throws {
        var parts = parts()
        parts.settings.networkPrompts = NetworkPromptSettings()
        try await withBox(parts) {
            _ = try await log.next { $0.contains("announcing") && $0.contains("greeting") ? () : nil }
            try await feed.deliver(payment: #"{"id":"R-1","amount":"1"}"#)
            _ = try await feed.receipt(of: "R-1", "announced")
            let prompt = try await alone(.prompt(.greeting), Delivery(hasChime: false, gap: .milliseconds(200)))
            #expect(sink.announcements.first == prompt)
        }
    }

    @Test("In quiet hours it does not say so by itself")
    func quietReady() async throws {
        var parts = parts()
        parts.settings.networkPrompts = NetworkPromptSettings()
        parts.settings.quietHours.hours = QuietHours(start: 0, end: 1440, volume: 100)
        try await withBox(parts) {
            for number in 1...3 {
                try await feed.deliver(payment: #"{"id":"Q-\#(number)","amount":"1"}"#)
                _ = try await feed.receipt(of: "Q-\(number)", "announced")
            }
            #expect(sink.announcements.count == 3)
            #expect(!log.entries.contains { $0.contains("greeting") })
        }
    }

    @Test("One batch with a duplicate, a cancelled payment and one that is none: each gets its answer, one is heard")
    func batch() async throws {
        sink.fail(.open, with: .unavailable(device: "recording", reason: "away"), times: 2)
        try await withBox {
            let messages = [
                #"{"id":"B-1","amount":"1"}"#, #"{"id":"B-1","amount":"1"}"#, #"{"id":"B-2","amount":"2"}"#,
                #"{"id":"B-3","amount":"-3"}"#,
            ].map { FeedMessage(topic: .payments, payload: Array($0.utf8)) }
            let cancel = #"{"id":"c-1","type":"cancel","payment_id":"B-2"}"#
            let batch = messages + [FeedMessage(topic: .commands, payload: Array(cancel.utf8))]
            #expect(try await feed.deliver(batch) == .acknowledged)
            var states: [String] = []
            while states.count < 6 {
                let receipt = try await feed.receipts.next { try? JSONValue(parsing: $0.payload) }
                states.append("\(receipt["id"]?.string ?? "") \(receipt["state"]?.string ?? "")")
            }
            #expect(
                states == [
                    "B-1 stored", "B-1 duplicate", "B-2 stored", "B-3 rejected", "B-2 cancelled", "B-1 announced",
                ])
            let payment = try await alone(.payment(try Money("1", .CNY), channel: nil))
            // The box also says that one could not be read.
            #expect(sink.announcements.count { $0 == payment } == 1 && sink.announcements.count < 3)
        }
    }

    @Test("A payment and the refund under its id are both heard, each with receipts of its own, and neither twice")
    func refund() async throws {
        try await withBox {
            let payment = #"{"id":"A-1","amount":"9"}"#
            let refund = #"{"id":"A-1","amount":"5","kind":"refund"}"#
            try await feed.deliver(payment: payment)
            #expect(try await feed.receipt(of: "A-1", "announced")["kind"] == nil)
            try await feed.deliver(payment: refund)
            #expect(try await feed.receipt(of: "A-1", "announced")["kind"]?.string == "refund")
            for notice in [payment, refund] { try await feed.deliver(payment: notice) }
            #expect(try await feed.receipt(of: "A-1", "duplicate")["kind"] == nil)
            #expect(try await feed.receipt(of: "A-1", "duplicate")["kind"]?.string == "refund")
            let sounds = try await [
                alone(.payment(try Money("9", .CNY), channel: nil)), alone(.refund(try Money("5", .CNY))),
            ]
            #expect(sink.announcements == sounds)
        }
    }

    @Test("A payment that cannot be stored is not acknowledged and not heard, and both when it comes again")
    func refused() async throws {
        try await withBox {
            _ = try await feed.status { $0["state"]?.string == "online" }
            inbox.fail(with: .failed(path: "memory", reason: "no space left"))
            let answer = try await feed.deliver(payment: #"{"id":"C-1","amount":"5"}"#)
            #expect(answer != .acknowledged)
            #expect(feed.acknowledged.entries.isEmpty)
            // That the disk fails is said, sooner or later.
            let fault = try await alone(.prompt(.storageFault), Delivery(hasChime: false, gap: .milliseconds(200)))
            #expect(sink.announcements.allSatisfy { $0 == fault })
            inbox.fail(with: nil)
            #expect(try await feed.redeliver() == .acknowledged)
            _ = try await feed.receipt(of: "C-1", "announced")
        }
    }

    @Test("No frame is written before the disk holds the payment")
    func storedBeforeSound() async throws {
        let waiting = Journal<Int?>()
        sink.beforeNextWrite { [inbox] in waiting.append((try? inbox.waiting(limit: 9))?.count) }
        try await withBox {
            try await feed.deliver(payment: #"{"id":"D-1","amount":"5"}"#)
            #expect(try await waiting.next() == 1)
        }
    }

    @Test("For a payment that is known already the card may open and close again, and nothing is heard")
    func expectedInVain() async throws {
        var parts = parts()
        let output = SoundThread(closeWhenIdle: .milliseconds(1)) { [sink] _ in sink }
        parts.player = Player(on: output, voices: parts.voices, volume: Volume(100))
        try await withBox(parts) {
            try await feed.deliver(payment: #"{"id":"E-1","amount":"5"}"#)
            _ = try await feed.receipt(of: "E-1", "announced")
            while sink.isOpen { await Task.yield() }
            try await feed.deliver(payment: #"{"id":"E-1","amount":"5"}"#)
            _ = try await feed.receipt(of: "E-1", "duplicate")
            // Behind whatever it has asked of the card.
            try await output.checkDevice()
            while sink.isOpen { await Task.yield() }
            #expect(sink.announcements.count == 1)
        }
    }

    @Test("A card that hangs in opening delays neither the commit of a payment nor its acknowledgement")
    func hangingCard() async throws {
        let card = HangingCard()
        var parts = parts()
        parts.player = Player(
            on: SoundThread { _ in card }, voices: parts.voices, volume: Volume(100))
        try await withBox(parts) {
            await card.hangs.wait()
            for number in 1...3 {
                #expect(try await feed.deliver(payment: #"{"id":"H-\#(number)","amount":"5"}"#) == .acknowledged)
                _ = try await feed.receipt(of: "H-\(number)", "stored")
            }
            card.release()
            for number in 1...3 { _ = try await feed.receipt(of: "H-\(number)", "announced") }
        }
    }

    @Test("Settings that come while the box ends already do not cut off the payment that is being spoken")
    func endsOnce() async throws {
        var parts = parts()
        (parts.certificate, parts.remoteSettings) = (NoCertificate(takesAll: true), NoSettings())
        let mayGoOn = OneTimeSignal()
        sink.beforeNextWrite { while !mayGoOn.hasHappened { usleep(1000) } }
        let box = Box(parts)
        let settings = try #require(box.services.compactMap { $0 as? RemoteSettingsService }.first)
        // Longer than it is held here, however busy the machine.
        async let ending = box.run(endingOn: nil, within: .seconds(600))
        try await feed.deliver(payment: #"{"id":"S-1","amount":"100.05"}"#)
        _ = try await log.next { $0.hasPrefix("announcing ") ? $0 : nil }
        let certificate = #"-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n"#
        try await feed.deliver(command: #"{"id":"c-1","type":"certificate","certificate":"\#(certificate)"}"#)
        _ = try await log.next { $0.hasPrefix("stopping") ? $0 : nil }
        let command = #""type":"settings","settings":{"announce":{"expire_after":"1d"}}}"#
        let delivery = Task { [feed] in
            try await feed.deliver(command: #"{"id":"s-1","at":"\#(Timestamp.now)",\#(command)"#)
        }
        while await settings.ending == nil { try await Task.sleep(for: .milliseconds(10)) }
        mayGoOn.signal()
        #expect(try await ending == .remade)
        #expect(try await delivery.value == .acknowledged)
        #expect(try await sink.announcements == [alone(.payment(Money("100.05", .CNY), channel: nil))])
    }

    @Test("A button and a command of the broker act on the same volume; the status tells it, and it is kept")
    func volume() async throws {
        let folder = try TemporaryFolder()
        var parts = parts()
        parts.stateDirectory = folder.path
        try await withBox(parts) {
            _ = try await feed.status { $0["state"]?.string == "online" }
            #expect(try await feed.deliver(command: #"{"id":"v-1","type":"volume","volume":40}"#) == .acknowledged)
            _ = try await feed.status { $0["volume"]?.integer == 40 }
            panel.click(.volumeUp, at: .monotonicNow)
            _ = try await feed.status { ($0["volume"]?.integer ?? 0) > 40 }
        }
        #expect(try #require(StateFile.volume(in: folder.path).read()) > Volume(40))
    }
}

/// Keeps every line, with the values of its metadata.
/// Its opening comes back when it is let go.
private final class HangingCard: AudioSink {
    let hangs = OneTimeSignal()
    private let base = RecordingSink()
    private let gate = BlockingQueue<Never>()

    func release() { gate.finish() }
    func open() throws(AudioSinkError) -> PCMFormat {
        hangs.signal()
        _ = gate.next()
        return try base.open()
    }
    func write(_ frames: [UInt8]) throws(AudioSinkError) { try base.write(frames) }
    func drain() throws(AudioSinkError) { try base.drain() }
    func interrupt() { base.interrupt() }
    func close() { base.close() }
}

struct TextLog: LogHandler {
    let lines: Journal<String>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    init(lines: Journal<String>) { self.lines = lines }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        lines.append("\(event.message) \(event.metadata ?? [:])")
    }
}
