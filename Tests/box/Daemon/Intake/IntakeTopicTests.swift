import Logging
import SoundboxCore
import SoundboxTesting
import TestSupport
import Testing

@testable import SoundboxBox

@Suite("What comes under a name that is not the box's own")
struct IntakeTopicTests {
    private let inbox = TemporaryInbox()
    private let performed = Journal<Command>()
    private let state = BoxState(volume: Volume(80))
    private let topics: Topics

    init() throws { topics = try Topics(merchant: "M.1001", device: "box-01") }

    private func intake(hasKey: Bool = false) throws -> Intake {
        Intake(
            reader: .native(PaymentNoticeDecoder(defaultCurrency: .CNY)),
            verifier: hasKey
                ? MessageVerifier(
                    keys: [try SigningKey(MessageVerifierTests.secret)], required: false, topics: topics) : nil,
            admission: NoticeAdmission(window: .seconds(3600), retainedWindow: .seconds(600)),
            rules: FakeMessageRules(),
            inbox: inbox, clock: TestMachine().clock(), state: state,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            delegate: IntakeHooks(performed: { [performed] in performed.append($0) }))
    }

    private func receipts() throws -> [String] {
        try inbox.receipts(after: 0, limit: 100).map { receipt in
            let json = try JSONValue(parsing: receipt.payload)
            let field = json["reason"]?.string?.split(separator: ":").first.map(String.init)
            return [json["id"]?.text, json["state"]?.string, field].map { $0 ?? "-" }.joined(separator: " ")
        }
    }

    private func doubtful(_ text: String, topic: FeedMessage.Topic = .payments) -> FeedMessage {
        FeedMessage(
            topic: topic, payload: Array(text.utf8), doubtfulName: "soundbox/v1/M/1001/box-01/\(topic)")
    }

    @Test("A payment that may be another box's is refused with its id, and a fault")
    func doubtfulPayment() throws {
        try intake().commit([doubtful(#"{"id":"A-1","amount":"1"}"#)])
        #expect(try receipts() == [#""A-1" rejected topic"#])
        #expect(try inbox.counts().waiting == 0)
        #expect(state.snapshot.faults.joined().contains("soundbox/v1/M/1001/box-01/payments"))
    }

    @Test("The signature covers the box's own name, and so tells that it is meant")
    func signed() throws {
        let text = MessageVerifierTests.sign(
            #"{"id":"A-1","amount":"1","paid_at":"2026-11-21T04:00:00Z","signature":""}"#, topic: topics[.payments],
            secret: MessageVerifierTests.secret)
        try intake(hasKey: true).commit([doubtful(text), doubtful(#"{"id":"A-2","amount":"1"}"#)])
        // An id that nobody vouches for is told to nobody.
        #expect(try receipts() == [#""A-1" stored -"#, "null rejected topic"])
    }

    @Test("A payment that the box has stored is not called refused")
    func known() throws {
        let intake = try intake()
        try intake.commit([FeedMessage(topic: .payments, payload: Array(#"{"id":"A-1","amount":"1"}"#.utf8))])
        try intake.commit([doubtful(#"{"id":"A-1","amount":"1"}"#)])
        #expect(try receipts() == [#""A-1" stored -"#, #""A-1" duplicate -"#])
    }

    @Test("A command that may be another box's is not carried out")
    func command() throws {
        try intake().commit([doubtful(#"{"type":"volume","volume":3}"#, topic: .commands)])
        #expect(performed.entries.isEmpty)
        #expect(state.snapshot.topicFault != nil)
    }

    @Test("A message on a topic of nobody is refused, with its id where it is a payment, and a fault")
    func strays() throws {
        try intake().strayed([
            StrayMessage(name: "old/payments", payload: Array(#"{"id":"A-1","amount":"1"}"#.utf8)),
            StrayMessage(name: "old/payments", payload: Array("?".utf8)),
        ])
        #expect(try receipts() == [#""A-1" rejected topic"#, "null rejected topic"])
        #expect(state.snapshot.faults.joined().contains("old/payments"))
    }

    @Test("A flood of them fills neither outbox nor disk")
    func flood() throws {
        let intake = try intake()
        for _ in 1...500 { try intake.strayed([StrayMessage(name: "x", payload: [])]) }
        #expect(try receipts().count == 60)
    }

    @Test("When the refusal cannot be noted, the message is to come again")
    func noRoom() throws {
        inbox.fail(with: .failed(path: "inbox.sqlite", reason: "disk full"))
        #expect(throws: InboxError.self) { try intake().strayed([StrayMessage(name: "x", payload: [])]) }
    }

    @Test("The fault is told for an hour after the last of them")
    func memory() {
        let fault = TopicFault(name: "x", isDoubtful: false, at: .seconds(10))
        #expect(fault.stillTold(at: .seconds(3609)) == fault)
        #expect(fault.stillTold(at: .seconds(3610)) == nil)
    }
}
