import GRDB
import Logging
import SoundboxControl
import SoundboxCore
import SoundboxSystem
import TestSupport
import Testing

@testable import SoundboxGateway

@Suite("Ids of a hook's payments")
struct HookIdentityTests {
    private static let secret = "a secret of a provider"
    private let folder: TemporaryFolder
    private let store: SQLitePaymentStore
    private let keys: HookFolder
    private let metrics = GatewayMetrics()
    private let lines = Journal<String>()

    init() throws {
        folder = try TemporaryFolder(inMemory: true)
        store = try .temporary(folder)
        keys = try HookFolder()
        try keys.secret(Self.secret)
    }

    private func hook(id: String = "id", others: String = "") throws -> Hook {
        try keys.recipe(
            "secret_file: \(keys.folder.file("secret")), signed: \"{body}\", code: {header: X-Signature}",
            device: #"{field: till, codes: {"1": box-01, "2": box-02}}"#, id: id, others: others)
    }

    private func handler(_ hooks: [String: Hook]) throws -> GatewayRequestHandler {
        try GatewayRequestHandler(hooks, store, metrics: metrics, logger: logger(into: lines))
    }

    private func post(_ body: String, to handler: GatewayRequestHandler, hook: String = "shop") async -> Int {
        var request = HTTPRequest(method: "POST", target: "/hooks/\(hook)".utf8, body: Array(body.utf8))
        request.headers = ["x-signature": code(body, key: Self.secret).hexadecimal]
        return await handler.answer(request).status
    }

    private func payment(_ id: String, _ till: Int, _ amount: String = "1") -> String {
        #"{"id":"\#(id)","till":\#(till),"amount":"\#(amount)"}"#
    }

    /// `DEVICE ID` of each payment.
    private var stored: [String] {
        get throws {
            try store.due(at: store.clock.now.running, limit: 100).payments.map {
                "\($0.payment.box.device) \($0.payment.notice.id)"
            }.sorted()
        }
    }

    @Test("A repetition for another device speaks at no second box: it is answered as known, and logged")
    func otherDevice() async throws {
        let handler = try handler(["shop": try hook()])
        #expect(await post(payment("A", 1), to: handler) == 200)
        #expect(await post(payment("A", 2), to: handler) == 200)
        #expect(await post(payment("A", 1), to: handler) == 200)
        #expect(try stored == ["box-01 A"])
        #expect(metrics.count(of: .accepted) == 1 && metrics.count(of: .known) == 2)
        #expect(lines.entries.filter { $0.hasPrefix("a webhook's payment is known at another box") }.count == 1)
        #expect(try store.unreadCount() == 0)
        // With another amount it is a case for people.
        #expect(await post(payment("A", 2, "9"), to: handler) == 200)
        #expect(try store.unreadCount() == 1)
        #expect(try stored == ["box-01 A"])
    }

    @Test("What the first box has refused, and nobody heard, another one may have")
    func refusedThere() async throws {
        let handler = try handler(["shop": try hook()])
        #expect(await post(payment("A", 1), to: handler) == 200)
        var turn = DeliveryTurn()
        turn.receipts = [
            (trialBox, try PaymentID("A"), .init(state: .rejected, number: .init(epoch: "e", sequence: 1)))
        ]
        _ = try store.commit(turn, boxes: [:], listeningSince: .zero, at: store.clock.now)
        #expect(await post(payment("A", 2), to: handler) == 200)
        #expect(try stored == ["box-02 A"])
    }

    @Test("Another hook, a request without one, and a refund have ids of their own")
    func others() async throws {
        let refunds = try hook(others: "kind: {constant: refund}")
        let handler = try handler(["shop": try hook(), "other": try hook(), "refunds": refunds])
        try store.accept(["A"], of: otherBox, at: store.clock.now)
        #expect(await post(payment("A", 1), to: handler) == 200)
        #expect(await post(payment("B", 1), to: handler) == 200)
        #expect(await post(payment("B", 2), to: handler, hook: "other") == 200)
        #expect(await post(payment("B", 2), to: handler, hook: "refunds") == 200)
        #expect(try stored == ["box-01 A", "box-01 B", "box-02 A", "box-02 B", "box-02 B"])
    }

    @Test("One webhook may have one id for several boxes, and its repetition changes nothing")
    func severalBoxes() async throws {
        let handler = try handler(["shop": try hook(others: "each: rows")])
        let body = #"{"rows":[\#(payment("A", 1)),\#(payment("A", 2))]}"#
        for _ in 1...2 {
            #expect(await post(body, to: handler) == 200)
            #expect(try stored == ["box-01 A", "box-02 A"])
        }
    }

    @Test("An unread webhook that is read again knows its hook's ids")
    func readAgain() async throws {
        let first = try handler(["shop": try hook(others: "conditions: [{field: x, values: [1], otherwise: refuse}]")])
        #expect(await post(payment("A", 2), to: first) == 200)
        let (hooks, second) = (["shop": try hook()], try handler(["shop": try hook()]))
        #expect(await post(payment("A", 1), to: second) == 200)
        let number = try #require(try store.unreadNumbers().first)
        #expect(try WebhookReader.trial(hooks).retry(number, in: store) == .read(payments: 1))
        #expect(try stored == ["box-01 A"])
    }

    @Test("With a prefix two providers that number from one on share a box")
    func prefix() async throws {
        let handler = try handler([
            "shop": try hook(id: "{field: id, prefix: one-}"), "other": try hook(id: "{field: [id], prefix: two-}"),
        ])
        for hook in ["shop", "other", "shop"] { #expect(await post(payment("7", 1), to: handler, hook: hook) == 200) }
        #expect(try stored == ["box-01 one-7", "box-01 two-7"])
    }
}
