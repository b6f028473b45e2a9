import Logging
import SoundboxCore
import SoundboxTesting
import TestSupport
import Testing

@testable import SoundboxBox

@Suite("What the box makes of messages")
struct IntakeSignatureTests {
    private static let now = Timestamp(millisecondsSince1970: 1_795_233_600_000)
    private static let fresh = "2026-11-21T04:00:00Z"

    private let inbox = TemporaryInbox()
    private let performed = Journal<Command>()
    private let machine = TestMachine()
    private let topics: Topics

    init() throws { topics = try Topics(merchant: "M1001", device: "box-01") }

    /// - Parameter hasKey: whether messages must be signed.
    private func intake(hasKey: Bool = true, required: Bool = true) throws -> Intake {
        let verifier = MessageVerifier(
            keys: [try SigningKey(MessageVerifierTests.secret)], required: required, topics: topics)
        return Intake(
            reader: .native(PaymentNoticeDecoder(defaultCurrency: .CNY)), verifier: hasKey ? verifier : nil,
            admission: NoticeAdmission(window: .seconds(3600), retainedWindow: .seconds(600)),
            rules: FakeMessageRules(),
            inbox: inbox,
            clock: machine.clock(), state: BoxState(volume: Volume(80)),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            delegate: IntakeHooks(performed: { [performed] in performed.append($0) }))
    }

    private func signed(_ text: String, secret: String = MessageVerifierTests.secret) -> String {
        let topic = text.contains("\"type\"") ? topics[.commands] : topics[.payments]
        return MessageVerifierTests.sign(
            text.dropLast() + #","signature":""}"#, topic: topic, secret: secret)
    }

    private func message(_ text: String, isRetained: Bool = false, isLive: Bool = false) -> FeedMessage {
        FeedMessage(
            topic: text.contains("\"type\"") ? .commands : .payments, payload: Array(text.utf8),
            isRetained: isRetained, isLive: isLive)
    }

    /// Each as `id command state reason's field`; those of refused commands are with their intake.
    private func receipts(from intake: Intake? = nil) throws -> [String] {
        try (intake?.receipts(after: 0, limit: 100) ?? inbox.receipts(after: 0, limit: 100)).map { receipt in
            let json = try JSONValue(parsing: receipt.payload)
            let field = json["reason"]?.string?.split(separator: ":").first.map(String.init)
            return [json["id"]?.text, json["command"]?.text, (json["state"] ?? json["result"])?.string, field].map {
                $0 ?? "-"
            }
            .joined(separator: " ")
        }
    }

    private func payment(_ id: String, paidAt: String? = fresh, amount: String = "1") -> String {
        let time = paidAt.map { ",\"paid_at\":\"\($0)\"" } ?? ""
        return #"{"id":"\#(id)","amount":"\#(amount)"\#(time)}"#
    }

    private func command(_ rest: String, id: String = "c-1", at: String = fresh) -> String {
        #"{"id":"\#(id)","at":"\#(at)",\#(rest)}"#
    }

    @Test("Where a signature is not required, what comes without one still has no payment named as rejected")
    func unsignedAndRejected() throws {
        let intake = try intake(required: false)
        try intake.commit([
            message(payment("A-1", amount: "x")), message(payment("A-2", paidAt: nil), isRetained: true),
        ])
        #expect(try receipts() == ["null - rejected amount", "null - rejected retain"])
    }

    @Test("Signed payments from the future are stored, and two teach the time; the clock is a fault until it is set")
    func clockBehind() throws {
        let intake = try intake()
        try intake.commit([message(signed(payment("A-1", paidAt: "2026-11-21T15:00:00Z")))])
        #expect(intake.state.snapshot.faults.isEmpty)
        try intake.commit([message(signed(payment("A-2", paidAt: "2026-11-21T15:00:01Z")))])
        #expect(try inbox.waiting(limit: 9).map(\.notice.id.text) == ["A-1", "A-2"])
        #expect(
            try inbox.waiting(limit: 9).map(\.receivedAt.description) == [
                "2026-11-21T04:00:00.000Z", "2026-11-21T14:55:00.000Z",
            ])
        #expect(intake.state.snapshot.faults.contains { $0.contains("the clock is behind") })
        machine.set(error: .seconds(11 * 3600))
        try intake.commit([message(signed(payment("A-3", paidAt: "2026-11-21T15:00:00Z")))])
        #expect(intake.state.snapshot.faults.isEmpty)
    }

