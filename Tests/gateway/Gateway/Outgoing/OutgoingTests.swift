import Foundation
import GRDB
import Glibc
import SoundboxBox
import SoundboxControl
import SoundboxCore
import SoundboxMQTT
import SoundboxSystem
import TestSupport
import Testing

@testable import SoundboxGateway

@Suite("What is published, and what becomes of it")
struct OutgoingTests {
    private let folder: TemporaryFolder
    private let store: SQLitePaymentStore
    private let metrics = GatewayMetrics()

    init() throws {
        folder = try TemporaryFolder(inMemory: true)
        store = try .temporary(folder)
    }

    private func outgoing(keys: String? = nil, reconciles: Bool = false) throws -> Outgoing {
        var outgoing = try Outgoing(
            store: store, keys: keys, reconciles: reconciles, keep: .seconds(86_400 * 7), metrics: metrics,
            logger: silence)
        outgoing.connectionChanged(to: .ready(broker: "mqtt://127.0.0.1:1883", isResumed: true))
        return outgoing
    }

    private func turn(_ change: (inout FleetTurn) -> Void) -> FleetTurn {
        var turn = FleetTurn()
        change(&turn)
        return turn
    }

    private func status(_ text: String, of box: BoxID = trialBox) -> FleetTurn {
        turn { $0.messages = [.init(topic: box.topic(.status), payload: Array(text.utf8))] }
    }

    private func online(epoch: Int) -> FleetTurn {
        status(
            #"{"state":"online","session":"new","session_epoch":\#(epoch),"session_since":"2026-11-20T01:00:00.000Z","faults":[]}"#
        )
    }

    private func receipt(_ text: String) -> FleetTurn {
        turn { $0.messages = [.init(topic: trialBox.topic(.receipts), payload: Array(text.utf8))] }
    }

    @Test("Each payment is published once as long as its publication is under way, and never more than asked for")
    func once() throws {
        let numbers = try store.accept(["A", "B", "C"])
        var outgoing = try outgoing()
        #expect(outgoing.publications(limit: 2).map(\.id) == Array(numbers.prefix(2)))
        #expect(outgoing.publications(limit: 2).map(\.id) == [numbers[2]])
        #expect(outgoing.publications(limit: 2).isEmpty)
    }

    @Test("While nothing can be noted nothing is published: each connection would bring the box one more copy")
    func cannotWrite() throws {
        let numbers = try store.accept(["A"])
        var outgoing = try outgoing()
        #expect(outgoing.publications(limit: 9).map(\.id) == numbers)
        try FileManager.default.moveItem(atPath: folder.file("gateway.sqlite"), toPath: folder.file("elsewhere.sqlite"))
        #expect(throws: StoreError.self) { try outgoing.commit(turn { $0.acknowledged = numbers }) }
        outgoing.connectionChanged(to: .lost(reason: "test", retryIn: .zero))
        outgoing.connectionChanged(to: .ready(broker: "b", isResumed: true))
        #expect(outgoing.publications(limit: 9).isEmpty)
        try FileManager.default.moveItem(atPath: folder.file("elsewhere.sqlite"), toPath: folder.file("gateway.sqlite"))
        #expect(outgoing.publications(limit: 9).map(\.id) == numbers)
    }

    @Test("A payment is not under way when another one could not be put off: it is published by the next question")
    func notUnderWay() throws {
        let keys = folder.file("keys")
        try FileManager.default.createDirectory(
            atPath: "\(keys)/\(otherBox.merchant)", withIntermediateDirectories: true)
        // Every user may read it: what is for this box is put off, which is written.
        try folder.write("0123456789abcdef0123456789abcdef\n", to: "keys/\(otherBox.merchant)/\(otherBox.device).key")
        #expect(chmod("\(keys)/\(otherBox.merchant)/\(otherBox.device).key", 0o644) == 0)
        var outgoing = try outgoing(keys: keys)
        #expect(outgoing.publications(limit: 9).isEmpty)
        let numbers = try store.accept(["A"])
        try store.accept(["B"], of: otherBox)
        try FileManager.default.moveItem(atPath: store.path, toPath: folder.file("elsewhere.sqlite"))
        #expect(outgoing.publications(limit: 9).isEmpty)
        try FileManager.default.moveItem(atPath: folder.file("elsewhere.sqlite"), toPath: store.path)
        #expect(outgoing.publications(limit: 9).map(\.id) == numbers)
    }

