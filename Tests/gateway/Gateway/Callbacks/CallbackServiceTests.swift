import GRDB
import Glibc
import Logging
import SoundboxControl
import SoundboxCore
import SoundboxSystem
import SoundboxYAML
import TestSupport
import Testing

@testable import SoundboxGateway

@Suite("Callbacks, to a real receiver", .timeLimit(.minutes(10)))
struct CallbackServiceTests {
    private let keys: HookFolder
    private let store: SQLitePaymentStore
    private let results = Journal<CallbackResult.Outcome>()
    private let metrics = GatewayMetrics()

    init() throws {
        keys = try HookFolder()
        store = try SQLitePaymentStore(
            path: keys.folder.file("gateway.sqlite"), receivers: ["shop": [.announced], "books": [.announced]])
    }

    /// Journals what is recorded, once it is on the disk.
    private struct WatchedStore: CallbackStore {
        let store: SQLitePaymentStore
        let results: Journal<CallbackResult.Outcome>

        var clock: GatewayClock { store.clock }
        func dueCallbacks(of receiver: String, at now: Duration, limit: Int) throws(StoreError) -> [Callback] {
            try store.dueCallbacks(of: receiver, at: now, limit: limit)
        }
        func record(_ results: [CallbackResult], at now: Moment) throws(StoreError) {
            try store.record(results, at: now)
            for result in results { self.results.append(result.outcome) }
        }
        func giveUpCallbacks(before time: Duration, limit: Int, at now: Moment) throws(StoreError) -> [String: Int] {
            try store.giveUpCallbacks(before: time, limit: limit, at: now)
        }
        func resendCallbacks(_ numbers: [Int64], at now: Moment) throws(StoreError) -> [Int64] {
            try store.resendCallbacks(numbers, at: now)
        }
        func callbacks(after number: Int64, limit: Int) throws(StoreError) -> [Callback] {
            try store.callbacks(after: number, limit: limit)
        }
        func callbackBacklogs() throws(StoreError) -> [String: CallbackBacklog] { try store.callbackBacklogs() }
    }

