import GRDB
import Logging
import SoundboxControl
import SoundboxCore
import SoundboxSystem
import TestSupport
import Testing

@testable import SoundboxGateway

@Suite("Genuine webhooks that cannot be read or placed", .timeLimit(.minutes(10)))
struct UnreadTests {
    private static let secret = "a secret of a provider"
    private let folder: TemporaryFolder
    private let store: SQLitePaymentStore
    private let keys: HookFolder
    private let metrics = GatewayMetrics()
    private let lines = Journal<String>()

    init() throws {
        folder = try TemporaryFolder(inMemory: true)
        var limits = UnreadLimits()
        limits.rows = 200
        store = try SQLitePaymentStore(path: folder.file("gateway.sqlite"), unreadLimits: limits)
        keys = try HookFolder()
        try keys.secret(Self.secret)
    }

    private func hook(
        _ signed: String = "\"{body}\"", code: String = "{header: X-Signature}", amount: String = "amount",
        device: String = #"{field: till, codes: {"1": box-01, "2": box-02}}"#, others: String = ""
    ) throws -> Hook {
        try keys.recipe(
            "secret_file: \(keys.folder.file("secret")), signed: \(signed), code: \(code)", device: device,
            amount: amount, others: others)
    }

    private func handler(_ hooks: [String: Hook]) throws -> GatewayRequestHandler {
        try GatewayRequestHandler(hooks, store, metrics: metrics, logger: logger(into: lines))
    }

    /// - Returns: the status.
    private func post(
        _ body: String, to handler: GatewayRequestHandler, hook: String = "shop", key: String = secret,
        type: String = "application/json"
    ) async -> Int {
        var request = HTTPRequest(method: "POST", target: "/hooks/\(hook)?a=b".utf8, body: Array(body.utf8))
        request.headers = ["x-signature": code(body, key: key).hexadecimal, "content-type": type]
        return await handler.answer(request).status
    }

    private var unread: [UnreadWebhook] {
        get throws { try store.unreadNumbers().compactMap(store.unread) }
    }

    private var payments: [String] {
        get throws {
            try store.due(at: store.clock.now.running, limit: 10_000).payments.map { "\($0.payment.notice.id)" }
                .sorted()
        }
    }