    @Test("A status that an earlier start of the gateway has had is no sign of life")
    func retainedStatus() throws {
        let last = status(#"{"state":"online","at":"2026-11-20T01:00:00.000Z","faults":[]}"#)
        for isOnline in [true, false] {
            var outgoing = try outgoing()
            try outgoing.commit(last)
            #expect(outgoing.overview.boxes[trialBox]?.isOnline(at: store.clock.now.running) == isOnline)
        }
    }

    @Test("What the broker refused is published with the next connection, and not only when it is due")
    func refused() throws {
        let number = try store.accept(["A"])[0]
        var outgoing = try outgoing()
        #expect(outgoing.publications(limit: 9).map(\.id) == [number])
        try outgoing.commit(turn { $0.refused = [(number, "not authorised (0x87)")] })
        #expect(outgoing.publications(limit: 9).isEmpty)
        outgoing.connectionChanged(to: .ready(broker: "b", isResumed: true))
        #expect(outgoing.publications(limit: 9).map(\.id) == [number])
    }

    @Test(
        "A row that was changed by hand, and cannot be read, holds up no other payment, and can be posted again",
        arguments: [
            "", "[]", "{", #"{"id":"A","amount":"12.50"}"#, #"{"id":"A","amount":"1x","currency":"CNY"}"#,
            #"{"id":"A","amount":"12.50","currency":"nonsense"}"#, #"{"id":"B","amount":"12.50","currency":"CNY"}"#,
            #"{"id":"A","amount":"12.50","currency":"CNY","kind":"refund"}"#,
        ])
    func unreadable(text: String) throws {
        let numbers = try store.accept(["A", "B"])
        try store.write {
            try $0.execute(sql: "UPDATE payment SET notice = ? WHERE payment_id = 'A'", arguments: [text])
        }
        var outgoing = try outgoing()
        #expect(outgoing.publications(limit: 9).map(\.id) == [numbers[1]])
        try outgoing.commit(online(epoch: 3))
        #expect(
            try store.accept([(trialBox, notice("A")), (trialBox, notice("C"))], at: .start) == [.accepted, .accepted])
        #expect(outgoing.publications(limit: 9).count == 2)
    }

    @Test("What was under way when the connection was lost is published again")
    func connectionLost() throws {
        let numbers = try store.accept(["A", "B"])
        var outgoing = try outgoing()
        #expect(outgoing.publications(limit: 9).map(\.id) == numbers)
        try outgoing.commit(turn { $0.acknowledged = [numbers[0]] })
        outgoing.connectionChanged(to: .lost(reason: "test", retryIn: .zero))
        outgoing.connectionChanged(to: .ready(broker: "b", isResumed: true))
        #expect(outgoing.publications(limit: 9).map(\.id) == [numbers[1]])
    }

