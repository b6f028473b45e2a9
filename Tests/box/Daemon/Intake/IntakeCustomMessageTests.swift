import Logging
import SoundboxCore
import SoundboxSpeech
import SoundboxTesting
import TestSupport
import Testing

@testable import SoundboxBox

@Suite("Rings, sentences and cancels as they arrive")
struct IntakeCustomMessageTests {
    /// Who was told what, in order.
    private enum Event: Sendable, Equatable {
        /// With how many receipts had been written by then.
        case hold(CancelTarget, receipts: Int)
        case letGo(CancelTarget, isCancelled: Bool)
    }

    private let inbox = TemporaryInbox()
    private let events = Journal<Event>()
    private let requests = AnnouncerRequests()
    private let topics: Topics

    init() throws { topics = try Topics(merchant: "M1001", device: "box-01") }

    /// - Parameters:
    ///   - takesFiles: whether settings and certificates are taken.
    ///   - hasBegun: whether a part of whatever is cancelled was heard.
    private func intake(
        isSigned: Bool = false, oneRing: Bool = false, rules: (any CustomMessageRules)? = nil, takesFiles: Bool = false,
        hasBegun: Bool = false
    ) throws -> Intake {
        let verifier = MessageVerifier(
            keys: [try SigningKey(MessageVerifierTests.secret)], required: true, topics: topics)
        let kinds = [try #require(KindName("queue_number")): NewsKind(words: "请{number}号")]
        return Intake(
            reader: .native(PaymentNoticeDecoder(defaultCurrency: .CNY)), verifier: isSigned ? verifier : nil,
            admission: NoticeAdmission(window: .seconds(3600), retainedWindow: .seconds(600)),
            rules: rules
                ?? FakeMessageRules(
                    kinds: kinds, text: { $0.contains("元") ? "tells of an amount" : nil },
                    words: { $0.contains("元") ? "tells of an amount" : nil },
                    missing: { $0.first { $0 == "未知" } }),
            ring: RingSettings(second: oneRing ? .busy : .wait), inbox: inbox, clock: BoxClock(newestKnown: nil),
            state: BoxState(volume: Volume(80)), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            requests: requests,
            delegate: IntakeHooks(
                held: { [events, inbox] target in
                    events.append(.hold(target, receipts: (try? inbox.receipts(after: 0, limit: 100).count) ?? -1))
                    return hasBegun
                }, released: { [events] in events.append(.letGo($0, isCancelled: $1)) },
                settings: { _ in takesFiles ? nil : "settings: none" },
                certificate: { _ in takesFiles ? nil : "certificate: none" }))
    }

    private func command(_ members: String, id: String = "r-1", isRetained: Bool = false) -> FeedMessage {
        let text = #"{"id":"\#(id)","at":"\#(Timestamp.now)",\#(members)}"#
        return FeedMessage(topic: .commands, payload: Array(text.utf8), isRetained: isRetained)
    }

    /// Whether the announcer was told that the inbox has changed, since the last look.
    private func takesNews() -> Bool {
        requests.with { asked in
            defer { asked.inboxChanged = false }
            return asked.inboxChanged
        }
    }

    private func payment(_ text: String) -> FeedMessage { FeedMessage(topic: .payments, payload: Array(text.utf8)) }

    /// `r-1 stored`, `A-1 stored text: …`; those of refused commands are with their intake.
    private func receipts(from intake: Intake? = nil) throws -> [String] {
        try (intake?.receipts(after: 0, limit: 100) ?? inbox.receipts(after: 0, limit: 100)).map { receipt in
            let json = try JSONValue(parsing: receipt.payload)
            let id = json["id"]?.string ?? json["command"]?.string ?? "null"
            return [id, (json["state"] ?? json["result"])?.string, json["reason"]?.string].compactMap(\.self).joined(
                separator: " ")
        }
    }

    @Test("A ring and a sentence are kept before they are acknowledged, once each, and those who wait are told")
    func stored() throws {
        let intake = try intake()
        try intake.commit([command(#""type":"ring""#)])
        #expect(takesNews())
        try intake.commit([command(#""type":"say","text":"欢迎光临""#, id: "s-1"), command(#""type":"ring""#)])
        #expect(takesNews())
        #expect(
            try receipts() == [
                "r-1 stored", "r-1 ok", "s-1 stored", "s-1 ok", "r-1 ok known: it was taken when it came first",
            ])
        #expect(try inbox.customMessages().map(\.customMessage.id.text) == ["r-1", "s-1"])
    }

    @Test("A second ring is refused as busy where it is configured so, and waits elsewhere")
    func busy() throws {
        let intake = try intake(oneRing: true)
        try intake.commit([command(#""type":"ring""#), command(#""type":"ring""#, id: "r-2")])
        #expect(
            try receipts(from: intake) == ["r-1 stored", "r-1 ok", "r-2 refused busy: another ring has not ended"])
        // One that was refused may be sent again.
        try self.intake().commit([command(#""type":"ring""#, id: "r-2")])
        #expect(try receipts().suffix(2) == ["r-2 stored", "r-2 ok"])
    }

    @Test("A ring that comes together with the cancel of the one before it is not busy")
    func cancelledBefore() throws {
        let intake = try intake(oneRing: true)
        try intake.commit([command(#""type":"ring""#)])
        try intake.commit([
            command(#""type":"cancel","command_id":"r-1""#, id: "c-1"), command(#""type":"ring""#, id: "r-2"),
        ])
        #expect(try inbox.customMessages().map(\.customMessage.id.text) == ["r-2"])
        #expect(
            try receipts(from: intake).suffix(4) == ["r-1 cancelled while it waited", "c-1 ok", "r-2 stored", "r-2 ok"])
    }

    @Test("What a cancel names is held before anything of its batch is on the disk, and let go afterwards")
    func hushedFirst() throws {
        let intake = try intake()
        try intake.commit([command(#""type":"ring""#)])
        let ring = CancelTarget.customMessage(try CommandID("r-1"))
        try intake.commit([
            payment(#"{"id":"A-1","amount":"1"}"#),
            command(#""type":"cancel","command_id":"r-1""#, id: "c-1"),
        ])
        #expect(
            events.entries == [
                .hold(ring, receipts: 2), .letGo(ring, isCancelled: true), .letGo(ring, isCancelled: false),
            ])
        #expect(takesNews())
        #expect(
            try receipts() == [
                "r-1 stored", "r-1 ok", "A-1 stored", "r-1 cancelled while it waited", "c-1 ok",
            ])
    }

    @Test("What had begun to sound is cancelled while it sounded, as its receipt says", arguments: ["r-1", "A-1"])
    func cancelledWhileItSounded(id: String) throws {
        let intake = try intake(hasBegun: true)
        try intake.commit([payment(#"{"id":"A-1","amount":"1"}"#), command(#""type":"ring""#)])
        let name = id == "r-1" ? "command_id" : "payment_id"
        try intake.commit([command(#""type":"cancel","\#(name)":"\#(id)""#, id: "c-1")])
        #expect(try receipts().suffix(2) == ["\(id) cancelled while it sounded", "c-1 ok"])
    }

    @Test("A cancel that comes first takes its ring back when that comes; one that comes too late says so")
    func order() throws {
        let intake = try intake()
        try intake.commit([command(#""type":"cancel","command_id":"r-1""#, id: "c-1"), command(#""type":"ring""#)])
        try intake.commit([command(#""type":"cancel","command_id":"r-1""#, id: "c-2")])
        #expect(
            try receipts() == [
                "c-1 ok command_id: not known yet; it ends as soon as it comes", "r-1 cancelled before it came",
                "r-1 refused cancelled before it came", "c-2 ok command_id: it is cancelled already",
            ])
        #expect(try inbox.customMessages().isEmpty)
    }

    @Test("What could not be cancelled is let go as well", arguments: [true, false])
    func notCancelled(diskFails: Bool) throws {
        let intake = try intake()
        if diskFails { inbox.fail(with: .failed(path: "inbox", reason: "disk full")) }
        _ = try? intake.commit([command(#""type":"cancel","payment_id":"unknown""#, id: "c-1")])
        #expect(events.entries.last == .letGo(.payment(try PaymentID("unknown")), isCancelled: false))
    }

    @Test("A forged cancel and a retained one hold nothing")
    func forged() throws {
        let members = #""type":"cancel","payment_id":"A-1""#
        for (intake, isRetained) in [(try intake(isSigned: true), false), (try intake(), true)] {
            try intake.commit([command(members, isRetained: isRetained)])
            #expect(try receipts(from: intake).map { $0.contains("refused") } == [true])
        }
        #expect(events.entries.isEmpty && !takesNews())
    }

    @Test("A signed cancel holds what it names")
    func signed() throws {
        let text = MessageVerifierTests.sign(
            #"{"id":"c-1","type":"cancel","payment_id":"A-1","signature":""}"#, topic: topics[.commands],
            secret: MessageVerifierTests.secret)
        try intake(isSigned: true).commit([FeedMessage(topic: .commands, payload: Array(text.utf8))])
        #expect(events.entries.first == .hold(.payment(try PaymentID("A-1")), receipts: 0))
    }

    @Test(
        "What may not be said is refused with its field, and nothing of it is kept",
        arguments: [
            (#""type":"say","text":"收款一元""#, "text: tells of an amount"),
            (#""type":"ring","segments":["一","元"]"#, "segments: tells of an amount"),
            (#""type":"ring","segments":["一","未知"]"#, "segments[1]: the voice has no recording of \"未知\""),
            (#""type":"say","kind":"deposit""#, "kind: deposit is unknown; expected queue_number"),
            (
                #""type":"say","kind":"queue_number""#,
                "number: this field is missing, and the words of queue_number need it"
            ),
            (
                #""type":"say","clip":{"url":"https://a.example/b","sha256":"\#(String(repeating: "a", count: 64))"}"#,
                "clips: not allowed here; set clips.hosts"
            ),
            (#""type":"say""#, "text: this field is missing; expected text, segments, clip or kind"),
        ])
    func refused(members: String, reason: String) throws {
        let intake = try intake()
        try intake.commit([command(members)])
        #expect(try receipts(from: intake) == ["r-1 refused \(reason)"])
        #expect(try inbox.customMessages().isEmpty && events.entries.isEmpty && !takesNews())
    }

    @Test("A kind with its number is taken")
    func kind() throws {
        try intake().commit([command(#""type":"say","kind":"queue_number","number":12"#)])
        #expect(try receipts() == ["r-1 stored", "r-1 ok"])
    }

    @Test("A notice's text that may not be said costs the text and not the payment, and its receipt says so")
    func noticeText() throws {
        try intake().commit([
            payment(#"{"id":"A-1","amount":"1","text":"收款一百元"}"#),
            payment(#"{"id":"A-2","amount":"1","text":"谢谢"}"#),
        ])
        #expect(try receipts() == ["A-1 stored text: tells of an amount", "A-2 stored"])
        #expect(try inbox.waiting(limit: 9).map(\.notice.text) == [nil, "谢谢"])
    }

    @Test("A ring that the disk refuses is not acknowledged, and comes again")
    func diskFails() throws {
        let intake = try intake()
        inbox.fail(with: .failed(path: "memory", reason: "no space left"))
        let ring = command(#""type":"ring""#)
        #expect(throws: InboxError.self) { try intake.commit([ring]) }
        inbox.fail(with: nil)
        try intake.commit([ring])
        #expect(try receipts() == ["r-1 stored", "r-1 ok"])
    }

    @Test(
        "Settings and a certificate are not acknowledged by a disk that takes no reply, and are answered when it does")
    func diskTakesNoReply() throws {
        let intake = try intake(takesFiles: true)
        let settings = command(#""type":"settings","settings":{}"#, id: "s-1")
        let certificate = command(
            #""type":"certificate","certificate":"-----BEGIN CERTIFICATE-----""#, id: "c-1")
        inbox.fail(with: .failed(path: "memory", reason: "no space left"))
        for message in [settings, certificate] { #expect(throws: InboxError.self) { try intake.commit([message]) } }
        inbox.fail(with: nil)
        try intake.commit([settings, certificate])
        #expect(try receipts() == ["s-1 ok", "c-1 ok"])
    }
}
