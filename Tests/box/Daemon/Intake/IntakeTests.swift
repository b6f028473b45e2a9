import Logging
import SoundboxControl
import SoundboxCore
import SoundboxLogging
import SoundboxTesting
import Synchronization
import Testing

@testable import SoundboxBox

@Suite("What arrives")
struct IntakeTests {
    private final class Lines: Sendable {
        let all = Mutex<[LogLine]>([])
        var logger: Logger {
            Logger(label: "test") { _ in
                LineLogHandler(level: .info, style: .journal) { line in
                    guard let read = LogLine(parsing: String(line.dropLast())) else { return }
                    self.all.withLock { $0.append(read) }
                }
            }
        }
        func count(_ message: String) -> Int { all.withLock { lines in lines.count { $0.message.text == message } } }
    }

    private let lines = Lines()
    private let intake: Intake

    private let inbox = TemporaryInbox()
    private let machine = TestMachine()
    private let clock: BoxClock

    init() {
        clock = machine.clock()
        intake = Intake(
            reader: .native(PaymentNoticeDecoder(defaultCurrency: .CNY)), verifier: nil,
            admission: NoticeAdmission(window: .seconds(600), retainedWindow: .seconds(600)),
            rules: FakeMessageRules(),
            inbox: inbox, clock: clock, state: BoxState(volume: Volume(80)), logger: lines.logger,
            delegate: IntakeHooks())
    }

    private func take(_ payload: String, _ topic: FeedMessage.Topic) throws {
        try intake.commit([FeedMessage(topic: topic, payload: Array(payload.utf8), isRetained: false)])
    }

