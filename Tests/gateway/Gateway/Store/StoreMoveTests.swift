import SoundboxCore
import SoundboxSystem
import TestSupport
import Testing

@testable import SoundboxGateway

@Suite("The move from a file to PostgreSQL")
struct StoreMoveTests {
    private let folder: TemporaryFolder
    private let file: SQLitePaymentStore
    private let server: PostgreSQLPaymentStore
    private let now = Moment.start

    init() async throws {
        folder = try TemporaryFolder(inMemory: true)
        file = try SQLitePaymentStore(path: folder.file("gateway.sqlite"), receivers: ["shop": [.announced]])
        server = try PostgreSQLPaymentStore(try await TrialStore.database().address, name: "gateway")
    }

    /// Payments in several states, a box, an unread webhook and a callback.
    private func fill() throws {
        let numbers = try file.accept(["A", "B", "C"])
        var turn = DeliveryTurn()
        turn.acknowledged = [(numbers[0], 3), (numbers[1], nil)]
        turn.receipts = [
            (
                trialBox, try PaymentID("A"),
                .init(state: .announced, how: "aloud", number: .init(epoch: "e", sequence: 7))
            )
        ]
        var known = KnownBox()
        (known.sessionEpoch, known.seenAt, known.faults) = (3, now.time, ["audio"])
        turn.changedBoxes = [trialBox]
        _ = try file.commit(turn, boxes: [trialBox: known], listeningSince: .zero, at: now)
        let webhook = GenuineWebhook(hook: "bank", path: "/hooks/bank", signed: "x", document: [0xFF, 0x00, 0x41])
        _ = try file.accept(
            [Submission([(otherBox, try notice("D", kind: .refund))], webhook: webhook, problems: ["odd"])], at: now)
    }

    @Test("Payments, boxes, unread webhooks, callbacks and the clock are the same there, and numbers go on")
    func everything() throws {
        try fill()
        var copied: [String] = []
        try StoreMove.run(from: file, to: server) { table, count in copied.append("\(table) \(count)") }
        #expect(copied == ["box 2", "payment 4", "unread 1", "callback 1"])
        let query = PaymentQuery()
        #expect(try server.list(query, at: now) == file.list(query, at: now))
        #expect(try server.boxes() == file.boxes())
        #expect(try server.unreadNumbers() == file.unreadNumbers())
        #expect(try server.unread(1) == file.unread(1))
        #expect(try server.callbacks(after: 0, limit: 9) == file.callbacks(after: 0, limit: 9))
        let far = Duration.seconds(80 * 3600)
        #expect(try server.due(at: far, limit: 9) == file.due(at: far, limit: 9))
        #expect(try server.openSince() == file.openSince())
        let last = try #require(try file.due(at: far, limit: 9).payments.map(\.number).max())
        #expect(try server.accept(["E"])[0] > last)
        #expect(try server.accept([(trialBox, notice("A"))], at: now) == [.known(.announced)])
    }

    @Test("Where there are rows already nothing is moved, and the file stays")
    func occupied() throws {
        try fill()
        try server.accept(["Z"])
        let error = #expect(throws: StoreError.self) { try StoreMove.run(from: file, to: server) { _, _ in } }
        #expect(error?.description.contains("has rows in the table box already: nothing was moved") == true)
        #expect(try server.list(PaymentQuery(), at: now).payments.count == 1)
        #expect(try file.list(PaymentQuery(), at: now).payments.count == 4)
    }

    @Test("The file gets another name, with all that is in it")
    func retired() throws {
        try fill()
        try file.retire()
        #expect(try folder.names() == ["gateway.sqlite.moved"])
        #expect(
            try SQLitePaymentStore(path: folder.file("gateway.sqlite.moved"), role: .reader).openSince().count == 3)
    }
}
