import Logging
import SoundboxControl
import SoundboxCore
import TestSupport
import Testing

@testable import SoundboxGateway

@Suite("Lists of payments in one webhook")
struct HookListTests {
    private static let secret = "a secret of a provider"
    private let folder: TemporaryFolder
    private let store: SQLitePaymentStore
    private let keys: HookFolder
    private let metrics = GatewayMetrics()

    init() throws {
        folder = try TemporaryFolder(inMemory: true)
        store = try .temporary(folder)
        keys = try HookFolder()
        try keys.secret(Self.secret)
    }

    private func handler(_ others: String) throws -> GatewayRequestHandler {
        let hook = try keys.recipe(
            "secret_file: \(keys.folder.file("secret")), signed: \"{body}\", code: {header: X-Signature}",
            device: #"{field: till, codes: {"1": box-01, "2": box-02}, otherwise: ignore}"#, others: others)
        return try GatewayRequestHandler(["shop": hook], store, metrics: metrics)
    }

    private func post(_ rows: [String], to handler: GatewayRequestHandler) async -> Int {
        let body = #"{"rows":[\#(rows.joined(separator: ","))]}"#
        var request = HTTPRequest(method: "POST", target: "/hooks/shop".utf8, body: Array(body.utf8))
        request.headers = ["x-signature": code(body, key: Self.secret).hexadecimal]
        return await handler.answer(request).status
    }

    private func row(_ id: String, _ amount: String = "1", _ till: Int = 1, kind: String = "in") -> String {
        #"{"id":"\#(id)","amount":"\#(amount)","till":\#(till),"type":"\#(kind)"}"#
    }

    private var payments: [String] {
        get throws {
            try store.due(at: store.clock.now.running, limit: 1000).payments.map {
                "\($0.payment.box.device) \($0.payment.notice.id) \($0.payment.notice.money)"
            }.sorted()
        }
    }

    @Test("With every kind of element at once those that can be read are stored, and the rest is one unread webhook")
    func everyKind() async throws {
        let handler = try handler(
            """
            each: rows
            conditions:
              - {field: type, values: [in, odd], otherwise: ignore}
              - {field: type, values: [in], otherwise: refuse}
            """)
        #expect(await post([row("known"), row("differs")], to: handler) == 200)
        let rows = [
            row("A"), row("known"), row("differs", "2"), row("out", kind: "out"), row("nobody's", "1", 9),
            row("broken", "x"), #"{"amount":"1","till":1,"type":"in"}"#, row("odd", kind: "odd"), row("A", "7"), "7",
            row("B", "1.5", 2),
        ]
        // As often as a provider repeats it.
        for _ in 1...3 { #expect(await post(rows, to: handler) == 200) }
        #expect(
            try payments
                == ["box-01 A 1 CNY", "box-01 differs 1 CNY", "box-01 known 1 CNY", "box-02 B 1.5 CNY"])
        let unread = try store.unreadNumbers().compactMap(store.unread)
        #expect(unread.count == 1 && unread[0].count == 3)
        // The list names the element, and how many others there are.
        #expect(unread[0].reason.hasPrefix("rows.5.amount: "), "\(unread[0].reason)")
        #expect(unread[0].reason.hasSuffix(" (and 5 more)"), "\(unread[0].reason)")
        #expect(metrics.count(of: .accepted) == 4 && metrics.count(of: .known) == 7)
        #expect(metrics.count(of: .noBox) == 3 && metrics.count(of: .ignored) == 3 && metrics.count(of: .unread) == 3)
    }

    @Test("The longest list is taken whole, and a longer one is kept whole")
    func longest() async throws {
        let handler = try handler("each: rows")
        let rows = (0..<MappedNoticeDecoder.mostNotices).map { row("R\($0)") }
        #expect(await post(rows + [row("more")], to: handler) == 200)
        #expect(try payments.isEmpty)
        #expect(try store.unread(1)?.reason.contains("257 elements") == true)
        #expect(await post(rows, to: handler) == 200)
        #expect(try payments.count == rows.count)
        #expect(try store.unreadCount() == 1)
    }
}
