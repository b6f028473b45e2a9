import Logging
import SoundboxCore
import SoundboxLogging
import SoundboxTesting
import TestSupport
import Testing

@testable import SoundboxBox

@Suite("Batches of messages, from bytes to the inbox")
struct IntakeCommitTests {
    /// Who was told what, in order.
    private enum Event: Sendable, Equatable {
        case expected(String, isStored: Bool)
        case receiptsAreWaiting(announcerKnows: Bool)
        case perform(Command)
    }

    private let inbox = TemporaryInbox()
    private let state = BoxState(volume: Volume(80))
    private let events = Journal<Event>()
    private let requests = AnnouncerRequests()
    private let log = Journal<String>()
    private let intake: Intake

    init() {
        intake = Intake(
            reader: .native(PaymentNoticeDecoder(defaultCurrency: .CNY)), verifier: nil,
            admission: NoticeAdmission(window: .seconds(600), retainedWindow: .seconds(600)),
            rules: FakeMessageRules(),
            inbox: inbox,
            clock: BoxClock(newestKnown: nil), state: state,
            logger: Logger(label: "test") { [log] _ in
                LineLogHandler(level: .info, style: .terminal) { line in
                    log.append(line.drop { $0 != " " }.trimmingPrefix(" ").filter { $0 != "\n" })
                }
            },
            requests: requests,
            delegate: IntakeHooks(
                expected: { [events, inbox] notice in
                    let isStored = (try? inbox.knows(notice.id)) ?? false
                    events.append(.expected(notice.id.text, isStored: isStored))
                },
                receipts: { [events, requests] in
                    events.append(.receiptsAreWaiting(announcerKnows: requests.with { $0.inboxChanged }))
                },
                performed: { [events] in events.append(.perform($0)) }))
    }

    private func payment(_ text: String) -> FeedMessage { FeedMessage(topic: .payments, payload: Array(text.utf8)) }
    private func command(_ text: String) -> FeedMessage { FeedMessage(topic: .commands, payload: Array(text.utf8)) }

    private func states() throws -> [String] {
        try intake.receipts(after: 0, limit: 100).map {
            let json = try JSONValue(parsing: $0.payload)
            return (json["state"] ?? json["result"])?.string ?? "none"
        }
    }

    @Test("The feed is told how many payments are new: not refused notices, repeated ones or commands")
    func count() throws {
        let batch = [
            payment(#"{"id":"A-1","amount":"1"}"#), payment("junk"), payment(#"{"id":"A-1","amount":"1"}"#),
            command(#"{"type":"replay"}"#), payment(#"{"id":"A-2","amount":"1"}"#),
        ]
        #expect(try intake.commit(batch) == 2)
        #expect(try intake.commit(batch) == 0)
        #expect(try intake.commit([]) == 0)
    }

    @Test("Payments are stored before any command of their batch is carried out or refused")
    func order() throws {
        try intake.commit([
            command("?"), command(#"{"type":"volume","volume":20}"#), payment(#"{"id":"A-1","amount":"1"}"#),
            command(#"{"type":"volume","volume":"mute"}"#),
        ])
        #expect(
            events.entries == [
                .expected("A-1", isStored: false), .receiptsAreWaiting(announcerKnows: true),
                // Of the refusal.
                .receiptsAreWaiting(announcerKnows: true),
                .perform(.volume(.to(Volume(20)))), .perform(.volume(.mute)),
            ])
        #expect(try inbox.waiting(limit: 9).map(\.notice.id.text) == ["A-1"])
    }

    @Test("A payment and its cancel in one batch: stored, cancelled, and not to be spoken")
    func cancelled() throws {
        try intake.commit([
            command(#"{"id":"c-1","type":"cancel","payment_id":"A-1"}"#), payment(#"{"id":"A-1","amount":"1"}"#),
        ])
        #expect(try states() == ["stored", "cancelled", "ok"])
        #expect(try inbox.waiting(limit: 9).isEmpty)
        #expect(!events.entries.contains { if case .perform = $0 { true } else { false } })
    }

    @Test("A refund and its payment in one batch are both to be spoken; a cancel takes back the one of its kind")
    func refund() throws {
        let notices = [
            payment(#"{"id":"A-1","amount":"5","kind":"refund"}"#), payment(#"{"id":"A-1","amount":"9"}"#),
            payment(#"{"id":"A-1","amount":"5","kind":"refund"}"#),
        ]
        try intake.commit(notices)
        #expect(try states() == ["stored", "stored", "duplicate"])
        #expect(try inbox.waiting(limit: 9).map(\.notice.kind) == [.refund, .payment])
        try intake.commit([command(#"{"id":"c-1","type":"cancel","payment_id":"A-1","kind":"refund"}"#)])
        #expect(try inbox.waiting(limit: 9).map(\.notice.kind) == [.payment])
        try intake.commit(notices)
        #expect(try states().suffix(3) == ["duplicate", "duplicate", "duplicate"])
    }

    @Test("A batch that cannot be stored is refused whole and told as a fault; the same batch is taken later")
    func refused() throws {
        let batch = [payment(#"{"id":"A-1","amount":"1"}"#), command(#"{"type":"replay","at":"now"}"#)]
        inbox.fail(with: .failed(path: "memory", reason: "disk full"))
        #expect(throws: InboxError.self) { try intake.commit(batch) }
        // Nobody is told of more than that something may come.
        #expect(events.entries == [.expected("A-1", isStored: false)] && !requests.with { $0.inboxChanged })
        #expect(state.snapshot.faults == ["the inbox memory failed: disk full"])
        inbox.fail(with: nil)
        try intake.commit(batch)
        #expect(try states() == ["stored", "refused"])
        #expect(state.snapshot.faults.isEmpty)
    }

    @Test("A message that was too large to be read has a receipt, whichever topic it came on")
    func oversized() throws {
        try intake.skipped(.payments, bytes: 8 << 20)
        try intake.skipped(.commands, bytes: 8 << 20)
        #expect(try states() == ["rejected", "refused"])
    }

    @Test("What happens to the connection is in the state")
    func connection() {
        let connection = FeedConnection.disconnected(reason: "no route", retryIn: .nanoseconds(1_283_749_000))
        intake.connectionChanged(to: connection)
        #expect(state.snapshot.connection == connection)
        #expect(!state.snapshot.isStarting)
        #expect(log.entries == ["warning offline reason=\"no route\" retry_in=\"1.3 s\""])
        intake.faultsChanged(to: [.noticesAtQoS0])
        #expect(state.snapshot.feedFaults == [.noticesAtQoS0])
        intake.faultsChanged(to: [])
        #expect(state.snapshot.feedFaults.isEmpty)
    }
}
