import Logging
import SoundboxCore
import SoundboxSpeech
import SoundboxTesting
import TestSupport
import Testing

@testable import SoundboxBox

@Suite("What is told of notices that are not announced")
struct IntakeRefusalTests {
    private let inbox = TemporaryInbox()
    private let state = BoxState(volume: Volume(80))
    private let requests = AnnouncerRequests()
    private let topics: Topics

    init() throws {
        topics = try Topics(merchant: "M1001", device: "box-01")
        _ = try inbox.store(
            [.notice(PaymentNotice(id: try PaymentID("known"), money: try Money("12", .CNY)))], at: .now)
    }

    /// - Parameter isRequired: whether messages must be signed; `nil` where the box has no key.
    private func intake(isRequired: Bool? = nil, mapping: PaymentMapping? = nil) throws -> Intake {
        let verifier = try isRequired.map {
            MessageVerifier(keys: [try SigningKey(MessageVerifierTests.secret)], required: $0, topics: topics)
        }
        return Intake(
            reader: mapping.map { .mapped(MappedNoticeDecoder(mapping: $0, defaultCurrency: .CNY)) }
                ?? .native(PaymentNoticeDecoder(defaultCurrency: .CNY)),
            verifier: verifier, admission: NoticeAdmission(window: .seconds(3600), retainedWindow: .seconds(600)),
            rules: FakeMessageRules(), inbox: inbox, clock: TestMachine().clock(), state: state,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            requests: requests, delegate: IntakeHooks())
    }

    /// What the announcer was asked to say since the last look.
    private func takePrompt() -> Prompt? { requests.with { $0.prompts.popFirst() } }

    private func message(
        _ text: String, isRetained: Bool = false, isSigned: Bool = false, doubtfulName: String? = nil
    ) -> FeedMessage {
        let text =
            isSigned
            ? MessageVerifierTests.sign(
                text.dropLast() + #","signature":""}"#, topic: topics[.payments], secret: MessageVerifierTests.secret)
            : text
        return FeedMessage(
            topic: .payments, payload: Array(text.utf8), isRetained: isRetained, doubtfulName: doubtfulName)
    }

    private var refused: RefusedNotices? { state.snapshot.refusals.notices }

    private static let wrong = #"{"id":"A-1","amount":"1,500.00","paid_at":"2026-11-21T04:00:00Z"}"#
    private static let differing = #"{"id":"known","amount":"30","paid_at":"2026-11-21T04:00:00Z"}"#

    @Test(
        "What a notice says wrong is told, with its id where it can be read",
        arguments: [
            (wrong, "A-1", "amount: "), (#"{"id":"A-1","amount":"5","currency":"RMB"}"#, "A-1", "currency: "),
            (#"{"id":"A-1","amount":"5","kind":"gift"}"#, "A-1", "kind: "),
            (#"{"id":"A-1"}"#, "A-1", "amount: "), (#"{"amount":"5"}"#, nil, "id: "), ("no JSON", nil, "payload: "),
            (differing, "known", "the id is known with another amount: 12 CNY"),
        ])
    func told(payload: String, id: String?, reason: String) throws {
        try intake().commit([message(payload)])
        #expect(refused?.count == 1 && refused?.last.id?.text == id)
        #expect(refused?.last.reason.hasPrefix(reason) == true, "\(state.snapshot.warnings)")
        #expect(refused?.last.at == TestMachine().clock().reading.time)
        #expect(state.snapshot.warnings.count == 1 && state.snapshot.faults.isEmpty)
        #expect(takePrompt() == .paymentUnreadable)
    }

    @Test("What is announced, is known or is not meant for the box is not told")
    func notTold() throws {
        try intake().commit([
            message(#"{"id":"A-1","amount":"5"}"#), message(#"{"id":"A-1","amount":"5.00"}"#),
            message(#"{"id":"known","amount":"12.00"}"#),
        ])
        #expect(refused == nil && state.snapshot.warnings.isEmpty && takePrompt() == nil)
    }

    @Test("A condition of a mapping that rejects is told, and one that ignores is not")
    func mapping() throws {
        func field(_ name: String) throws -> FieldPath { try #require(FieldPath(name)) }
        let mapping = PaymentMapping(
            id: [try field("id")], amount: try field("amount"), unit: .decimal,
            conditions: [
                .init(field: try field("event"), tests: [.values(["paid"])], otherwise: .ignore),
                .init(field: try field("status"), tests: [.values(["ok"])], otherwise: .refuse),
            ])
        try intake(mapping: mapping).commit([
            message(#"{"id":"A-1","amount":"5","event":"closed"}"#),
            message(#"{"id":"A-2","amount":"5","event":"paid","status":"late"}"#),
        ])
        #expect(refused?.count == 1 && refused?.last.id?.text == "A-2")
        #expect(refused?.last.reason.hasPrefix("status: ") == true)
    }

    @Test(
        "What the broker has kept is not told: it comes again at every connection", arguments: [wrong, differing, "{"])
    func retained(payload: String) throws {
        try intake().commit([message(payload, isRetained: true)])
        try intake(isRequired: true).commit([message(payload, isRetained: true, isSigned: payload != "{")])
        #expect(refused == nil && takePrompt() == nil)
    }

    @Test(
        "Where the box has a key, only what is signed with it is told", arguments: [true, false], [wrong, differing])
    func signed(isRequired: Bool, payload: String) throws {
        let intake = try intake(isRequired: isRequired)
        try intake.commit([
            message(payload), message("{"),
            message(payload.dropLast() + #","signature":"\#(String(repeating: "0", count: 64))"}"#),
        ])
        #expect(refused == nil)
        try intake.commit([message(payload, isSigned: true)])
        #expect(refused?.count == 1 && refused?.last.id != nil)
        #expect(takePrompt() == .paymentUnreadable)
    }

    @Test("What may be another box's is not told, unless the signature says that it is meant")
    func doubtful() throws {
        let name = "soundbox/v1/M/1001/box-01/payments"
        try intake().commit([
            message(Self.wrong, doubtfulName: name), message(Self.differing, doubtfulName: name),
            message(#"{"id":"A-2","amount":"5"}"#, doubtfulName: name),
        ])
        try intake().strayed([StrayMessage(name: name, payload: Array(Self.wrong.utf8))])
        try intake().skipped(.payments, bytes: 100_000)
        #expect(refused == nil)
        try intake(isRequired: true).commit([message(Self.wrong, isSigned: true, doubtfulName: name)])
        #expect(refused?.count == 1)
    }

    @Test("A burst is counted whole and said once")
    func burst() throws {
        let intake = try intake()
        for batch in 1...5 {
            try intake.commit(
                [FeedMessage](repeating: message(Self.wrong), count: 200)
                    + [message(#"{"id":"good-\#(batch)","amount":"5"}"#)])
            #expect(takePrompt() == (batch == 1 ? .paymentUnreadable : nil))
        }
        #expect(refused?.count == 1000)
    }

    @Test("What the disk refuses comes again, and is told then")
    func diskFull() throws {
        let intake = try intake()
        inbox.fail(with: .failed(path: "memory", reason: "disk full"))
        #expect(throws: InboxError.self) { try intake.commit([message(Self.wrong)]) }
        #expect(refused == nil)
        inbox.fail(with: nil)
        try intake.commit([message(Self.wrong)])
        #expect(refused?.count == 1)
    }
}