    @Test("The notice is canonical, has a time, and is signed with the box's own key, where the box has one")
    func signed() throws {
        try SmallFile.createFolders(folder.file("keys/M1001"))
        let key = "0123456789abcdef0123456789abcdef"
        try folder.write(key + "\n", to: "keys/M1001/box-01.key")
        #expect(chmod(folder.file("keys/M1001/box-01.key"), 0o600) == 0)
        let paidAt = Timestamp(rfc3339: "2026-11-21T10:15:00+08:00")
        let full = PaymentNotice(
            id: try PaymentID("A"), money: try Money("123.45", .CNY), kind: .refund, channel: "alipay", paidAt: paidAt,
            text: "hi")
        _ = try store.accept([(trialBox, full), (otherBox, notice("B"))], at: store.clock.now)
        var outgoing = try outgoing(keys: folder.file("keys"))
        let publications = outgoing.publications(limit: 9)
        #expect(publications.map(\.topic) == [trialBox.topic(.payments), otherBox.topic(.payments)])
        let signed = try SignedPayload(publications[0].payload)
        let expected =
            #"{"id":"A","amount":"123.45","currency":"CNY","channel":"alipay","paid_at":"2026-11-21T02:15:00.000Z","kind":"refund","text":"hi","signature":""}"#
        #expect(String(decoding: signed.message, as: UTF8.self) == expected)
        let bytes = SigningKey.bytesToSign(topic: trialBox.topic(.payments), payload: signed.message)
        #expect(
            try SigningKey(key).withBytes { SHA256.isAuthenticationCode(signed.signature, of: bytes, key: $0) })
        let plain = try JSONValue(parsing: publications[1].payload)
        #expect(plain["signature"] == nil)
        #expect(plain["paid_at"]?.string.flatMap(Timestamp.init(rfc3339:)) != nil)
    }

    @Test("What a notice has besides the fields that the gateway reads is published and answered as it is stored")
    func otherFields() throws {
        let text = #"{"id":"A","amount":"12.5","table":{"number":7,"floor":"1e2"},"currency":"CNY","tip":0.10}"#
        try store.accept(["A"])
        try store.write { try $0.execute(sql: "UPDATE payment SET notice = ?", arguments: [text]) }
        var outgoing = try outgoing()
        #expect(outgoing.publications(limit: 9).map { String(decoding: $0.payload, as: UTF8.self) } == [text])
        let payment = try #require(try store.payment(try PaymentID("A"), of: trialBox))
        #expect(payment.json["table"]?["number"] == .integer(7))
        #expect(payment.json["tip"] == .number("0.10"))
    }

    @Test("A key that cannot be used holds its box's payments back, and no other's; with the key they go")
    func badKey() throws {
        try SmallFile.createFolders(folder.file("keys/M1001"))
        try folder.write("short\n", to: "keys/M1001/box-01.key")
        #expect(chmod(folder.file("keys/M1001/box-01.key"), 0o600) == 0)
        _ = try store.accept([(trialBox, notice("A")), (otherBox, notice("B"))], at: store.clock.now)
        var outgoing = try outgoing(keys: folder.file("keys"))
        #expect(outgoing.publications(limit: 9).map(\.topic) == [otherBox.topic(.payments)])
        #expect(try store.state("A") == .accepted)
        #expect(
            try store.due(at: store.clock.now.running + .seconds(60), limit: 9).payments.contains {
                $0.payment.notice.id.text == "A"
            })
    }

    @Test("A payment whose box was away as the gateway was last on waits for the box's status, and then gets its time")
    func beganAnew() throws {
        let number = try store.accept(["A"])[0]
        var acknowledged = DeliveryTurn()
        acknowledged.acknowledged = [(number, 3)]
        _ = try store.commit(acknowledged, boxes: [:], listeningSince: .zero, at: .start)
        var outgoing = try outgoing()
        #expect(outgoing.publications(limit: 9).isEmpty)
        try outgoing.commit(online(epoch: 3))
        #expect(outgoing.publications(limit: 9).isEmpty)
        let soon = store.clock.now.running + DeliveryRules.firstWait
        #expect(try store.due(at: soon, limit: 9).payments.map(\.number) == [number])
    }

    @Test("A box that is away gets one copy; one whose session is new gets the payment again, and `reconciled` follows")
    func newSession() throws {
        let number = try store.accept(["A"])[0]
        var outgoing = try outgoing(reconciles: true)
        try outgoing.commit(online(epoch: 3))
        #expect(outgoing.publications(limit: 9).map(\.id) == [number])
        try outgoing.commit(turn { $0.acknowledged = [number] })
        try outgoing.commit(status(#"{"state":"offline"}"#))
        #expect(outgoing.publications(limit: 9).isEmpty)
        #expect(outgoing.overview.boxes[trialBox]?.onlineSince == nil)

        try outgoing.commit(online(epoch: 4))
        #expect(outgoing.publications(limit: 9).map(\.id) == [number])
        #expect(outgoing.overview.boxes[trialBox]?.reconciling == .init(epoch: 4))
        try outgoing.commit(turn { $0.acknowledged = [number] })
        #expect(outgoing.publications(limit: 9).isEmpty)
        let due = try #require(outgoing.overview.boxes[trialBox]?.reconciling?.due)
        #expect(due - store.clock.now.running > .seconds(50))
        // Also after a restart of the gateway.
        #expect(try store.boxes()[trialBox]?.reconciling == .init(epoch: 4, due: due))
    }

    @Test(
        "What was published before a session was lost counts as lost with it, also when the broker's word comes later")
    func lateAcknowledgement() throws {
        let number = try store.accept(["A"])[0]
        var outgoing = try outgoing()
        try outgoing.commit(online(epoch: 3))
        #expect(outgoing.publications(limit: 9).map(\.id) == [number])
        try outgoing.commit(online(epoch: 4))
        try outgoing.commit(turn { $0.acknowledged = [number] })
        #expect(outgoing.publications(limit: 9).map(\.id) == [number])
    }

    @Test("A `reconciled` that the broker refuses is sent a minute later")
    func refusedReconciled() throws {
        var known = KnownBox()
        known.reconciling = .init(epoch: 4, due: .seconds(-1))
        try store.write([trialBox: known])
        var outgoing = try outgoing(reconciles: true)
        try outgoing.commit(online(epoch: 4))
        let id = try #require(outgoing.publications(limit: 9).first?.id)
        try outgoing.commit(turn { $0.refused = [(id, "not authorised (0x87)")] })
        #expect(outgoing.publications(limit: 9).isEmpty)
        let due = try #require(outgoing.overview.boxes[trialBox]?.reconciling?.due)
        #expect(due - store.clock.now.running > .seconds(50))
    }

    @Test("`reconciled` is signed, names the session, and is sent until the broker has it")
    func reconciled() throws {
        try folder.write("0123456789abcdef0123456789abcdef\n", to: "one.key")
        #expect(chmod(folder.file("one.key"), 0o600) == 0)
        var known = KnownBox()
        known.sessionEpoch = 4
        known.reconciling = .init(epoch: 4, due: .seconds(-1))
        try store.write([trialBox: known])
        var outgoing = try outgoing(keys: folder.file("one.key"), reconciles: true)
        try outgoing.commit(online(epoch: 4))
        let publication = try #require(outgoing.publications(limit: 9).first)
        #expect(publication.topic == trialBox.topic(.commands))
        let json = try JSONValue(parsing: publication.payload)
        #expect(json["type"] == .string("reconciled") && json["session_epoch"] == .integer(4))
        #expect(json["signature"]?.string?.count == 64)
        #expect(outgoing.publications(limit: 9).isEmpty)
        outgoing.connectionChanged(to: .lost(reason: "test", retryIn: .zero))
        outgoing.connectionChanged(to: .ready(broker: "b", isResumed: true))
        try outgoing.commit(online(epoch: 4))
        let again = try #require(outgoing.publications(limit: 9).first)
        try outgoing.commit(turn { $0.acknowledged = [again.id] })
        #expect(outgoing.publications(limit: 9).isEmpty)
        #expect(try store.boxes()[trialBox]?.reconciling == nil)
    }

    @Test("A gateway that does not reconcile publishes again, and sends no `reconciled`")
    func doesNotReconcile() throws {
        let number = try store.accept(["A"])[0]
        var outgoing = try outgoing()
        try outgoing.commit(online(epoch: 3))
        _ = outgoing.publications(limit: 9)
        try outgoing.commit(turn { $0.acknowledged = [number] })
        try outgoing.commit(online(epoch: 4))
        #expect(outgoing.publications(limit: 9).map(\.id) == [number])
        #expect(outgoing.overview.boxes[trialBox]?.reconciling == nil)
    }

    @Test("Old payments are deleted in pieces of a thousand, until none is left; newer ones and open ones stay")
    func pruning() async throws {
        let now = store.clock.now
        let old = now + .seconds(-86_400 * 8)
        try store.accept((1...2500).map { "O-\($0)" }, at: old)
        let numbers = try store.due(at: now.running, limit: 10_000).payments.map(\.number)
        try store.settle(waiting: [], givenUp: Array(numbers.dropFirst()), at: old)
        try store.accept(["N"], at: now)
        var outgoing = try outgoing()
        _ = outgoing.publications(limit: 9)
        #expect(try store.state("O-1") == .givenUp, "it was open")
        #expect(try store.state("O-2") == nil && store.state("O-1000") == nil)
        #expect(try store.state("O-1001") == .givenUp)
        // At once it is not asked for more: others use the store, too.
        _ = outgoing.publications(limit: 9)
        while try store.state("O-2500") != nil {
            try await Task.sleep(for: .milliseconds(20))
            _ = outgoing.publications(limit: 9)
        }
        #expect(try store.state("N") == .accepted)
    }

    @Test(
        "What is no receipt and no status is ignored, whatever it holds",
        arguments: [
            "", "{", "[]", #"{"id":"A"}"#, #"{"id":"A","state":"nonsense"}"#,
            #"{"id":null,"command":"r-1","state":"answered"}"#,
            #"{"id":null,"state":"rejected","reason":"signature: …"}"#, #"{"id":5,"state":"announced"}"#,
        ])
    func nonsense(text: String) throws {
        try store.accept(["A"])
        var outgoing = try outgoing()
        try outgoing.commit(receipt(text))
        try outgoing.commit(status(text))
        #expect(try store.state("A") == .accepted)
    }

    @Test(
        "A duplicate's `was` is read as the box writes it; without it, or with one that nobody can read, it is stored",
        arguments: [
            (#","was":"announced","how":"muted","amount":"12.5","currency":"CNY""#, PaymentState.announced),
            (#","was":"announced","amount":"12.51","currency":"CNY""#, .failed), ("", .stored),
            (#","how":"aloud","was":"announced""#, .stored),
            (#","was":"rejected","amount":"12.5","currency":"CNY""#, .stored),
            (#","was":"announced","amount":12.5,"currency":"CNY""#, .stored),
            (#","was":"announced","amount":"12.5","currency":"?""#, .stored),
        ])
    func duplicate(members: String, state: PaymentState) throws {
        try store.accept(["A"])
        var outgoing = try outgoing()
        try outgoing.commit(receipt(#"{"id":"A","state":"duplicate"\#(members)}"#))
        let payment = try store.payment(try PaymentID("A"), of: trialBox)
        #expect(payment?.state == state)
        #expect(payment?.how == (state == .announced ? "muted" : nil))
    }

    @Test("What a box writes of a first message is what the gateway reads")
    func writtenByBox() throws {
        try store.accept(["A"])
        var outgoing = try outgoing()
        var written = Receipt(id: try PaymentID("A"), state: .duplicate, at: store.clock.now.time)
        written.first = .init(state: .announced, money: try Money("12.50", .CNY), audibility: .atVolume0)
        try outgoing.commit(receipt(written.json(sequence: 7, epoch: "e").text))
        let payment = try store.payment(try PaymentID("A"), of: trialBox)
        #expect(payment?.state == .announced && payment?.how == "volume_0")
    }

    @Test("The metrics tell what waits and how long the announced took, as Prometheus reads it")
    func metricsText() throws {
        try store.accept(["A"])
        try store.accept(["B"], at: store.clock.now + .seconds(-100))
        var outgoing = try outgoing()
        try outgoing.commit(receipt(#"{"id":"A","state":"announced","how":"aloud"}"#))
        try outgoing.commit(status(#"{"state":"offline"}"#))
        let text = PrometheusText.text(
            metrics.families(
                StoreReader.Counts(openSince: try store.openSince(), unread: 3, callbacks: [:]),
                boxes: outgoing.overview.boxes, isConnected: outgoing.overview.isConnected,
                at: store.clock.now.running))
        _ = try Exposition(text)
        #expect(text.contains("soundbox_gateway_waiting{younger_than=\"1m\"} 0\n"))
        #expect(text.contains("soundbox_gateway_waiting{younger_than=\"5m\"} 1\n"))
        #expect(text.contains("soundbox_gateway_announced_seconds_count 1\n"))
        #expect(text.contains("soundbox_gateway_boxes_offline 1\n"))
        #expect(text.contains("soundbox_gateway_unread 3\n"))
        #expect(text.contains("soundbox_gateway_ended_total{state=\"announced\"} 1\n"))
    }
}
