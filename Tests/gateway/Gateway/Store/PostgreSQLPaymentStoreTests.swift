import Glibc
import SoundboxCore
import SoundboxSystem
import TestSupport
import Testing

@testable import SoundboxGateway

@Suite("Gateways that share a PostgreSQL")
struct PostgreSQLPaymentStoreTests {
    private let server: PostgreSQLServer
    private let schema: String
    private let address: PostgreSQLAddress
    private let one: PostgreSQLPaymentStore
    private let other: PostgreSQLPaymentStore
    private let now = Moment.start

    init() async throws {
        server = try await PostgreSQLServer.shared.value
        (schema, address) = try await TrialStore.database()
        one = try PostgreSQLPaymentStore(address, name: "one")
        other = try PostgreSQLPaymentStore(address, name: "other")
    }

    private func numbers(_ store: PostgreSQLPaymentStore) throws -> [Int64] {
        try store.due(at: .zero, limit: 9).payments.map(\.number)
    }

    private func acknowledge(_ number: Int64, by store: PostgreSQLPaymentStore) throws {
        var turn = DeliveryTurn()
        turn.acknowledged = [(number, nil)]
        _ = try store.commit(turn, boxes: [:], listeningSince: .zero, at: now)
    }

    private func announce(_ id: String, by store: PostgreSQLPaymentStore) throws -> DeliveryTurnOutcome {
        var turn = DeliveryTurn()
        turn.receipts = [
            (
                trialBox, try PaymentID(id),
                .init(state: .announced, how: "aloud", number: .init(epoch: "e", sequence: 1))
            )
        ]
        return try store.commit(turn, boxes: [:], listeningSince: .zero, at: now)
    }

    /// As when a gateway has shown no sign of life for 30 s.
    private func end(_ name: String) async throws {
        try await server.run("UPDATE gateway SET held_until = -1 WHERE name = '\(name)'", schema: schema)
    }

    // MARK: Leases

    @Test("A payment that one publishes is not published by the other, until the broker has answered")
    func held() throws {
        let accepted = try one.accept(["A"])
        #expect(try numbers(one) == accepted)
        #expect(try numbers(other) == [])
        // Its turn in one's window has not come yet.
        #expect(try numbers(one) == accepted)
        try acknowledge(accepted[0], by: other)
        #expect(try one.state("A") == .accepted)
        try acknowledge(accepted[0], by: one)
        #expect(try other.state("A") == .published)
        try other.awaken()
        #expect(try other.due(at: .seconds(1), limit: 9).payments.map(\.number) == accepted)
    }

    @Test("What a gateway has put off may be looked at by any")
    func putOff() throws {
        let accepted = try one.accept(["A"])
        try one.settle(waiting: [(accepted[0], .seconds(-1))], givenUp: [], at: now)
        #expect(try numbers(other) == accepted)
    }

    @Test("A gateway that ends, or has no broker, lets the others publish at once")
    func released() throws {
        let accepted = try one.accept(["A", "B"])
        one.release()
        #expect(try numbers(other) == accepted)
        #expect(try numbers(one) == [])
    }

    @Test("After 30 s without a sign of life others publish what it held; what it still hears changes nothing")
    func takenOver() async throws {
        let accepted = try one.accept(["A"])
        try await end("one")
        try other.saveTime()
        let due = try other.due(at: .zero, limit: 9)
        #expect(due.payments.map(\.number) == accepted && due.endedGateways == ["one"])
        #expect(try other.due(at: .zero, limit: 9).endedGateways == [])
        // Before it has noticed.
        #expect(try numbers(one) == [])
        try acknowledge(accepted[0], by: one)
        #expect(try other.state("A") == .accepted)
        try one.settle(waiting: [(accepted[0], .seconds(99))], givenUp: [accepted[0]], at: now)
        #expect(try numbers(other) == accepted)
        // It goes on with what comes after.
        try one.saveTime()
        let next = try one.accept(["B"])
        #expect(try numbers(one) == next)
        try acknowledge(accepted[0], by: other)
        #expect(try one.state("A") == .published)
    }

