import Foundation
import Logging
import SoundboxCore
import SoundboxLogging
import SoundboxStore
import TestSupport
import Testing

@testable import SoundboxBox

@Suite("Refused commands cost nothing")
struct RefusedCommandTests {
    private let folder: TemporaryFolder
    private let inbox: SQLiteInbox
    private let state = BoxState(volume: Volume(80))
    private let performed = Journal<Command>()
    private let lines = Journal<String>()

    /// An inbox with a payment that waits and one that was announced, a ring that was missed, as many custom messages
    /// as there may be, and receipts that the broker has confirmed, which any commit would remove.
    init() throws {
        folder = try TemporaryFolder()
        inbox = try SQLiteInbox(path: folder.file("inbox.sqlite"))
        let now = TestMachine.noon
        _ = try inbox.store(
            try ["A-1", "A-2"].map {
                .notice(PaymentNotice(id: try PaymentID($0), money: try Money("1", .CNY)))
            },
            at: now)
        try inbox.markAnnounced(try #require(try inbox.waiting(limit: 2).last), at: now)
        _ = try inbox.apply([try Self.ring(0)], at: now)
        #expect(try inbox.end(try #require(try inbox.customMessages().first), as: .missed, at: now))
        _ = try inbox.apply(try (1...CustomMessage.mostWaiting).map { try Self.ring($0) }, at: now)
        try inbox.removeReceipts(try inbox.receipts(after: 0, limit: 2).map(\.sequence))
    }

    private static func ring(_ number: Int) throws -> CommandArrival {
        let later = TestMachine.time(.days(1))
        let customMessage = CustomMessage(
            id: try CommandID("r-\(number)"), purpose: .ring(timeout: .seconds(5)), content: .tone,
            at: later)
        return .customMessage(customMessage, expiry: later, onlyWhenNoRing: false)
    }

    private func intake(hasKey: Bool = false, oneRing: Bool = false) throws -> Intake {
        let verifier = MessageVerifier(
            keys: [try SigningKey(MessageVerifierTests.secret)], required: true,
            topics: try Topics(merchant: "M1001", device: "box-01"))
        return Intake(
            reader: .native(PaymentNoticeDecoder(defaultCurrency: .CNY)),
            verifier: hasKey ? verifier : nil,
            admission: NoticeAdmission(window: .seconds(3600), retainedWindow: .seconds(600)),
            rules: FakeMessageRules(words: { $0.contains("元") ? "tells of an amount" : nil }),
            ring: RingSettings(second: oneRing ? .busy : .wait), inbox: inbox,
            clock: TestMachine(isSynchronised: true).clock(),
            state: state,
            logger: Logger(label: "test") { _ in
                LineLogHandler(level: .info, style: .journal) { [lines] in
                    lines.append(String($0))
                }
            },
            delegate: IntakeHooks(
                epoch: { _ in "session_epoch: another one" }, settings: { _ in "settings: none" },
                certificate: { _ in "certificate: none" }, performed: { [performed] in performed.append($0) })
        )
    }

    /// As `Data`, which is compared at once: a debug build compares a megabyte of an array byte by byte.
    private func files() throws -> [Data] {
        try ["inbox.sqlite", "inbox.sqlite-wal"].map { try Data(contentsOf: URL(fileURLWithPath: folder.file($0))) }
    }

    /// What no outbox keeps, each as `result reason`.
    private func refusals(of intake: Intake) throws -> [String] {
        try intake.receipts(after: 0, limit: 999).filter { $0.sequence == 0 }.map {
            let json = try JSONValue(parsing: $0.payload)
            return "\(json["result"]?.string ?? "-") \(json["reason"]?.string ?? "-")"
        }
    }

    private func expectRefusal(_ expected: String, of intake: Intake, _ body: () throws -> Void)
        throws
    {
        let before = try files()
        try body()
        let refusals = try refusals(of: intake)
        #expect(refusals.count == 1 && refusals.first?.hasPrefix(expected) == true, "\(refusals)")
        try intake.receiptsDelivered([0])
        #expect(try self.refusals(of: intake).isEmpty, "sent once")
        #expect(try files() == before)
        #expect(performed.entries.isEmpty)
    }

    enum Flaw: CaseIterable {
        case retained, unsigned, doubtfulTopic, tooLong, cutOff, id, time
    }

    private static let kinds = [
        #""type":"ring""#, #""type":"say","text":"好""#, #""type":"cancel","payment_id":"A-1""#,
        #""type":"cancel","command_id":"r-1""#, #""type":"volume","volume":20"#, #""type":"replay""#,
        #""type":"totals""#, #""type":"settings","settings":{}"#,
        #""type":"certificate","certificate":"-----BEGIN CERTIFICATE-----""#,
        #""type":"reconciled","session_epoch":1"#,
    ]

    @Test(
        "Whatever it asks for and whatever is wrong with it: nothing is written", arguments: kinds,
        Flaw.allCases)
    func flaws(members: String, flaw: Flaw) throws {
        let id = flaw == .id ? "7" : "\"c-1\""
        let at = flaw == .time ? "now" : "\(TestMachine.noon)"
        var text = #"{"id":\#(id),"at":"\#(at)",\#(members)"#
        if flaw == .tooLong { text += #","x":"\#(String(repeating: "x", count: 8192))""# }
        if flaw != .cutOff { text += "}" }
        let message = FeedMessage(
            topic: .commands, payload: Array(text.utf8), isRetained: flaw == .retained,
            doubtfulName: flaw == .doubtfulTopic ? "soundbox/v1/M/1001/box-01/commands" : nil)
        let field =
            switch flaw {
            case .retained: "retain"
            case .unsigned: "signature"
            case .doubtfulTopic: "topic"
            case .tooLong, .cutOff: "payload"
            case .id: "id"
            case .time: "at"
            }
        let intake = try intake(hasKey: flaw == .unsigned)
        try expectRefusal("refused \(field): ", of: intake) { try intake.commit([message]) }
    }

    private static let old = #""id":"c-1","at":"2020-01-01T00:00:00Z""#
    private static let now = #""id":"c-1","at":"\#(TestMachine.noon)""#

    @Test(
        "So it is with what its kind, the box or the inbox has against it",
        arguments: [
            (#"\#(old),"type":"ring""#, "refused at: "),
            (#"\#(old),"type":"say","text":"好""#, "refused at: "),
            (#"\#(old),"type":"volume","volume":20"#, "refused at: "),
            (#"\#(old),"type":"replay""#, "refused at: "),
            (#"\#(old),"type":"totals""#, "refused at: "),
            (#""id":"c-1","at":"2030-01-01T00:00:00Z","type":"settings","settings":{}"#, "refused at: "),
            (#""id":"c-1","type":"ring""#, "refused at: "),
            (#"\#(now),"type":"ring","timeout":1"#, "refused timeout: "),
            (#"\#(now),"type":"ring""#, "refused too many: "),
            (#"\#(now),"type":"say","text":"好""#, "refused too many: "),
            (#"\#(now),"type":"say""#, "refused text: "),
            (#""type":"volume","volume":101"#, "refused volume: "),
            (#"\#(now),"type":"settings","settings":{}"#, "refused settings: none"),
            (
                #""type":"certificate","certificate":"-----BEGIN CERTIFICATE-----""#,
                "refused certificate: none"
            ),
            (#""type":"reconciled","session_epoch":1"#, "refused session_epoch: another one"),
            (#""type":"explode""#, "unknown type: "),
            (#""type":"cancel","payment_id":"nobody""#, "refused payment_id: no such payment is known"),
            (
                #""type":"cancel","payment_id":"A-1","kind":"refund""#,
                "refused payment_id: no such refund is known"
            ),
            (#""type":"cancel","payment_id":"A-2""#, "refused payment_id: too late, it is announced"),
            (#""type":"cancel","command_id":"r-0""#, "refused command_id: too late, it is missed"),
        ])
    func reasons(members: String, expected: String) throws {
        let intake = try intake()
        try expectRefusal(expected, of: intake) {
            try intake.commit([FeedMessage(topic: .commands, payload: Array("{\(members)}".utf8))])
        }
    }

    @Test("So it is with a ring beside another one, what may not be said, and what is too large to be read")
    func others() throws {
        let intake = try intake(oneRing: true)
        try expectRefusal("refused busy: ", of: intake) {
            try intake.commit([
                FeedMessage(topic: .commands, payload: Array(#"{\#(Self.now),"type":"ring"}"#.utf8))
            ])
        }
        let text = #"{\#(Self.now),"type":"say","text":"一元"}"#
        let words = FeedMessage(topic: .commands, payload: Array(text.utf8))
        // Words are judged where there is room for them.
        try expectRefusal("refused too many: ", of: intake) { try intake.commit([words]) }
        #expect(try inbox.end(try #require(try inbox.customMessages().first), as: .missed, at: TestMachine.noon))
        try expectRefusal("refused text: tells of an amount", of: intake) { try intake.commit([words]) }
        try expectRefusal("refused payload: ", of: intake) {
            try intake.skipped(.commands, bytes: 8 << 20)
        }
    }

    @Test(
        "All of them together are answered and logged sixty times, and a payment among them is stored")
    func allowance() throws {
        let intake = try intake()
        let texts = [
            #"{\#(Self.now),"type":"ring"}"#, #"{\#(Self.now),"type":"say","text":"好"}"#,
            #"{"type":"cancel","payment_id":"nobody"}"#, #"{\#(Self.old),"type":"replay"}"#, "?",
        ]
        let flood = texts.map { FeedMessage(topic: .commands, payload: Array($0.utf8)) }
        let before = try files()
        for _ in 1...30 { try intake.commit(flood) }
        #expect(try files() == before)
        let payment = FeedMessage(topic: .payments, payload: Array(#"{"id":"A-3","amount":"1"}"#.utf8))
        try intake.commit(flood + [payment])
        #expect(try inbox.waiting(limit: 9).map(\.notice.id.text) == ["A-1", "A-3"])
        #expect(try refusals(of: intake).count == 60)
        #expect(lines.entries.count { $0.contains("command refused") } == 60)
    }

    @Test(
        "A disk that takes nothing keeps no refusal back, and a refusal does not tell that it is well again"
    )
    func diskFault() throws {
        let intake = try intake()
        state.update { $0.storingFault = "disk full" }
        try expectRefusal("refused payment_id: ", of: intake) {
            let text = #"{"type":"cancel","payment_id":"nobody"}"#
            try intake.commit([FeedMessage(topic: .commands, payload: Array(text.utf8))])
        }
        #expect(state.snapshot.storingFault == "disk full")
    }
}