    private func receiver(_ name: String, port: Int) throws -> CallbackReceiver {
        let secret = try keys.secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", in: "standard-webhooks.secret")
        let text = "\(name): {url: \"http://127.0.0.1:\(port)/x\", secret_file: \(secret), on: [announced]}"
        return try #require(
            try CallbackReceiver.all(reading: try YAMLValue(parsing: text, file: "gateway.yaml")).first)
    }

    /// Has payments announced.
    private func announce(_ ids: String...) throws {
        try store.accept(ids, at: store.clock.now)
        var turn = DeliveryTurn()
        turn.receipts = try ids.map { (trialBox, try PaymentID($0), .init(state: .announced, how: "aloud")) }
        _ = try store.commit(turn, boxes: [:], listeningSince: .zero, at: store.clock.now)
    }

    /// Runs callbacks to receivers.
    private func serve(_ receivers: CallbackReceiver..., body: (CallbackService) async throws -> Void) async throws {
        let service = CallbackService(
            receivers: receivers, store: WatchedStore(store: store, results: results), metrics: metrics,
            logger: silence)
        let running = Task { try await service.run() }
        let result: Result<Void, any Error>
        do { result = .success(try await body(service)) } catch { result = .failure(error) }
        running.cancel()
        try await running.value
        try result.get()
    }

    private static func answer(_ status: Int) -> String {
        "HTTP/1.1 \(status) Status\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    }

    /// Answers nothing, until the other side hangs up.
    private static func hang(_ connection: Int32) {
        var byte: UInt8 = 0
        while read(connection, &byte, 1) > 0 {}
    }

    private func callback(of receiver: String) throws -> Callback? {
        try store.callbacks(after: 0, limit: 99).first { $0.receiver == receiver }
    }

    @Test("It is sent as JSON, signed, with the payment as GET answers it; taken with 2xx it is gone")
    func taken() async throws {
        let asked = Journal<String>()
        let server = try LoopbackServer { connection, request in
            asked.append(request)
            LoopbackServer.send(Self.answer(204), on: connection)
        }
        try await serve(try receiver("shop", port: server.port)) { service in
            try announce("A")
            let event = try #require(try callback(of: "shop"))
            service.eventsAreWaiting()
            let request = try await asked.next()
            #expect(try await results.next() == .taken)
            let parts = request.split(separator: "\r\n\r\n", maxSplits: 1).map(String.init)
            #expect(
                parts[0].hasPrefix("POST /x HTTP/1.1\r\n") && parts[0].contains("\r\nContent-Type: application/json"))
            #expect(parts[0].contains("\r\nwebhook-id: \(event.eventID)\r\n"))
            #expect(parts[0].contains("\r\nwebhook-signature: v1,") && parts[0].contains("\r\nwebhook-timestamp: 1"))
            #expect(parts[1] == event.body)
            let payment = try #require(try store.payment(try PaymentID("A"), of: trialBox))
            let json = try JSONValue(parsing: Array(parts[1].utf8))
            #expect(json["type"] == .string("payment.announced") && json["data"] == payment.json)
            #expect(json["timestamp"] == .string("\(payment.stateSince)"))
        }
        #expect(try callback(of: "shop") == nil)
        #expect(try callback(of: "books") != nil, "its receiver is not there")
    }

    @Test("Refused it is sent again, with the same id, and the reason is in the list")
    func refused() async throws {
        let ids = Journal<Substring>()
        let server = try LoopbackServer { connection, request in
            ids.append(request.firstMatch(of: /webhook-id: (\w+)/)?.1 ?? "")
            LoopbackServer.send(Self.answer(ids.entries.count == 1 ? 500 : 200), on: connection)
        }
        try await serve(try receiver("shop", port: server.port)) { service in
            try announce("A")
            guard case .refused("it answers 500", again: let time) = try await results.next() else {
                Issue.record("\(results.entries)")
                return
            }
            let waiting = try #require(try callback(of: "shop"))
            #expect(waiting.attempts == 1 && waiting.answer == "it answers 500" && waiting.givenUpAt == nil)
            #expect(time - waiting.created.running >= .seconds(5))
            #expect(try store.dueCallbacks(of: "shop", at: time, limit: 9).map(\.number) == [waiting.number])
            // Its time has come.
            try store.write { try $0.execute(sql: "UPDATE callback SET due_after = 0") }
            #expect(try await results.next() == .taken)
        }
        #expect(ids.entries.count == 2 && Set(ids.entries).count == 1)
    }

    @Test(
        "A redirection is not followed, and of an answer no more than its status and 4 KB is read",
        arguments: [
            ("302 Found\r\nLocation: http://127.0.0.1:PORT/", "it answers 302: redirections are not followed"),
            ("307 T\r\nLocation: http://127.0.0.1:PORT/", "it answers 307: redirections are not followed"),
            ("500 E", "it answers 500"), ("404 E", "it answers 404"),
        ])
    func answers(head: String, reason: String) async throws {
        let elsewhere = Journal<String>()
        let other = try LoopbackServer { _, request in elsewhere.append(request) }
        let server = try LoopbackServer { connection, _ in
            let line = "HTTP/1.1 \(head.replacing("PORT", with: "\(other.port)"))\r\n\r\n"
            _ = LoopbackServer.send(line, on: connection) && Self.sendMuch(on: connection)
        }
        try await serve(try receiver("shop", port: server.port)) { service in
            try announce("A")
            guard case .refused(reason, again: _) = try await results.next() else {
                Issue.record("\(results.entries)")
                return
            }
        }
        #expect(elsewhere.entries.isEmpty)
    }

    /// 10 MB, as long as somebody reads.
    private static func sendMuch(on connection: Int32) -> Bool {
        let piece = String(repeating: "x", count: 64 << 10)
        return (1...160).allSatisfy { _ in LoopbackServer.send(piece, on: connection) }
    }

    @Test("One that says 200 and then 10 MB has taken it, and is not read to the end")
    func long() async throws {
        let ends = Journal<Bool>()
        let server = try LoopbackServer { connection, _ in
            _ = LoopbackServer.send("HTTP/1.1 200 OK\r\n\r\n", on: connection)
            ends.append(Self.sendMuch(on: connection))
        }
        try await serve(try receiver("shop", port: server.port)) { service in
            try announce("A")
            #expect(try await results.next() == .taken)
            #expect(try await !ends.next())
        }
    }

    @Test("One that hangs delays neither another receiver nor a payment")
    func hanging() async throws {
        let hung = Journal<String>()
        let hanging = try LoopbackServer { connection, request in
            hung.append(request)
            Self.hang(connection)
        }
        let server = try LoopbackServer { connection, _ in LoopbackServer.send(Self.answer(200), on: connection) }
        try await serve(
            try receiver("shop", port: hanging.port), try receiver("books", port: server.port)
        ) { service in
            try announce("A")
            service.eventsAreWaiting()
            _ = try await hung.next()
            for index in 1...30 {
                try announce("B-\(index)")
                service.eventsAreWaiting()
                #expect(try await results.next() == .taken)
            }
            #expect(try await results.next() == .taken)
            #expect(try store.callbackBacklogs().keys.sorted() == ["shop"])
        }
        // Nothing came of it: it is sent again after the next start.
        #expect(try store.callbackBacklogs()["shop"]?.count == 31)
        #expect(try callback(of: "shop")?.attempts == 0)
    }

    @Test("While nothing can be written, what was taken is not sent again; it is noted later")
    func cannotNote() async throws {
        let asked = Journal<String>()
        let path = store.path
        let server = try LoopbackServer { connection, request in
            // From here on nothing can be written.
            if asked.entries.isEmpty { rename(path, path + "-away") }
            asked.append(request)
            LoopbackServer.send(Self.answer(200), on: connection)
        }
        try announce("A")
        let failures = Journal<String>()
        let service = CallbackService(
            receivers: [try receiver("shop", port: server.port)], store: WatchedStore(store: store, results: results),
            metrics: metrics, logger: .init(label: "test") { _ in JournalLogHandler(lines: failures) })
        let running = Task { try await service.run() }
        _ = try await asked.next()
        _ = try await failures.next { $0.hasPrefix("callbacks cannot be read or noted") ? $0 : nil }
        #expect(rename(path + "-away", path) == 0)
        #expect(try await results.next() == .taken)
        running.cancel()
        try await running.value
        #expect(asked.entries.count == 1)
    }

    @Test("The metrics tell what waits for whom, and what came of attempts")
    func counts() async throws {
        let server = try LoopbackServer { connection, _ in LoopbackServer.send(Self.answer(200), on: connection) }
        try await serve(try receiver("shop", port: server.port)) { service in
            try announce("A", "B")
            for _ in 1...2 { #expect(try await results.next() == .taken) }
        }
        metrics.count(givenUpCallbacks: ["books": 3])
        let text = PrometheusText.text(
            metrics.callbackFamilies(
                receivers: ["shop"], backlogs: try store.callbackBacklogs(), at: store.clock.now.running))
        _ = try Exposition(text)
        for line in [
            "soundbox_gateway_callbacks_total{receiver=\"shop\",outcome=\"taken\"} 2",
            "soundbox_gateway_callbacks_total{receiver=\"books\",outcome=\"given_up\"} 3",
            "soundbox_gateway_callbacks_waiting{receiver=\"shop\"} 0",
            "soundbox_gateway_callbacks_waiting{receiver=\"books\"} 2",
        ] { #expect(text.contains(line + "\n"), "\(text)") }
    }
}