    @Test(
        "It is stored whole, counted and logged, and answered 200; a forged one is answered 401, and not stored",
        arguments: [
            (#"{"id":"A","till":"1","event":"paid"}"#, "amount"),
            (#"{"id":"A","till":"1","amount":"x","event":"paid"}"#, "amount"),
            (#"{"id":"A","amount":"1","event":"paid"}"#, "till"),
            (#"{"id":"A","amount":"1","till":"3","event":"paid"}"#, "till"),
            (#"{"id":"A","amount":"1","till":"1","event":"other"}"#, "event"),
            (#"{"id":"known","amount":"1","till":"1","event":"paid"}"#, "another amount: 12.5 CNY"),
            ("nonsense", "JSON"), ("", "JSON"), ("\u{0}", "JSON"), (#"{"id":"A","id":"B"}"#, "id"),
            ("[\(String(repeating: " ", count: 60_000))]", ""),
        ])
    func stored(body: String, reason: String) async throws {
        try store.accept(["known"], at: store.clock.now)
        let handler = try handler([
            "shop": try hook(others: "conditions: [{field: event, values: [paid], absent: ignore, otherwise: refuse}]")
        ])
        #expect(await post(body, to: handler, key: "a secret of somebody else") == 401)
        #expect(try store.unreadCount() == 0)
        let answer = await post(body, to: handler)
        #expect(answer == 200)
        let row = try #require(try unread.first)
        #expect(row.webhook.document == Array(body.utf8))
        #expect(row.webhook.hook == "shop" && row.webhook.path == "/hooks/shop" && row.count == 1)
        #expect(row.reason.contains(reason), "\(row.reason)")
        #expect(lines.entries.contains("a webhook cannot be read: it is stored reason=\(row.reason)"))
        #expect(metrics.count(of: .unread) == 1 && metrics.count(of: .unauthorised) == 1)
        #expect(try payments == ["known"])
    }

    @Test("The same bytes for the same hook are one row, which counts; those for another hook are another")
    func repeated() async throws {
        let hook = try hook()
        let handler = try handler(["shop": hook, "other": hook])
        let body = #"{"id":"A"}"#
        for _ in 1...3 { #expect(await post(body, to: handler) == 200) }
        #expect(await post(body, to: handler, hook: "other") == 200)
        #expect(await post(body + " ", to: handler) == 200)
        let found = try unread
        #expect(found.map(\.count) == [3, 1, 1])
        #expect(found.map(\.webhook.hook) == ["shop", "other", "shop"])
        #expect(Set(found.map(\.number)).count == 3)
    }

    @Test("Read again with another mapping it becomes a payment, once; the rest keeps a new reason")
    func retry() async throws {
        let old = try handler(["shop": try hook()])
        for body in [#"{"id":"A","total":"5","till":"1"}"#, #"{"id":"B","total":"6","till":"9"}"#] {
            #expect(await post(body, to: old) == 200)
        }
        let corrected = WebhookReader.trial(["shop": try hook(amount: "total")])
        #expect(try corrected.retry(1, in: store) == .read(payments: 1))
        let payment = try #require(try store.payment(try PaymentID("A"), of: trialBox))
        #expect(payment.state == .accepted)
        #expect(try payment.notice.money == Money("5", .CNY))
        guard case .unread(let reason) = try corrected.retry(2, in: store) else {
            Issue.record("read")
            return
        }
        #expect(reason.contains("till") && !reason.contains("amount"))
        #expect(try unread.map(\.reason) == [reason])
        #expect(try corrected.retry(1, in: store) == .unknown)
        #expect(try WebhookReader.trial([:]).retry(2, in: store) == .unread(reason: "there is no hook of this name"))
        #expect(try payments == ["A"])

        // The provider sends the first one again, before the gateway has the new mapping, and then behind it.
        #expect(await post(#"{"id":"A","total":"5","till":"1"}"#, to: old) == 200)
        #expect(try corrected.retry(3, in: store) == .read(payments: 1))
        #expect(
            await post(#"{"id":"A","total":"5","till":"1"}"#, to: try handler(["shop": try hook(amount: "total")]))
                == 200)
        #expect(try payments == ["A"])
        #expect(try unread.map(\.number) == [2])
    }

    @Test("Without a time of its own it counts as paid when it came, and waits from now on")
    func times() throws {
        let now = store.clock.now
        let earlier = now + .seconds(-86_400)
        _ = try store.accept([webhook(#"{"id":"A","amount":"5","till":"1"}"#)], at: earlier)
        #expect(try WebhookReader.trial(["shop": try hook()]).retry(1, in: store) == .read(payments: 1))
        let payment = try #require(try store.payment(try PaymentID("A"), of: trialBox))
        #expect(payment.json["paid_at"] == .string("\(earlier.time)"))
        #expect(payment.accepted.time >= now.time && payment.accepted.running >= now.running)
    }

    @Test("What a corrected mapping ignores is done")
    func ignoredNow() async throws {
        #expect(await post(#"{"id":"A","amount":"5","till":"9"}"#, to: try handler(["shop": try hook()])) == 200)
        let corrected = WebhookReader.trial([
            "shop": try hook(device: #"{field: till, codes: {"1": box-01}, otherwise: ignore}"#)
        ])
        let outcome = try corrected.retry(1, in: store)
        guard case .ignored(let reason) = outcome else { throw TestFailure("\(outcome)") }
        #expect(reason.contains("is none of the codes that say the device"))
        #expect(try store.unreadCount() == 0)
        #expect(try payments.isEmpty)
    }

    @Test("Of several payments those that can be read are stored in the same commit, and the others when they can be")
    func several() async throws {
        let old = try handler(["shop": try hook(others: "each: rows")])
        let body =
            "rows[0][id]=A&rows[0][amount]=1&rows[0][till]=1&rows[1][id]=B&rows[1][amount]=2&rows[1][till]=7"
            + "&rows[2][id]=C&rows[2][amount]=x&rows[2][till]=7"
        #expect(await post(body, to: old, type: "application/x-www-form-urlencoded") == 200)
        #expect(try payments == ["A"])
        let row = try #require(try unread.first)
        #expect(row.webhook.document == Array(body.utf8) && row.reason.hasSuffix(" (and 1 more)"))
        #expect(metrics.count(of: .accepted) == 1 && metrics.count(of: .unread) == 1)
        let corrected = WebhookReader.trial([
            "shop": try hook(device: #"{field: till, codes: {"1": box-01, "7": box-01}}"#, others: "each: rows")
        ])
        guard case .unread(let reason) = try corrected.retry(1, in: store) else {
            Issue.record("read")
            return
        }
        #expect(reason.contains("amount") && !reason.contains("more"))
        #expect(try payments == ["A", "B"])
        #expect(try store.unreadCount() == 1)
    }

    /// A stranger may have repeated a genuine request with another `till`, while only `id` and `amount` were signed.
    @Test("A field that was not signed when it came is not believed, also where the hook now says that it is signed")
    func signedOtherwise() async throws {
        let code = "{field: code}"
        let old = try handler([
            "shop": try hook(
                #"{fields: [id, amount], separator: "|"}"#, code: code, device: "{constant: box-01}",
                others: "conditions: [{field: amount, values: [\"2\"], otherwise: refuse}]")
        ])
        let right = SoundboxGatewayTests.code("A|1", key: Self.secret).hexadecimal
        #expect(await post(#"{"id":"A","amount":"1","till":"2","code":"\#(right)"}"#, to: old) == 200)
        #expect(try unread.map(\.webhook.signed) == ["id, amount"])
        let other = WebhookReader.trial(["shop": try hook(#"{fields: [id, amount, till], separator: "|"}"#, code: code)]
        )
        #expect(try other.retry(1, in: store) == .unread(reason: "it was signed otherwise: id, amount"))
        #expect(
            try WebhookReader.trial(["shop": try hook()]).retry(1, in: store)
                == .unread(reason: "it was signed otherwise: id, amount"))
        #expect(try payments.isEmpty)
        let same = WebhookReader.trial([
            "shop": try hook(#"{fields: [id, amount], separator: "|"}"#, code: code, device: "{constant: box-01}")
        ])
        #expect(try same.retry(1, in: store) == .read(payments: 1))
    }

    @Test("While the disk takes nothing it is answered 503, and nothing of it is stored; then it is stored")
    func diskFull() async throws {
        let handler = try handler(["shop": try hook(others: "each: rows")])
        let rows = #"[{"id":"A","amount":"1","till":"1"},{"id":"B"}]"#
        let body = #"{"rows":\#(rows),"x":"\#(String(repeating: "x", count: 50_000))"}"#
        try store.write { try $0.execute(sql: "PRAGMA max_page_count = 1") }
        #expect(await post(body, to: handler) == 503)
        #expect(try store.unreadCount() == 0)
        #expect(try payments.isEmpty)
        try store.write { try $0.execute(sql: "PRAGMA max_page_count = 1000000") }
        #expect(await post(body, to: handler) == 200)
        #expect(try store.unreadCount() == 1)
        #expect(try payments == ["A"])
        #expect(metrics.count(of: .failed) == 1 && metrics.count(of: .unread) == 1)
    }

    @Test("What could not be stored is asked for again after five seconds, of providers too")
    func askedForAgain() throws {
        for response in [.error(503, "full"), try hook().scheme.failed("full")] {
            #expect(response.status == 503 && response.headers.contains { $0 == ("Retry-After", "5") })
        }
    }

    @Test("A form whose names do not fit together is stored, as it was sent")
    func form() async throws {
        let handler = try handler(["shop": try hook()])
        for body in ["id=A&id=B", "a", "a=1&a[b]=2"] {
            #expect(await post(body, to: handler, type: "application/x-www-form-urlencoded") == 200)
            let row = try #require(try unread.last)
            #expect(row.webhook.form == .form && row.webhook.document == Array(body.utf8))
        }
        #expect(try store.unreadCount() == 3)
    }

    @Test("JSON that is called a form is read as JSON, also behind blanks or a byte order mark")
    func calledForm() async throws {
        let handler = try handler(["shop": try hook()])
        for (id, start) in [("A", ""), ("B", " \r\n"), ("C", "\u{FEFF}")] {
            let body = start + #"{"id":"\#(id)","amount":"1","till":"1"}"#
            #expect(await post(body, to: handler, type: "application/x-www-form-urlencoded") == 200)
        }
        #expect(try payments == ["A", "B", "C"])
    }

    @Test("That the oldest are deleted is logged, however many lines there were before")
    func tooMany() async throws {
        let handler = try handler(["shop": try hook()])
        for index in 0...200 { #expect(await post("\(index)", to: handler) == 200) }
        #expect(lines.entries.count { $0.hasPrefix("unread webhooks are too many") } == 1)
        #expect(try store.unreadCount() == 200)
        #expect(try unread.first?.number == 2)
    }

    // MARK: The store

    private func webhook(_ document: String) -> Submission {
        .init([], webhook: GenuineWebhook(hook: "shop", path: "/", document: Array(document.utf8)), problems: ["x"])
    }

    @Test("A second process takes it from the file beside the gateway, and leaves the clock alone; none makes a file")
    func editor() throws {
        _ = try store.accept([webhook(#"{"id":"A","amount":"1","till":"1"}"#)], at: store.clock.now)
        let before = try store.read { try Int.fetchOne($0, sql: "SELECT running FROM clock") }
        let editor = try SQLitePaymentStore(path: store.path, role: .editor)
        #expect(try WebhookReader.trial(["shop": try hook()]).retry(1, in: editor) == .read(payments: 1))
        #expect(try store.read { try Int.fetchOne($0, sql: "SELECT running FROM clock") } == before)
        #expect(try payments == ["A"])
        #expect(try store.unreadCount() == 0)
        let none = folder.file("none.sqlite")
        let error = #expect(throws: StoreError.self) { try SQLitePaymentStore(path: none, role: .editor) }
        #expect(error?.description == "\(none): is not there")
        #expect(!SmallFile.exists(none))
    }

    @Test("Retried by two while the gateway stores others, each becomes one payment, and nobody is refused")
    func atOnce() async throws {
        let bodies = (0..<100).map { #"{"id":"U-\#($0)","amount":"1","till":"1"}"# }
        _ = try store.accept(bodies.map(webhook), at: store.clock.now)
        let reader = WebhookReader.trial(["shop": try hook()])
        let (numbers, path) = (try store.unreadNumbers(), store.path)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for name in ["one", "other"] {
                tasks.addTask {
                    try await onOwnThread(named: name) {
                        let editor = try SQLitePaymentStore(path: path, role: .editor)
                        for number in numbers { _ = try reader.retry(number, in: editor) }
                    }
                }
            }
            tasks.addTask { [store] in
                try await onOwnThread(named: "gateway") {
                    for index in 0..<200 {
                        let outcomes = try store.accept([(otherBox, notice("G-\(index)"))], at: store.clock.now)
                        #expect(outcomes == [.accepted])
                    }
                }
            }
            try await tasks.waitForAll()
        }
        #expect(try store.unreadCount() == 0)
        #expect(Set(try payments).count == 300)
        #expect(try store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM payment") } == 300)
    }

    @Test("Its JSON has the whole document, in base64 where that is no text")
    func json() {
        func json(_ document: [UInt8]) -> JSONValue {
            UnreadWebhook(
                number: 7, webhook: GenuineWebhook(hook: "shop", path: "/hooks/shop", document: document),
                came: Timestamp(millisecondsSince1970: 0), count: 2, reason: "x"
            ).json
        }
        #expect(
            json(Array(#"{"a":1}"#.utf8)).text
                == #"{"number":7,"came_at":"1970-01-01T00:00:00.000Z","hook":"shop","path":"/hooks/shop","count":2,"reason":"x","form":"json","document":"{\"a\":1}"}"#
        )
        #expect(json([0xFF, 0])["document_base64"] == .string("/wA="))
    }
}