    @Test("What a gateway has put off for a box that it did not know is looked at again when it ends")
    func putOffByTheDead() async throws {
        let accepted = try one.accept(["A"])
        try one.settle(waiting: [(accepted[0], .seconds(259_200))], givenUp: [], at: now)
        #expect(try numbers(other) == [])
        try one.accept(["B"])
        try await end("one")
        try other.saveTime()
        #expect(try numbers(other).contains(accepted[0]))
    }

    @Test("Started again under its name, a gateway has at once what it held before")
    func restarted() throws {
        let accepted = try one.accept(["A"])
        let again = try PostgreSQLPaymentStore(address, name: "one")
        #expect(try numbers(again) == accepted)
        #expect(try numbers(one) == [])
    }

    @Test(
        "A gateway that stands still with a payment locked holds nobody up for long, and changes nothing when it wakes")
    func standsStill() throws {
        let accepted = try one.accept(["A"])
        #expect(throws: StoreError.self) {
            try one.inTransaction { connection, _ in
                try connection.query(
                    "UPDATE payment SET holder = NULL, state = 'failed' WHERE number = $1", [.integer(accepted[0])])
                #expect(try announce("A", by: other).ended.count == 1)
            }
        }
        #expect(try other.state("A") == .announced)
    }

    @Test("A callback is sent by one; what the other hears of it counts only if it is taken")
    func callbacks() async throws {
        let first = try PostgreSQLPaymentStore(address, name: "first", receivers: ["shop": [.announced]])
        try first.accept(["A"])
        _ = try announce("A", by: first)
        let callback = try #require(try first.dueCallbacks(of: "shop", at: .zero, limit: 9).first)
        #expect(try other.dueCallbacks(of: "shop", at: .zero, limit: 9).isEmpty)
        try other.record([.init(number: callback.number, outcome: .refused("no", again: .seconds(9)))], at: now)
        #expect(try first.dueCallbacks(of: "shop", at: .zero, limit: 9).map(\.attempts) == [0])
        try await end("first")
        try other.saveTime()
        #expect(try other.dueCallbacks(of: "shop", at: .zero, limit: 9).map(\.number) == [callback.number])
        try first.record([.init(number: callback.number, outcome: .taken)], at: now)
        #expect(try other.dueCallbacks(of: "shop", at: .zero, limit: 9).isEmpty)
    }

    // MARK: Both at once

    @Test("A receipt that both get counts once")
    func receiptsTwice() throws {
        try one.accept(["A"])
        #expect(try announce("A", by: other).announced.count == 1)
        #expect(try announce("A", by: one) == DeliveryTurnOutcome())
    }

    @Test("One id that both get at once, from one hook, is accepted once: for one box and for two")
    func acceptedAtOnce() async throws {
        let webhook = GenuineWebhook(hook: "bank", path: "/hooks/bank", document: [])
        for round in 1...20 {
            let outcomes = try await withThrowingTaskGroup(of: Acceptance.self) { group in
                for (store, box) in [(one, trialBox), (other, round.isMultiple(of: 2) ? trialBox : otherBox)] {
                    let submission = Submission([(box, try notice("P\(round)"))], webhook: webhook)
                    group.addTask {
                        try await onOwnThread(named: "accept") {
                            try store.accept([submission], at: .start)[0].acceptances[0]
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.count { $0 == .accepted } == 1, "\(outcomes)")
        }
        #expect(try one.openSince().count == 20)
    }

    @Test("A list of more payments than the server has room for locks is accepted")
    func long() throws {
        let payments = try (1...10_000).map { (trialBox, try notice("P\($0)")) }
        #expect(try one.accept(payments, at: now).count { $0 == .accepted } == 10_000)
    }

    // MARK: Clock

    @Test(
        "They have one clock, which another clock of the server moves by 30 s at most, and never back",
        arguments: [("400 days ago", "30000"), ("400 days", "0")])
    func clock(time: String, running: String) async throws {
        try await server.run(
            "UPDATE clock SET running = 0, read_at = clock_timestamp() + interval '\(time)'", schema: schema)
        try one.saveTime()
        #expect(try await server.run("SELECT running FROM clock", schema: schema) == [running])
        try other.saveTime()
        #expect(abs((one.clock.now.running - other.clock.now.running) / .seconds(1)) < 30)
    }

    // MARK: What is refused

    @Test("Tables of another version are refused, and named")
    func version() async throws {
        try await server.run("UPDATE soundbox_gateway SET version = 99", schema: schema)
        for role in [StoreRole.gateway, .reader, .editor] {
            let error = #expect(throws: StoreError.self) {
                try PostgreSQLPaymentStore(address, name: "third", role: role)
            }
            #expect(error?.description.hasSuffix("is of another version of soundbox-gateway (99, and not 1)") == true)
            #expect(error?.isTemporary == false)
        }
    }

    @Test("A role that may not make tables is told so; a server that is not there is waited for")
    func unusable() async throws {
        let (schema, address) = try await TrialStore.database()
        try await server.run("DROP SCHEMA \(schema)")
        let refused = #expect(throws: StoreError.self) { try PostgreSQLPaymentStore(address, name: "third") }
        #expect(refused?.isTemporary == false && refused?.description.contains("schema") == true)
        let nowhere = try PostgreSQLAddress("postgresql:///soundbox?host=/tmp/nowhere&user=soundbox")
        let error = #expect(throws: StoreError.self) { try PostgreSQLPaymentStore(nowhere, name: "third") }
        #expect(error?.isTemporary == true)
        let unknown = try PostgreSQLAddress(address.url.replacing("/postgres?", with: "/nobody?"))
        let missing = #expect(throws: StoreError.self) { try PostgreSQLPaymentStore(unknown, name: "third") }
        #expect(missing?.isTemporary == false && missing?.description.contains("\"nobody\"") == true)
    }

    @Test("The password comes from its file, read with each connection; a wrong or missing one is no reason to wait")
    func password() async throws {
        try await server.run("CREATE ROLE locked LOGIN PASSWORD 'right'; GRANT ALL ON SCHEMA \(schema) TO locked")
        let folder = try TemporaryFolder()
        let url = try await server.url(schema: schema, user: "locked")
        let address = try PostgreSQLAddress(url, passwordFile: folder.file("password"))
        func open() throws -> PostgreSQLPaymentStore {
            try PostgreSQLPaymentStore(address, name: "third", role: .reader)
        }
        for (password, problem) in [
            (nil, folder.file("password")), ("wrong\n", "password authentication failed"), ("right\n", "permission"),
        ] {
            if let password {
                try folder.write(password, to: "password")
                #expect(chmod(folder.file("password"), 0o600) == 0)
            }
            let error = #expect(throws: StoreError.self) { try open() }
            #expect(error?.isTemporary == false && error?.description.contains(problem) == true)
        }
        try await server.run("GRANT SELECT ON ALL TABLES IN SCHEMA \(schema) TO locked")
        #expect(try open().openSince() == [])
    }

    @Test("A receipt that a gateway has written is only read by the others")
    func nothingNew() async throws {
        try one.accept(["A"])
        _ = try announce("A", by: one)
        func version() async throws -> [String] { try await server.run("SELECT xmin FROM payment", schema: schema) }
        let before = try await version()
        _ = try announce("A", by: other)
        #expect(try await version() == before)
    }

    @Test("What others have set for the database changes nothing")
    func foreignSettings() async throws {
        let url = try await server.url(schema: schema)
        let settings = [
            "client_encoding=LATIN1", "bytea_output=escape", "default_transaction_isolation=serializable",
            "synchronous_commit=off",
        ]
        let options = settings.map { "%20-c%20\($0.replacing("=", with: "%3D"))" }.joined()
        let store = try PostgreSQLPaymentStore(try PostgreSQLAddress(url + options), name: "third")
        #expect(try store.accept([(trialBox, notice("支付-é"))], at: now) == [.accepted])
        #expect(try one.accept([(trialBox, notice("支付-é"))], at: now) == [.known(.accepted)])
        let webhook = GenuineWebhook(hook: "bank", path: "/", document: [0, 0x5C, 0xFF])
        _ = try store.accept([Submission([], webhook: webhook, problems: ["odd"])], at: now)
        #expect(try store.unread(1)?.webhook == webhook)
        for setting in settings.map({ $0.prefix { $0 != "=" } }) {
            let value = try store.withConnection { connection, _ in
                try connection.query("SELECT current_setting('\(setting)') AS value").first?.text("value")
            }
            #expect(["UTF8", "hex", "read committed", "on"].contains(value), "\(setting)")
        }
    }

    @Test("A row that was changed by hand ends no gateway, and a payment of its id takes its place")
    func rubbish() async throws {
        let number = try one.accept(["A"])[0]
        try await server.run(
            "UPDATE payment SET resends = 9223372036854775807, accepted_after = 9223372036854775807", schema: schema)
        try acknowledge(number, by: one)
        try one.awaken()
        #expect(try one.due(at: .seconds(1), limit: 9).payments.count == 1)
        try acknowledge(number, by: one)
        try await server.run("UPDATE payment SET state = 'rubbish'", schema: schema)
        #expect(try one.state("A") == nil)
        #expect(try one.accept([(trialBox, notice("A")), (trialBox, notice("B"))], at: now) == [.accepted, .accepted])
        #expect(try one.state("A") == .accepted)
    }

    @Test("A statement that fails once, as with a table that somebody has changed, does not fail for ever")
    func changedTable() async throws {
        try one.accept(["A"])
        #expect(try one.state("A") == .accepted)
        try await server.run("ALTER TABLE payment ADD COLUMN remark text", schema: schema)
        // Compiled before, and of another form now.
        #expect(throws: StoreError.self) { try one.state("A") }
        #expect(try one.state("A") == .accepted)
        try one.accept(["B"])
    }

    @Test("U+0000 in a reason does not keep a receipt out")
    func nul() throws {
        try one.accept(["A"])
        var turn = DeliveryTurn()
        turn.receipts = [(trialBox, try PaymentID("A"), .init(state: .rejected, reason: "a\0b"))]
        _ = try one.commit(turn, boxes: [:], listeningSince: .zero, at: now)
        #expect(try one.payment(try PaymentID("A"), of: trialBox)?.reason == "a\u{FFFD}b")
    }
}

@Suite("The address of a PostgreSQL")
struct PostgreSQLAddressTests {
    @Test(
        "What is missing or wrong is said",
        arguments: [
            (
                "postgresql://soundbox:secret@db/soundbox",
                "has a password; it belongs in a file: database_password_file"
            ),
            ("postgresql://soundbox@db", "names no database, as in postgresql://user@host/database"),
            ("postgresql://db/soundbox?sslmod=x", "invalid URI query parameter: \"sslmod\""),
        ])
    func refused(url: String, problem: String) {
        let error = #expect(throws: PostgreSQLAddressError.self) { try PostgreSQLAddress(url) }
        #expect(error?.description == problem)
    }

    @Test(
        "To another machine it goes encrypted, to the one that was meant, unless the address says otherwise",
        arguments: [
            ("postgresql://soundbox@db.example.com/soundbox", "verify-full"),
            ("postgresql://soundbox@127.0.0.1,10.0.0.7/soundbox", "verify-full"),
            ("postgresql://soundbox@db.example.com/soundbox?sslmode=require", "require"),
            ("postgresql://soundbox@localhost/soundbox", nil),
            ("postgresql:///soundbox?host=/run/postgresql", nil),
            ("postgresql:///soundbox", nil),
        ])
    func encryption(url: String, mode: String?) throws {
        #expect(try PostgreSQLAddress(url).options.first { $0.name == "sslmode" }?.value == mode)
    }
}