    @Test("Rejections and duplicates share one allowance of lines; refused commands have one of lines and replies")
    func allowance() throws {
        try take(#"{"id":"once","amount":"1"}"#, .payments)
        for _ in 1...100 {
            try take(#"{"id":"once","amount":"1"}"#, .payments)
            try take(#"{"id":"once","amount":"2"}"#, .payments)
            try take("no JSON", .payments)
            try take("no JSON", .commands)
            try take(#"{"id":"c","type":"cancel","payment_id":"nobody"}"#, .commands)
        }
        #expect(lines.count("stored") == 1)
        #expect(lines.all.withLock { $0.count } == 121)
        #expect(lines.count("command refused") == 60 && lines.count("duplicate, not spoken again") > 0)
        let topics = try intake.receipts(after: 0, limit: 999).map(\.topic)
        #expect(topics.count { $0 == .replies } == 60 && topics.count { $0 == .receipts } == 301)
    }

    @Test("Several payments in one message are stored together, and one that cannot be read is refused by itself")
    func several() throws {
        let mapping = PaymentMapping(
            each: FieldPath("data"), id: [try #require(FieldPath("id"))],
            amount: try #require(FieldPath("amount")), unit: .decimal)
        let intake = Intake(
            reader: .mapped(MappedNoticeDecoder(mapping: mapping, defaultCurrency: .CNY)), verifier: nil,
            admission: NoticeAdmission(window: .seconds(600), retainedWindow: .seconds(600)),
            rules: FakeMessageRules(), inbox: inbox, clock: clock, state: BoxState(volume: Volume(80)),
            logger: lines.logger, delegate: IntakeHooks())
        let payload =
            #"{"data":[{"id":"A","amount":1},{"id":"B","amount":-1},{"id":"C","amount":3},{"id":"A","amount":1}]}"#
        let count = try intake.commit([FeedMessage(topic: .payments, payload: Array(payload.utf8))])
        #expect(count == 2)
        #expect(try inbox.queue(limit: 9).payments.map(\.notice.id.text) == ["A", "C"])
        let receipts = try intake.receipts(after: 0, limit: 9).map { String(decoding: $0.payload, as: UTF8.self) }
        #expect(receipts.count { $0.contains(#""state":"stored""#) } == 2)
        #expect(receipts.count { $0.contains(#""state":"rejected""#) && $0.contains("data.1.amount") } == 1)
        #expect(receipts.count { $0.contains(#""state":"duplicate""#) } == 1)
    }

    @Test("Twenty notices in a row that are ignored because a field is missing are a warning, until one is read")
    func absence() throws {
        let state = BoxState(volume: Volume(80))
        let mapping = PaymentMapping(
            id: [try #require(FieldPath("id"))], amount: try #require(FieldPath("amount")), unit: .decimal,
            conditions: [
                .init(
                    field: try #require(FieldPath("ok")), tests: [.values(["true"])], otherwise: .ignore,
                    absent: .ignore)
            ])
        let intake = Intake(
            reader: .mapped(MappedNoticeDecoder(mapping: mapping, defaultCurrency: .CNY)), verifier: nil,
            admission: NoticeAdmission(window: .seconds(600), retainedWindow: .seconds(600)),
            rules: FakeMessageRules(), inbox: inbox, clock: clock, state: state, logger: lines.logger,
            delegate: IntakeHooks())
        func send(_ rest: String) throws {
            let payload = #"{"id":"A","amount":1\#(rest)}"#
            try intake.commit([FeedMessage(topic: .payments, payload: Array(payload.utf8))])
        }
        for _ in 1...19 { try send("") }
        try send(#","ok":true"#)
        for _ in 1...19 { try send("") }
        try send(#","ok":false"#)
        #expect(state.snapshot.warnings.isEmpty)
        try send("")
        try send(#","ok":false"#)
        #expect(state.snapshot.warnings.first?.contains("ok is missing") == true)
        try send(#","ok":true"#)
        #expect(state.snapshot.warnings.isEmpty)
    }

    @Test("What a mapping ignores has no receipt, is counted, and is logged once a minute")
    func ignored() throws {
        let metrics = BoxMetrics()
        let mapping = PaymentMapping(
            id: [try #require(FieldPath("id"))], amount: try #require(FieldPath("amount")), unit: .decimal,
            conditions: [.init(field: try #require(FieldPath("ok")), tests: [.values(["true"])], otherwise: .ignore)])
        let intake = Intake(
            reader: .mapped(MappedNoticeDecoder(mapping: mapping, defaultCurrency: .CNY)), verifier: nil,
            admission: NoticeAdmission(window: .seconds(600), retainedWindow: .seconds(600)),
            rules: FakeMessageRules(),
            inbox: inbox, clock: clock, state: BoxState(volume: Volume(80)), logger: lines.logger,
            metrics: metrics, delegate: IntakeHooks())
        for value in ["false", "true", "1"] {
            let payload = Array(#"{"id":"\#(value)","amount":"1","ok":\#(value)}"#.utf8)
            try intake.commit([FeedMessage(topic: .payments, payload: payload)])
        }
        #expect(try inbox.waiting(limit: 9).map(\.notice.id.text) == ["true"])
        #expect(try inbox.receipts(after: 0, limit: 9).count == 1)
        #expect(lines.count("ignored by the mapping") == 1)
        #expect(PrometheusText.text(metrics.metricFamilies).contains("\nsoundbox_notices_ignored_total 2\n"))
    }

    @Test("A time that cannot be read costs no payment, and its receipt says so")
    func unreadTime() throws {
        try take(#"{"id":"A","amount":"1","paid_at":"yesterday","channel":7}"#, .payments)
        let receipt = try JSONValue(parsing: try #require(try inbox.receipts(after: 0, limit: 1).first).payload)
        #expect(receipt["state"]?.string == "stored")
        #expect(
            receipt["reason"]?.string
                == "paid_at: expected a time such as 2026-11-21T10:15:00+08:00 (RFC 3339); "
                + "channel: expected a string, found a number")
    }

    @Test("When the clock is set forward, what came before is doubted, and not the first payment after it")
    func step() throws {
        try take(#"{"id":"start","amount":"1"}"#, .payments)
        machine.set(error: .seconds(120), byServer: false)
        try take(#"{"id":"first","amount":"1"}"#, .payments)
        // The announcer's look, which comes when it is told of it.
        try clock.doubtArrivals(in: inbox, logger: lines.logger)
        try take(#"{"id":"second","amount":"1"}"#, .payments)
        #expect(try inbox.waiting(limit: 3).map(\.clock) == [.none, .unconfirmed, .unconfirmed])
        #expect(lines.count("the clock was set forward: what waits counts as new") == 1)
    }

    @Test("An id that looks like the rest of a line is logged as the id that it is")
    func forgedLine() throws {
        let id = "x\" amount=9999 CNY \u{301}id=y"
        try take(JSONValue.object([("id", .string(id)), ("amount", .string("1"))]).text, .payments)
        let line = try #require(lines.all.withLock { $0.first })
        #expect(line.pairs.map(\.key.text) == ["amount", "id"])
        #expect(line.pairs.map(\.value.text) == ["1 CNY", id])
    }
}
