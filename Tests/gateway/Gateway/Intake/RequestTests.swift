import GRDB
import Glibc
import Logging
import SoundboxControl
import SoundboxCore
import SoundboxSystem
import Synchronization
import TestSupport
import Testing

@testable import SoundboxGateway

@Suite("Requests of payment systems, to a real server", .timeLimit(.minutes(10)))
struct RequestTests {
    private let folder: TemporaryFolder
    private let store: SQLitePaymentStore
    private static let token = "0123456789abcdef0123456789abcdef"

    init() throws {
        folder = try TemporaryFolder(inMemory: true)
        store = try .temporary(folder)
    }

    private func handler(
        tokens: String = "shop \(Self.token)", hooks: [String: Hook] = [:], isConnected: Bool = true,
        metrics: GatewayMetrics = GatewayMetrics(), logger: Logger = silence
    ) throws -> GatewayRequestHandler {
        var seen = KnownBox()
        seen.seenAt = store.clock.now.time
        (seen.seen, seen.onlineSince) = (store.clock.now.running, store.clock.now.running)
        return try GatewayRequestHandler(
            hooks, store, tokens: tokens, known: [trialBox: KnownBox(), otherBox: seen], isConnected: isConnected,
            metrics: metrics, logger: logger
        ) { type, members, _, isAway in
            isAway
                ? .waits(id: "g-1")
                : .reply(.object([("command", .string(type)), ("result", .string("ok"))] + members))
        }
    }

    /// Asks a server with this store.
    private func serve(
        tokens: String = "shop \(Self.token)", hooks: [String: Hook] = [:], isConnected: Bool = true,
        metrics: GatewayMetrics = GatewayMetrics(), logger: Logger = silence,
        _ body: (_ ask: Client) async throws -> Void
    ) async throws {
        let handler = try handler(
            tokens: tokens, hooks: hooks, isConnected: isConnected, metrics: metrics, logger: logger)
        let server = try HTTPServer(
            limits: GatewayService.limits, refusal: { .error($0, $1) }, headers: handler.headers,
            handler: handler.answer)
        // A free port that was looked up before may be another test run's by now.
        let ports = Journal<Int>()
        async let ending: Void = server.run(thread: "http-trial") {
            let listener = try TCPListener(ListenAddress(.v4([127, 0, 0, 1]), port: 0), backlog: 64)
            if let descriptor = listener.descriptor { ports.append(try LoopbackSocket.port(of: descriptor)) }
            return listener
        } whenOpen: {
        }
        let result: Result<Void, any Error>
        do { result = .success(try await body(Client(port: try await ports.next()))) } catch {
            result = .failure(error)
        }
        server.stop()
        try await ending
        try result.get()
    }

    private struct Client: Sendable {
        let port: Int

        func callAsFunction(
            _ method: String, _ path: String, _ body: String? = nil, token: String? = RequestTests.token,
            headers: [String] = []
        ) async throws -> (status: Int, json: JSONValue) {
            var request = HTTPFetch(method, "http://127.0.0.1:\(port)\(path)", limit: .seconds(300), most: 100_000)
            request.headers = headers + (token.map { ["Authorization: Bearer \($0)"] } ?? [])
            request.body = body.map { Array($0.utf8) }
            let answer = try await request.answer(onThreadNamed: "client")
            return (answer.status, (try? JSONValue(parsing: answer.body)) ?? .null)
        }
    }

    private let payment = #"{"id":"A-1","amount":"123.45","channel":"alipay"}"#