    @Test("What nobody signed teaches no time")
    func unsignedTimes() throws {
        let intake = try intake(hasKey: false)
        try intake.commit([message(payment("A-1", paidAt: "2026-11-21T15:00:00Z"))])
        #expect(intake.clock.reading.time == Self.now && intake.state.snapshot.faults.isEmpty)
        let signing = try self.intake()
        try signing.commit([
            message(signed(payment("A-2", paidAt: "2026-11-21T15:00:00Z"), secret: MessageVerifierTests.other)),
            message(command(#""type":"replay""#, at: "2026-11-21T15:00:00Z")),
        ])
        #expect(signing.clock.reading.time == Self.now)
    }

    @Test("A payment that did not wait, and was paid long ago by the box's clock, shows that the clock is ahead")
    func clockAhead() throws {
        machine.set(error: .days(365), byServer: false)
        let intake = try intake(hasKey: false)
        try intake.commit([message(payment("A-1"))])
        // It may have waited at the broker for a year.
        #expect(intake.clock.reading.trust == .unconfirmed)
        try intake.commit([message(payment("A-2"), isRetained: true)])
        #expect(intake.clock.reading.trust == .unconfirmed)
        try intake.commit([message(payment("A-3"), isLive: true)])
        #expect(intake.clock.reading.trust == .none)
        #expect(try inbox.waiting(limit: 9).map(\.notice.id.text) == ["A-1", "A-3"])
    }

    @Test("A cancel that withdraws nothing is answered with the reason")
    func idleCancel() throws {
        let intake = try intake(hasKey: false)
        try intake.commit([message(command(#""type":"cancel","payment_id":"nobody""#, id: "c-9"))])
        #expect(try receipts(from: intake) == [#"- "c-9" refused payment_id"#])
    }

    @Test("A receipt for a message that nobody vouches for names no payment")
    func unvouchedPayments() throws {
        let intake = try intake()
        try intake.commit([
            message(payment("A-1")), message(signed(payment("A-2"), secret: MessageVerifierTests.other)),
            message(payment("A-3", amount: "-5")), message(#"{"id":"A-4"}"#), message("{"),
            message(payment("A-5"), isRetained: true), message(payment("A-6", paidAt: "2020-01-01T00:00:00Z")),
        ])
        #expect(
            try receipts() == [
                "null - rejected signature", "null - rejected signature", "null - rejected signature",
                "null - rejected signature", "null - rejected payload", "null - rejected signature",
                "null - rejected signature",
            ])
        #expect(try inbox.counts().waiting == 0)
    }

    @Test("A notice that the provider signed is rejected under its id, with what is wrong with it")
    func vouchedPayments() throws {
        machine.set()
        try intake().commit([
            message(signed(payment("A-1", amount: "-5"))), message(signed(payment("A-2", paidAt: nil))),
            message(signed(payment("A-3", paidAt: "2026-11-21T02:00:00Z"))), message(signed(payment("A-4"))),
        ])
        #expect(
            try receipts() == [
                #""A-1" - rejected amount"#, #""A-2" - rejected paid_at"#, #""A-3" - rejected paid_at"#,
                #""A-4" - stored -"#,
            ])
    }

    @Test("A signed notice whose time cannot be read is refused; an unsigned one counts as undated")
    func unreadableTime() throws {
        let payment = #"{"id":"A","amount":"1","paid_at":"yesterday"}"#
        try intake().commit([message(signed(payment))])
        try intake(required: false).commit([message(payment)])
        // By then it is known, and not rejected.
        try intake().commit([message(signed(payment))])
        #expect(
            try receipts() == [#""A" - rejected paid_at"#, #""A" - stored paid_at"#, #""A" - duplicate -"#])
    }

    @Test("Of a payment that is stored no receipt says that it was rejected, however late its notice is played back")
    func playedBackNotice() throws {
        machine.set()
        let intake = try intake()
        let late = "2026-11-21T02:00:00Z"
        _ = try inbox.store([.notice(PaymentNotice(id: try PaymentID("A-1"), money: try Money("1", .CNY)))], at: .now)
        let refund = signed(#"{"id":"A-1","amount":"1","kind":"refund","paid_at":"\#(late)"}"#)
        try intake.commit([
            message(signed(payment("A-1", paidAt: late))),
            message(signed(payment("A-1", paidAt: late)), isRetained: true), message(refund),
        ])
        // The refund is not its payment: it is not known, and too old to be taken.
        let played = [#""A-1" - stored -"#, #""A-1" - duplicate -"#, #""A-1" - duplicate -"#]
        #expect(try receipts() == played + [#""A-1" - rejected paid_at"#])
        let stored = PaymentNotice(id: try PaymentID("A-1"), money: try Money("1", .CNY), kind: .refund)
        _ = try inbox.store([.notice(stored)], at: .now)
        try intake.commit([message(refund), message(refund, isRetained: true)])
        #expect(try receipts().suffix(3) == played)
    }

    @Test("A retained notice is refused by name, unless it was paid just now; once stored it is a duplicate")
    func retained() throws {
        let intake = try intake(hasKey: false)
        let messages = [
            message(payment("A-1", paidAt: nil), isRetained: true), message(payment("A-2"), isRetained: true),
            message(payment("A-2"), isRetained: true), message(payment("A-3", paidAt: nil)),
            message(payment("A-3", paidAt: nil), isRetained: true),
        ]
        try intake.commit(messages)
        #expect(
            try receipts() == [
                #""A-1" - rejected retain"#, #""A-2" - stored -"#, #""A-2" - duplicate -"#, #""A-3" - stored -"#,
                #""A-3" - duplicate -"#,
            ])
        machine.set(error: .milliseconds(-Self.now.millisecondsSince1970), byServer: false)
        try intake.commit([message(payment("A-4"), isRetained: true)])
        #expect(try receipts().last == #""A-4" - rejected retain"#)
    }

    @Test("An unsigned command is not carried out where notices must be signed, and its receipt names nothing")
    func unsignedCommands() throws {
        _ = try inbox.store([.notice(PaymentNotice(id: try PaymentID("A-1"), money: try Money("1", .CNY)))], at: .now)
        let intake = try intake()
        try intake.commit(
            [
                command(#""type":"replay""#), command(#""type":"volume","volume":"mute""#, id: "A-1"),
                #"{"id":"c","type":"cancel","payment_id":"A-1"}"#,
                signed(command(#""type":"replay""#), secret: MessageVerifierTests.other),
            ].map { message($0) })
        #expect(performed.entries.isEmpty)
        #expect(try inbox.counts().waiting == 1)
        #expect(
            try receipts(from: intake).dropFirst() == [
                "- null refused signature", "- null refused signature", "- null refused signature",
                "- null refused signature",
            ])
    }

    @Test("A signed command acts once, in this batch and in later ones")
    func once() throws {
        let intake = try intake()
        let replay = signed(command(#""type":"replay""#))
        try intake.commit([message(replay), message(replay)])
        try intake.commit([message(replay)])
        #expect(performed.entries == [.play(.last)])
        try intake.commit([message(signed(command(#""type":"volume","volume":"mute""#, id: "c-2")))])
        #expect(performed.entries == [.play(.last), .volume(.mute)])
        let again = #"- "c-1" ok known"#
        #expect(try receipts() == [#"- "c-1" ok -"#, again, again, #"- "c-2" ok -"#])
    }

    @Test("A signed command that is stale or retained is refused under its id; without a clock what may have waited is")
    func staleCommands() throws {
        let intake = try intake()
        _ = try inbox.store([.notice(PaymentNotice(id: try PaymentID("A-1"), money: try Money("1", .CNY)))], at: .now)
        try intake.commit([
            message(signed(command(#""type":"replay""#, at: "2026-11-21T03:58:59Z"))),
            message(signed(command(#""type":"replay""#)), isRetained: true),
            message(signed(#"{"id":"c-1","type":"replay"}"#)),
        ])
        machine.set(error: .milliseconds(-Self.now.millisecondsSince1970), byServer: false)
        let later = try self.intake()
        try later.commit([
            message(signed(command(#""type":"replay""#))),
            message(signed(#"{"id":"c-2","type":"cancel","payment_id":"A-1"}"#)),
        ])
        #expect(performed.entries.isEmpty)
        #expect(
            try receipts(from: intake).suffix(3) == [
                #"- "c-1" refused at"#, #"- "c-1" refused retain"#, #"- "c-1" refused at"#,
            ])
        #expect(
            try receipts(from: later).dropFirst() == [
                #""A-1" - cancelled -"#, #"- "c-2" ok -"#, #"- "c-1" refused at"#,
            ])
    }

    @Test("On a box without a key commands work, and a replay that may have waited at the broker does not")
    func withoutKey() throws {
        let intake = try intake(hasKey: false)
        intake.connectionChanged(to: .connecting)
        try intake.commit([
            message(#"{"id":"c-1","type":"replay"}"#), message(#"{"type":"volume","volume":"up"}"#),
            message(command(#""type":"replay""#, id: "c-2")),
            message(#"{"type":"volume","volume":"mute"}"#, isRetained: true),
        ])
        #expect(performed.entries == [.volume(.up), .play(.last)])
        #expect(
            try receipts(from: intake) == [
                #"- "c-2" ok -"#, #"- "c-1" refused at"#, "- null refused retain",
            ])
    }

    @Test("A command that cannot be noted is not carried out, and is refused to the broker")
    func diskFull() throws {
        let intake = try intake()
        inbox.fail(with: .failed(path: "memory", reason: "disk full"))
        #expect(throws: InboxError.self) {
            try intake.commit([message(signed(command(#""type":"replay""#)))])
        }
        #expect(performed.entries.isEmpty)
        // What nobody signed holds nothing up.
        try intake.commit([message(command(#""type":"replay""#))])
        inbox.fail(with: nil)
        try intake.commit([message(signed(command(#""type":"replay""#)))])
        #expect(performed.entries == [.play(.last)])
    }
}