    @Test("A payment is answered when it is stored; again it changes nothing; with another amount it is a conflict")
    func accepted() async throws {
        try await serve { ask in
            let first = try await ask("POST", "/payments/M1001/box-01", payment)
            #expect(first.status == 200 && first.json["state"] == .string("accepted"))
            #expect(try store.state("A-1") == .accepted)
            let again = try await ask("POST", "/payments/M1001/box-01", payment)
            #expect(again.status == 200 && again.json["state"] == .string("accepted"))
            let other = try await ask("POST", "/payments/M1001/box-01", #"{"id":"A-1","amount":"1"}"#)
            #expect(other.status == 409)
            #expect(other.json["error"]?.string == "amount: the id is known with another amount: 123.45 CNY")
            #expect(try store.due(at: store.clock.now.running, limit: 10).payments.count == 1)
        }
    }

    @Test("A payment for a box that was never seen is taken, and the answer says so")
    func neverSeen() async throws {
        try await serve { ask in
            for (device, box) in [("box-01", "never seen"), ("box-02", nil), ("box-03", "never seen")] {
                let answer = try await ask("POST", "/payments/M1001/\(device)", payment)
                #expect(answer.status == 200 && answer.json["box"]?.string == box, "\(device)")
            }
        }
    }

    @Test("Payments are listed in pages, of the token's merchants only")
    func list() async throws {
        try await serve(tokens: "all \(Self.token)\none \(Self.token)1 merchant=M1001") { ask in
            for (path, ids) in [("M1001/box-01", 1...3), ("M2002/box-01", 4...5), ("M1001/box-02", 6...6)] {
                for id in ids { _ = try await ask("POST", "/payments/\(path)", #"{"id":"A-\#(id)","amount":"1"}"#) }
            }
            func ids(_ query: String, token: String = Self.token) async throws -> (ids: [String], next: String?) {
                let answer = try await ask("GET", "/payments\(query)", token: token)
                #expect(answer.status == 200)
                let ids = answer.json["payments"]?.elements?.compactMap { $0["id"]?.string } ?? []
                return (ids, answer.json["next"]?.string)
            }
            let first = try await ids("?limit=4")
            #expect(first.ids == ["A-1", "A-2", "A-3", "A-4"])
            let second = try await ids("?limit=4&after=\(try #require(first.next))")
            #expect(second.ids == ["A-5", "A-6"] && second.next == nil)
            #expect(try await ids("", token: Self.token + "1").ids == ["A-1", "A-2", "A-3", "A-6"])
            #expect(try await ids("?merchant=M1001&device=box-02").ids == ["A-6"])
            #expect(try await ask("GET", "/payments?merchant=M2002", token: Self.token + "1").status == 403)
        }
    }

    @Test(
        "A parameter of the list that is wrong is named",
        arguments: [
            ("limit=0", "limit"), ("limit=1001", "limit"), ("limit=x", "limit"), ("limit=", "limit"),
            ("after=-1", "after"), ("after=99999999999999999999", "after"), ("since=yesterday", "since"),
            ("since=2026-11-28T10:15:00", "since"), ("device=box-01", "device"), ("merchant=", "merchant"),
            ("merchant=M1&device=a%2Fb", "device"), ("limit=1&limit=1", "limit"), ("state=stored", "\"state\""),
        ])
    func wrongParameter(query: String, parameter: String) async throws {
        try await serve { ask in
            let answer = try await ask("GET", "/payments?\(query)")
            #expect(answer.status == 400 && answer.json["field"]?.string == parameter, "\(answer)")
        }
    }

    @Test(
        "What the box would refuse is refused, with the field",
        arguments: [
            (#"{"id":"A"}"#, "amount"), (#"{"id":"A","amount":"0"}"#, "amount"), (#"{"amount":"1"}"#, "id"),
            (#"{"id":"A","amount":"10.000"}"#, "amount"), (#"{"id":"A","amount":"1","currency":"XXZ"}"#, "currency"),
            (#"{"id":"A","amount":"1","kind":"deposit"}"#, "kind"),
            (#"{"id":"A","amount":"1","paid_at":"today"}"#, "paid_at"),
            ("[]", "payload"), ("nonsense", "payload"),
            (#"{"id":"A","amount":"1","amount":"2"}"#, "payload"), ("", "payload"),
        ])
    func refused(body: String, field: String) async throws {
        try await serve { ask in
            let answer = try await ask("POST", "/payments/M1001/box-01", body)
            #expect(answer.status == 422)
            #expect(answer.json["field"]?.string == field)
            #expect(try store.due(at: store.clock.now.running, limit: 10).payments.isEmpty)
        }
    }

    @Test("Without a known token nothing is told and nothing is stored")
    func unauthorised() async throws {
        try await serve { ask in
            for token in [nil, "wrong", Self.token + "0"] {
                for (method, path) in [
                    ("POST", "/payments/M1001/box-01"), ("GET", "/payments/M1001/box-01/A-1"), ("GET", "/"),
                ] {
                    let answer = try await ask(method, path, method == "POST" ? payment : nil, token: token)
                    #expect(answer.status == 401)
                }
            }
            #expect(try store.due(at: store.clock.now.running, limit: 10).payments.isEmpty)
        }
    }

    @Test("A token does what its rights say, for its merchants")
    func rights() async throws {
        let tokens = """
            posts \(Self.token)1 rights=payments
            reads \(Self.token)2 rights=read merchant=M1001
            other \(Self.token)3 merchant=M2002,M3003
            """
        let metrics = GatewayMetrics()
        try await serve(tokens: tokens, metrics: metrics) { ask in
            func asking(_ method: String, _ path: String, _ token: Int) async throws -> (status: Int, json: JSONValue) {
                try await ask(method, path, method == "POST" ? payment : nil, token: "\(Self.token)\(token)")
            }
            #expect(try await asking("POST", "/payments/M1001/box-01", 1).status == 200)
            #expect(try await asking("GET", "/payments/M1001/box-01/A-1", 2).status == 200)
            #expect(try await asking("GET", "/boxes/M1001/box-01", 2).status == 200)
            #expect(try await asking("POST", "/payments/M3003/box-01", 3).status == 200)
            let reading = try await asking("GET", "/payments/M1001/box-01/A-1", 1)
            #expect(reading.status == 403 && reading.json["error"]?.string == "the token posts has no right read")
            #expect(try await asking("POST", "/payments/M1001/box-02", 2).status == 403)
            let foreign = try await asking("POST", "/payments/M1001/box-02", 3)
            #expect(foreign.status == 403 && foreign.json["error"]?.string == "the token other is for other merchants")
            #expect(try await asking("GET", "/boxes/M1001/box-01", 3).status == 403)
            #expect(try store.boxes().count == 2)
        }
        #expect(metrics.count(of: .forbidden) == 4)
    }

    @Test("A command is for tokens with that right, and for boxes that are online; a cancel waits at the broker")
    func commands() async throws {
        try await serve(tokens: "rings \(Self.token) rights=commands\nshop \(Self.token)1") { ask in
            let ring = try await ask("POST", "/boxes/M1001/box-02/ring", #"{"timeout":5}"#)
            #expect(
                ring.status == 200 && ring.json["command"] == .string("ring") && ring.json["timeout"] == .integer(5))
            #expect(try await ask("POST", "/boxes/M1001/box-02/replay", "").status == 200)
            #expect(try await ask("POST", "/boxes/M1001/box-02/ring", "", token: Self.token + "1").status == 403)
            #expect(try await ask("POST", "/boxes/M1001/box-02/settings", "{}").status == 404)
            for body in ["[]", "{", #"{"id":""}"#, #"{"id":7}"#] {
                #expect(try await ask("POST", "/boxes/M1001/box-02/say", body).status == 422, "\(body)")
            }
            #expect(try await ask("POST", "/boxes/M1001/box-01/volume", #"{"volume":5}"#).status == 409)
            let cancel = try await ask("POST", "/boxes/M1001/box-01/cancel", #"{"command":"r-1"}"#)
            #expect(cancel.status == 202 && cancel.json["result"] == .string("waiting"))
            #expect(cancel.json["box"] == .string("never seen"))
        }
        try await serve(tokens: "rings \(Self.token) rights=commands", isConnected: false) { ask in
            let status = try await ask("POST", "/boxes/M1001/box-01/cancel", "{}").status
            #expect(status == 503)
        }
    }

    @Test("Anybody may ask whether the gateway is well: that is, its disk and its broker", arguments: [true, false])
    func health(isConnected: Bool) async throws {
        try await serve(isConnected: isConnected) { ask in
            let answer = try await ask("GET", "/healthz", token: nil)
            #expect(answer.status == (isConnected ? 200 : 503))
            #expect(answer.json["broker"] == .string(isConnected ? "connected" : "not connected"))
            #expect(answer.json["store"] == .string("ok"))
            #expect(try await ask("GET", "/healthz?of=store", token: nil).status == 200)
            #expect(try await ask("GET", "/healthz?of=all", token: nil).json["field"] == .string("of"))
            #expect(try await ask("POST", "/healthz", "", token: nil).status == 405)
        }
    }

    @Test("A load balancer may ask with HEAD")
    func head() async throws {
        let handler = try handler()
        #expect(await handler.answer(HTTPRequest(method: "HEAD", target: "/healthz".utf8, body: [])).status == 200)
        #expect(await handler.answer(HTTPRequest(method: "HEAD", target: "/hooks/x".utf8, body: [])).status == 405)
    }

    @Test("A store that nothing can be written to is not well")
    func failing() async throws {
        try await serve { ask in
            #expect(unlink(store.path) == 0)
            let answer = try await ask("GET", "/healthz?of=store", token: nil)
            #expect(answer.status == 503 && answer.json["store"] == .string("failing"))
        }
    }

    @Test(
        "Paths that would lead elsewhere are refused",
        arguments: [
            "/payments/%2e%2e/box-01", "/payments/M/a%2Fb", "/payments/%2B/box-01", "/payments/M/%23",
            "/payments/M/%00",
            "/payments//box-01", "/payments/M/", "/payments/M/%0a",
        ])
    func paths(path: String) async throws {
        try await serve { ask in
            let answer = try await ask("POST", path, payment)
            #expect(answer.status == 422)
            #expect(["merchant", "device"].contains(answer.json["field"]?.string))
            #expect(try store.boxes().isEmpty)
        }
    }

    @Test(
        "Other paths and methods are told what there is",
        arguments: [
            ("GET", "/payments/M1001/box-01", 405), ("POST", "/payments/M1001/box-01/A-1", 405),
            ("GET", "/nothing", 404),
            ("POST", "/payments/M1001", 404), ("POST", "/hooks/none", 404), ("GET", "/payments/a/b/c/d", 404),
            ("GET", "/boxes/M1001/box-03", 404), ("GET", "/boxes/M1001/box-01", 200), ("GET", "/payments/%FF/b/c", 400),
        ])
    func others(method: String, path: String, status: Int) async throws {
        try await serve { ask in
            let answer = try await ask(method, path, method == "POST" ? payment : nil)
            #expect(answer.status == status)
        }
    }

    @Test("A payment and its refund are told apart, whatever is in an id")
    func state() async throws {
        try await serve { ask in
            _ = try await ask("POST", "/payments/M1001/box-01", #"{"id":"a/b ü","amount":"5"}"#)
            _ = try await ask("POST", "/payments/M1001/box-01", #"{"id":"a/b ü","amount":"3","kind":"refund"}"#)
            let paid = try await ask("GET", "/payments/M1001/box-01/a%2Fb%20%C3%BC")
            #expect(paid.status == 200 && paid.json["amount"] == .string("5") && paid.json["kind"] == nil)
            #expect(paid.json["state"] == .string("accepted"))
            let refund = try await ask("GET", "/payments/M1001/box-01/a%2Fb%20%C3%BC?kind=refund")
            #expect(refund.json["amount"] == .string("3") && refund.json["kind"] == .string("refund"))
            #expect(try await ask("GET", "/payments/M1001/box-01/unknown").status == 404)
        }
    }

    @Test("A body of more than 64 KiB is refused unread")
    func giant() async throws {
        try await serve { ask in
            let text = String(repeating: "x", count: 70_000)
            let answer = try await ask("POST", "/payments/M1001/box-01", #"{"id":"A","amount":"1","text":"\#(text)"}"#)
            #expect(answer.status == 413)
            #expect(try store.due(at: store.clock.now.running, limit: 10).payments.isEmpty)
        }
    }

    @Test("A webhook that is signed is stored for the box that its file names; again it changes nothing")
    func webhook() async throws {
        let keys = try HookFolder()
        let secret = try keys.secret("a secret of a provider")
        let hook = try keys.recipe(#"secret_file: \#(secret), signed: "{body}", code: {header: X-Signature}"#)
        try await serve(hooks: ["shop": hook]) { ask in
            func knock(_ body: String, signed: String? = nil) async throws -> Int {
                let signature = code(signed ?? body, key: "a secret of a provider").hexadecimal
                return try await ask(
                    "POST", "/hooks/shop", body, token: nil, headers: ["X-Signature: \(signature)"]
                ).status
            }
            let body = #"{"id":"A-1","amount":"123.45"}"#
            for _ in 1...2 {
                let status = try await knock(body)
                #expect(status == 200)
            }
            #expect(try store.state("A-1") == .accepted)
            let forged = try await knock(#"{"id":"A-2","amount":"1"}"#, signed: body)
            #expect(forged == 401)
            #expect(try store.unreadCount() == 0)
            let (unreadable, other) = (
                try await knock(#"{"id":"A-3"}"#), try await knock(#"{"id":"A-1","amount":"1"}"#)
            )
            #expect(unreadable == 200 && other == 200)
            #expect(try store.unreadCount() == 2)
            let unknown = try await ask("POST", "/hooks/none", body, token: nil).status
            let read = try await ask("GET", "/hooks/shop", token: nil).status
            #expect(unknown == 404 && read == 405)
            #expect(try store.due(at: store.clock.now.running, limit: 10).payments.count == 1)
        }
    }

    /// Another account's, another shop's, or one without the metadata: a provider that gets errors for these switches
    /// the webhook off.
    @Test("A genuine payment for no box is taken, logged and counted, where the file says so; a forged one is refused")
    func noBox() async throws {
        let keys = try HookFolder()
        let secret = try keys.secret("a secret of a provider")
        let device = #"{field: notes.box, codes: {"1": box-01}, absent: ignore, otherwise: ignore}"#
        let hook = try keys.recipe(
            #"secret_file: \#(secret), signed: "{body}", code: {header: X-Signature}"#, device: device)
        let (metrics, lines) = (GatewayMetrics(), Journal<String>())
        let logger = Logger(label: "gateway") { _ in JournalLogHandler(lines: lines) }
        try await serve(hooks: ["shop": hook], metrics: metrics, logger: logger) { ask in
            func knock(_ notes: String, key: String = "a secret of a provider") async throws -> Int {
                let body = #"{"id":"A-1","amount":"1","notes":\#(notes)}"#
                let signature = code(body, key: key).hexadecimal
                return try await ask(
                    "POST", "/hooks/shop", body, token: nil, headers: ["X-Signature: \(signature)"]
                ).status
            }
            // Razorpay writes an empty list for no notes.
            for notes in [#"{"box":"2"}"#, "{}", "[]", "null", #"{"box":""}"#] {
                let (genuine, forged) = (
                    try await knock(notes), try await knock(notes, key: "a key of somebody else")
                )
                #expect(genuine == 200 && forged == 401, "\(notes)")
            }
            #expect(try store.due(at: store.clock.now.running, limit: 10).payments.isEmpty)
            let taken = try await knock(#"{"box":"1"}"#)
            #expect(taken == 200)
            #expect(try store.state("A-1") == .accepted)
        }
        #expect(metrics.count(of: .noBox) == 5 && metrics.count(of: .unauthorised) == 5)
        #expect(metrics.count(of: .accepted) == 1 && metrics.count(of: .ignored) == 0)
        let logged = lines.entries.filter { $0.contains("a webhook's payment is for no box") }
        #expect(logged.count == 5, "\(lines.entries)")
    }

    @Test("A signed form with several payments is stored in one commit, without those that cannot be read")
    func severalInAForm() async throws {
        let keys = try HookFolder()
        let secret = try keys.secret("a secret of a provider")
        let hook = try keys.recipe(
            #"secret_file: \#(secret), signed: "{body}", code: {header: X-Signature}"#, others: "each: rows")
        try await serve(hooks: ["shop": hook]) { ask in
            let body =
                "rows[0][id]=A&rows[0][amount]=1.50&rows[1][id]=B&rows[1][amount]=x&rows[2][id]=C&rows[2][amount]=2"
            let signature = code(body, key: "a secret of a provider").hexadecimal
            let status = try await ask(
                "POST", "/hooks/shop", body, token: nil,
                headers: [
                    "X-Signature: \(signature)", "Content-Type: application/x-www-form-urlencoded; charset=utf-8",
                ]
            ).status
            #expect(status == 200)
            #expect(try store.due(at: store.clock.now.running, limit: 10).payments.count == 2)
            #expect(try store.unread(1)?.webhook.form == .form)
            #expect(try store.unread(1)?.webhook.document == Array(body.utf8))
        }
    }

    @Test("Many requests at once are all stored, and share commits")
    func crowd() async throws {
        let commits = Mutex(0)
        let intake = PaymentIntake(store: store) { commits.withLock { $0 += 1 } }
        try await withThrowingTaskGroup(of: Acceptance.self) { tasks in
            for index in 0..<500 {
                tasks.addTask { try await intake.accept(try notice("A-\(index % 400)"), for: trialBox, from: "shop") }
            }
            var accepted = 0
            for try await outcome in tasks where outcome == .accepted { accepted += 1 }
            #expect(accepted == 400)
        }
        #expect(try store.due(at: store.clock.now.running, limit: 1000).payments.count == 400)
        #expect(commits.withLock { $0 } < 400)
    }

    @Test("What cannot be stored is answered 503, and is accepted when there is room again")
    func full() async throws {
        try await serve { ask in
            try store.write { try $0.execute(sql: "PRAGMA max_page_count = 1") }
            var refused: [String] = []
            for index in 0..<60 {
                let body = #"{"id":"A-\#(index)","amount":"1","text":"\#(String(repeating: "x", count: 900))"}"#
                let answer = try await ask("POST", "/payments/M1001/box-01", body)
                #expect([200, 503].contains(answer.status))
                #expect(try store.state("A-\(index)") == (answer.status == 200 ? .accepted : nil))
                if answer.status == 503 { refused.append(body) }
            }
            #expect(!refused.isEmpty)
            #expect(try await ask("GET", "/healthz", token: nil).status == 503)
            try store.write { try $0.execute(sql: "PRAGMA max_page_count = 1000000") }
            for body in refused { #expect(try await ask("POST", "/payments/M1001/box-01", body).status == 200) }
            #expect(try store.due(at: store.clock.now.running, limit: 100).payments.count == 60)
            #expect(try await ask("GET", "/healthz", token: nil).status == 200)
        }
    }
}
