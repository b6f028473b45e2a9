import SoundboxCore
import Synchronization
import TestSupport
import Testing

@testable import SoundboxGateway

/// The stores that the contract is tested with.
enum TrialStore: CaseIterable {
    case sqlite, postgreSQL

    /// A schema of its own for each.
    private static let schemas = Atomic(0)

    func make(
        in folder: TemporaryFolder, limits: UnreadLimits = UnreadLimits(), receivers: [String: Set<PaymentState>] = [:]
    ) async throws -> any PaymentStore {
        switch self {
        case .sqlite:
            try SQLitePaymentStore(path: folder.file("gateway.sqlite"), unreadLimits: limits, receivers: receivers)
        case .postgreSQL:
            try PostgreSQLPaymentStore(
                try await Self.database().address, name: "gateway", unreadLimits: limits, receivers: receivers)
        }
    }

    /// Where no tables are yet.
    static func database() async throws -> (schema: String, address: PostgreSQLAddress) {
        let schema = "trial_\(schemas.add(1, ordering: .relaxed).newValue)"
        return (schema, try PostgreSQLAddress(await PostgreSQLServer.shared.value.url(schema: schema)))
    }
}

extension PaymentStore {
    /// Commits a turn of a connection that began at -50 s.
    fileprivate func commit(
        boxes: [BoxID: KnownBox] = [:], _ change: (inout DeliveryTurn) throws -> Void
    ) throws -> DeliveryTurnOutcome {
        var turn = DeliveryTurn()
        try change(&turn)
        return try commit(turn, boxes: boxes, listeningSince: .seconds(-50), at: .start)
    }
}

@Suite("The contract of a store")
struct PaymentStoreContractTests {
    private let folder: TemporaryFolder
    private let now = Moment.start

    init() throws { folder = try TemporaryFolder(inMemory: true) }

    private func online(epoch: Int = 3) -> KnownBox {
        var box = KnownBox()
        box.onlineSince = .seconds(-100)
        box.sessionEpoch = epoch
        box.seen = .zero
        return box
    }

    private func receipt(
        _ id: String, _ state: Receipt.State, how: String? = nil, reason: String? = nil, sequence: Int? = nil,
        first: (state: Receipt.State, amount: String)? = nil
    ) throws -> (box: BoxID, id: PaymentID, answer: DeliveryRules.Answer) {
        (
            trialBox, try PaymentID(id),
            .init(
                state: state, how: how, reason: reason, number: sequence.map { .init(epoch: "e", sequence: $0) },
                first: try first.map { .init($0.state, try Money($0.amount, .CNY)) })
        )
    }

    // MARK: Requests

    @Test(
        "The same id again changes nothing, another amount is told, and box, refund and id make another payment",
        arguments: TrialStore.allCases)
    func identity(kind: TrialStore) async throws {
        let store = try await kind.make(in: folder)
        let first = try store.accept([(trialBox, notice("A"))], at: now)
        #expect(first == [.accepted])
        let outcomes = try store.accept(
            [
                (trialBox, notice("A")), (trialBox, notice("A", "13")), (trialBox, notice("A", kind: .refund)),
                (otherBox, notice("A")), (trialBox, notice("a")), (trialBox, notice("B")), (trialBox, notice("B")),
            ], at: now)
        #expect(
            outcomes == [
                .known(.accepted), .differs(try Money("12.50", .CNY)), .accepted, .accepted, .accepted, .accepted,
                .known(.accepted),
            ])
        #expect(try store.due(at: .zero, limit: 100).payments.count == 5)
        #expect(try store.payment(try PaymentID("A"), of: trialBox)?.notice.money == Money("12.50", .CNY))
    }

    @Test(
        "A payment that the box has refused may be posted again, also with another amount",
        arguments: TrialStore.allCases)
    func corrected(kind: TrialStore) async throws {
        let store = try await kind.make(in: folder)
        let number = try store.accept(["A"], at: now)[0]
        _ = try store.commit {
            $0.acknowledged = [(number, nil)]
            $0.receipts = [try receipt("A", .rejected, reason: "amount: too large", sequence: 2)]
        }
        #expect(try store.state("A") == .failed)
        // Of a second copy.
        _ = try store.commit { $0.receipts = [try receipt("A", .rejected, reason: "amount: too large", sequence: 3)] }
        #expect(try store.accept([(trialBox, notice("A", "13"))], at: now) == [.accepted])
        #expect(try store.due(at: .zero, limit: 9).payments.map(\.payment.notice.money) == [Money("13", .CNY)])
        #expect(try store.payment(try PaymentID("A"), of: trialBox)?.reason == nil)
        // Receipts may come twice.
        func isRejected(by sequence: Int) throws -> Bool {
            _ = try store.commit { $0.receipts = [try receipt("A", .rejected, reason: "no", sequence: sequence)] }
            return try store.state("A") == .failed
        }
        #expect(try !isRejected(by: 2))
        let corrected = try #require(try store.due(at: .zero, limit: 9).payments.first)
        _ = try store.commit { $0.acknowledged = [(corrected.number, nil)] }
        #expect(try !isRejected(by: 1) && !isRejected(by: 3))
        #expect(try isRejected(by: 4))
    }

    @Test("A payment that was given up may be posted again, with the same amount", arguments: TrialStore.allCases)
    func postedAgain(kind: TrialStore) async throws {
        let store = try await kind.make(in: folder)
        let number = try store.accept(["A"], at: now)[0]
        try store.settle(waiting: [], givenUp: [number], at: now)
        #expect(try store.accept([(trialBox, notice("A", "13"))], at: now) == [.differs(Money("12.50", .CNY))])
        #expect(try store.accept([(trialBox, notice("A"))], at: now) == [.accepted])
        #expect(try store.due(at: .zero, limit: 9).payments.count == 1)
    }

    @Test("Who has brought a payment is stored: an access token or a hook", arguments: TrialStore.allCases)
    func senders(kind: TrialStore) async throws {
        let store = try await kind.make(in: folder)
        let webhook = GenuineWebhook(hook: "bank", path: "/hooks/bank", document: [])
        _ = try store.accept(
            [
                Submission([(trialBox, try notice("A"))], token: "shop"),
                Submission([(trialBox, try notice("B"))], webhook: webhook),
            ], at: now)
        #expect(try store.payment(try PaymentID("A"), of: trialBox)?.json["token"]?.string == "shop")
        #expect(try store.payment(try PaymentID("B"), of: trialBox)?.json["hook"]?.string == "bank")
    }

    // MARK: Delivery

    @Test("Acknowledged and stored it is due no more; announced it is told how", arguments: TrialStore.allCases)
    func life(kind: TrialStore) async throws {
        let store = try await kind.make(in: folder)
        let number = try store.accept(["A"])[0]
        let boxes = [trialBox: online()]
        _ = try store.commit(boxes: boxes) { $0.acknowledged = [(number, 3)] }
        #expect(try store.state("A") == .published)
        #expect(try store.due(at: .seconds(29), limit: 10).payments.isEmpty)
        #expect(try store.due(at: .seconds(30), limit: 10).payments.map(\.number) == [number])
        _ = try store.commit(boxes: boxes) { $0.receipts = [try receipt("A", .stored, reason: "channel: too long")] }
        #expect(try store.state("A") == .stored)
        #expect(try store.due(at: .seconds(80 * 3600), limit: 10).payments.isEmpty)
        let outcome = try store.commit(boxes: boxes) { $0.receipts = [try receipt("A", .announced, how: "muted")] }
        #expect(outcome.announced.map(\.how) == ["muted"])
        #expect(
            try store.commit(boxes: boxes) { $0.receipts = [try receipt("A", .announced, how: "muted")] }.announced
                .isEmpty)
        #expect(try store.payment(try PaymentID("A"), of: trialBox)?.reason == "channel: too long")
    }

    @Test(
        "A receipt that is read together with the broker's acknowledgement counts, whichever came first",
        arguments: TrialStore.allCases)
    func together(kind: TrialStore) async throws {
        let store = try await kind.make(in: folder)
        let number = try store.accept(["A"])[0]
        _ = try store.commit {
            $0.receipts = [try receipt("A", .stored), try receipt("A", .announced, how: "aloud")]
            $0.acknowledged = [(number, 3)]
        }
        #expect(try store.state("A") == .announced)
        _ = try store.commit { $0.acknowledged = [(number, 3)] }
        #expect(try store.state("A") == .announced)
    }

    @Test(
        "A box that comes online with a new session has its open payments due at once, and others wait",
        arguments: TrialStore.allCases)
    func awakening(kind: TrialStore) async throws {
        let store = try await kind.make(in: folder)
        let numbers = try store.accept(["A", "B", "C"])
        _ = try store.commit(boxes: [trialBox: online()]) { $0.acknowledged = numbers.map { ($0, 3) } }
        _ = try store.commit { $0.receipts = [try receipt("C", .stored)] }
        #expect(try store.due(at: .zero, limit: 10).payments.isEmpty)
        let boxes = [trialBox: online(epoch: 4)]
        _ = try store.commit(boxes: boxes) {
            $0.awakened = [trialBox]
            $0.changedBoxes = [trialBox]
        }
        #expect(try store.due(at: .zero, limit: 10).payments.map(\.number) == Array(numbers.prefix(2)))
        #expect(try store.boxes()[trialBox]?.sessionEpoch == 4)
        #expect(try !store.isPublishedAgain(trialBox, in: 4))
        let outcome = try store.commit(boxes: boxes) { $0.acknowledged = numbers.prefix(2).map { ($0, 4) } }
        #expect(outcome.resent == 2)
        #expect(try store.isPublishedAgain(trialBox, in: 4))
    }

    @Test(
        "After a connection everything open is due, and first what was never published", arguments: TrialStore.allCases)
    func newOnesFirst(kind: TrialStore) async throws {
        let store = try await kind.make(in: folder)
        let published = try store.accept(["A", "B"])
        _ = try store.commit(boxes: [trialBox: online()]) { $0.acknowledged = published.map { ($0, 3) } }
        let new = try store.accept(["C"])
        try store.awaken()
        #expect(try store.due(at: .seconds(1), limit: 10).payments.map(\.number) == new + published)
    }

    @Test("What the broker refuses is published again later, and the reason is told", arguments: TrialStore.allCases)
    func refusedByBroker(kind: TrialStore) async throws {
        let store = try await kind.make(in: folder)
        let number = try store.accept(["A"])[0]
        _ = try store.commit { $0.refused = [(number, "quota exceeded (0x97)")] }
        let payment = try #require(try store.payment(try PaymentID("A"), of: trialBox))
        #expect(payment.state == .accepted)
        #expect(payment.reason == "the broker refuses it: quota exceeded (0x97)")
        #expect(try store.due(at: .seconds(29), limit: 10).payments.isEmpty)
        #expect(try store.due(at: .seconds(31), limit: 10).payments.count == 1)
        // A receipt is then waited for as long as if it had been taken at once.
        _ = try store.commit(boxes: [trialBox: online()]) { $0.acknowledged = [(number, 3)] }
        #expect(try store.due(at: .seconds(30), limit: 10).payments.count == 1)
    }

    @Test("A duplicate with another amount is stored, and flagged", arguments: TrialStore.allCases)
    func flagged(kind: TrialStore) async throws {
        let store = try await kind.make(in: folder)
        let number = try store.accept(["A"])[0]
        let reason = "the id is known with another amount: 9 CNY"
        _ = try store.commit {
            $0.acknowledged = [(number, 3)]
            $0.receipts = [try receipt("A", .duplicate, reason: reason)]
        }
        let payment = try #require(try store.payment(try PaymentID("A"), of: trialBox))
        #expect(payment.state == .stored && payment.reason == reason)
    }

    @Test(
        "A duplicate that says what the first message came to makes the payment that, and receivers are told",
        arguments: TrialStore.allCases)
    func toldByDuplicate(kind: TrialStore) async throws {
        let store = try await kind.make(in: folder, receivers: ["shop": Set(CallbackEvent.states)])
        let numbers = try store.accept(["A", "B", "C", "D"])
        let outcome = try store.commit {
            $0.acknowledged = numbers.map { ($0, 3) }
            $0.receipts = [
                try receipt("A", .duplicate, how: "muted", first: (.announced, "12.5")),
                try receipt("B", .duplicate, how: "aloud", first: (.expired, "12.5")),
                try receipt("C", .duplicate, first: (.cancelled, "12.5")),
                try receipt("D", .duplicate, first: (.stored, "12.5")),
            ]
        }
        let payments = try store.list(PaymentQuery(), at: now).payments
        #expect(payments.map(\.state) == [.announced, .expired, .cancelled, .stored])
        #expect(payments.map(\.how) == ["muted", "aloud", nil, nil] && payments.allSatisfy { $0.reason == nil })
        #expect(outcome.ended.count == 3 && outcome.announced.isEmpty, "how long it took is not known")
        #expect(try store.due(at: .seconds(80 * 3600), limit: 9).payments.isEmpty)
        #expect(
            try store.callbacks(after: 0, limit: 9).map { $0.event?["data"]?["state"]?.string } == [
                "announced", "expired", "cancelled",
            ])
    }

    @Test(
        "A payment that the box has with another amount has failed, stays so, and is told once; corrected it is announced",
        arguments: TrialStore.allCases)
    func failedForAmount(kind: TrialStore) async throws {
        let store = try await kind.make(in: folder, receivers: ["shop": Set(CallbackEvent.states)])
        let number = try store.accept(["A"])[0]
        func take(_ state: Receipt.State, first: (Receipt.State, String)? = nil) throws -> DeliveryTurnOutcome {
            try store.commit { $0.receipts = [try receipt("A", state, how: "aloud", reason: "x", first: first)] }
        }
        _ = try store.commit { $0.acknowledged = [(number, 3)] }
        // The first message's own.
        #expect(try take(.announced).ended.count == 1)
        let outcome = try take(.duplicate, first: (.announced, "9"))
        #expect(outcome.ended.map(\.notice.id.text) == ["A"] && outcome.ended.allSatisfy(\.hasFailedForAmount))
        for state in [Receipt.State.duplicate, .announced, .stored, .rejected] {
            #expect(try take(state, first: state == .duplicate ? (.announced, "9") : nil) == .init())
        }
        let payment = try #require(try store.unheard(limit: 9).first)
        #expect(payment.state == .failed && payment.how == nil)
        #expect(payment.reason == "the box has this id with another amount: 9 CNY, announced")
        #expect(try store.due(at: .seconds(80 * 3600), limit: 9).payments.isEmpty)
        let told = try store.callbacks(after: 0, limit: 9).map { $0.event?["data"]?["state"]?.string }
        #expect(told == ["announced", "failed"])

        #expect(try store.accept([(trialBox, notice("A", "9"))], at: now) == [.accepted])
        #expect(try take(.duplicate, first: (.announced, "9")).ended.map(\.state) == [.announced])
        #expect(try store.unheard(limit: 9).isEmpty)
    }

    @Test(
        "Receipts of payments from elsewhere, and of boxes that are not known, change nothing",
        arguments: TrialStore.allCases)
    func foreign(kind: TrialStore) async throws {
        let store = try await kind.make(in: folder)
        try store.accept(["A"])
        let outcome = try store.commit {
            $0.receipts = [
                try receipt("other", .announced), (otherBox, try PaymentID("A"), .init(state: .announced)),
                (trialBox, try PaymentID("A").of(.refund), .init(state: .announced)),
            ]
        }
        #expect(outcome == .init())
        #expect(try store.state("A") == .accepted)
    }

    @Test("What is known of a box comes back, all but whether it is online", arguments: TrialStore.allCases)
    func boxes(kind: TrialStore) async throws {
        let store = try await kind.make(in: folder)
        var known = online(epoch: 5)
        known.faults = ["audio", "a\"b"]
        known.seenAt = now.time
        known.said = now.time + .seconds(-1)
        known.reconciling = .init(epoch: 5, due: .seconds(90))
        try store.write([trialBox: known, otherBox: KnownBox()])
        known.connectionLost()
        #expect(try store.boxes() == [trialBox: known, otherBox: KnownBox()])
        known.reconciling = nil
        try store.write([trialBox: known])
        #expect(try store.boxes()[trialBox] == known)
    }

    @Test(
        "What is put off is due then, and not before; what has ended is not due again", arguments: TrialStore.allCases)
    func putOff(kind: TrialStore) async throws {
        let store = try await kind.make(in: folder)
        let numbers = try store.accept(["A", "B", "C"])
        _ = try store.commit { $0.receipts = [try receipt("C", .stored)] }
        try store.settle(waiting: numbers.map { ($0, .seconds(9)) }, givenUp: [numbers[1]], at: now)
        #expect(try store.due(at: .seconds(8), limit: 9).payments.isEmpty)
        #expect(try store.due(at: .seconds(9), limit: 9).payments.map(\.number) == [numbers[0]])
        #expect(try store.openSince() == [.zero])
    }

    // MARK: Lists and pruning

    @Test(
        "Given up after 72 hours it is listed as unheard, with a reason; announced it is not listed",
        arguments: TrialStore.allCases)
    func unheard(kind: TrialStore) async throws {
        let store = try await kind.make(in: folder)
        let numbers = try store.accept(["A", "B"])
        try store.settle(waiting: [], givenUp: [numbers[0]], at: now)
        _ = try store.commit { $0.receipts = [try receipt("B", .announced, how: "aloud")] }
        let list = try store.unheard(limit: 10)
        #expect(list.map(\.notice.id.text) == ["A"])
        #expect(list.first?.state == .givenUp)
        #expect(list.first?.reason == "the box has not stored it within 72 hours")
    }

    @Test("An expired payment is listed as unheard unless a summary was heard", arguments: TrialStore.allCases)
    func expired(kind: TrialStore) async throws {
        let store = try await kind.make(in: folder)
        try store.accept(["A", "B", "C"])
        _ = try store.commit {
            $0.receipts = [
                try receipt("A", .expired), try receipt("B", .expired, how: "aloud"),
                try receipt("C", .expired, how: "muted"),
            ]
        }
        #expect(try store.unheard(limit: 10).map(\.notice.id.text) == ["A", "C"])
    }

    @Test("Old payments are deleted, and newer ones stay", arguments: TrialStore.allCases)
    func pruning(kind: TrialStore) async throws {
        let store = try await kind.make(in: folder)
        try store.accept(["old"], at: now + .seconds(-1000))
        try store.accept(["new"], at: now)
        #expect(try !store.prune(before: .seconds(-10), limit: 9))
        #expect(try store.state("old") == .accepted, "it waits still, and the clock may be wrong")
        _ = try store.commit { $0.receipts = [try receipt("old", .announced, how: "aloud")] }
        #expect(try store.prune(before: .seconds(-10), limit: 1), "there may be more")
        #expect(try store.state("old") == nil)
        #expect(try store.state("new") == .accepted)
    }

    // MARK: Callbacks

    @Test(
        "Each receiver is told of the states that it chose, once for each time, in the commit that makes it so",
        arguments: TrialStore.allCases)
    func callbacks(kind: TrialStore) async throws {
        let store = try await kind.make(
            in: folder, receivers: ["all": Set(CallbackEvent.states), "shop": [.announced], "none": []])
        let numbers = try store.accept(["A", "B", "C", "D", "E"])
        let sent = numbers.map { (number: $0, sessionEpoch: Int?.none) }
        _ = try store.commit {
            $0.acknowledged = sent
            $0.receipts = [
                try receipt("A", .stored), try receipt("A", .announced, how: "aloud"),
                try receipt("B", .rejected, reason: "x"),
                try receipt("C", .expired), try receipt("D", .cancelled), try receipt("other", .announced),
            ]
        }
        // They may come twice.
        _ = try store.commit { $0.receipts = [try receipt("A", .announced, how: "aloud"), try receipt("C", .expired)] }
        #expect(try store.due(at: .seconds(73 * 3600), limit: 9).payments.map(\.number) == [numbers[4]])
        try store.settle(waiting: [], givenUp: [numbers[4]], at: now)
        let callbacks = try store.callbacks(after: 0, limit: 99)
        func told(_ name: String) -> [String] {
            callbacks.filter { $0.receiver == name }.map {
                "\($0.event?["data"]?["id"]?.string ?? "") \($0.event?["type"]?.string ?? "")"
            }
        }
        #expect(
            told("all") == [
                "A payment.announced", "B payment.failed", "C payment.expired", "D payment.cancelled",
                "E payment.given_up",
            ])
        #expect(told("shop") == ["A payment.announced"] && callbacks.count == 6)
        #expect(Set(callbacks.map(\.eventID)).count == 5)
        #expect(callbacks.allSatisfy { $0.eventID.wholeMatch(of: /evt_[0-9a-f]{32}/) != nil })
        #expect(callbacks[0].event?["data"] == (try store.payment(try PaymentID("A"), of: trialBox)?.json))
        #expect(try store.callbacks(after: callbacks[1].number, limit: 2) == Array(callbacks[2...3]))
    }

    @Test(
        "A callback is due until it was taken or given up; one that was given up is listed, and deleted with its time",
        arguments: TrialStore.allCases)
    func attempts(kind: TrialStore) async throws {
        let store = try await kind.make(in: folder, receivers: ["shop": [.announced]])
        try store.accept(["A", "B", "C"])
        _ = try store.commit { $0.receipts = try ["A", "B", "C"].map { try receipt($0, .announced) } }
        let numbers = try store.dueCallbacks(of: "shop", at: .zero, limit: 99).map(\.number)
        #expect(numbers.count == 3)
        #expect(try store.dueCallbacks(of: "other", at: .zero, limit: 99).isEmpty)
        #expect(try store.callbackBacklogs() == ["shop": CallbackBacklog(count: 3, oldest: .zero)])
        let later = now + .seconds(2)
        try store.record(
            [
                CallbackResult(number: numbers[0], outcome: .taken),
                CallbackResult(number: numbers[1], outcome: .refused("x", again: .seconds(9))),
                CallbackResult(number: numbers[2], outcome: .refused("y", again: .seconds(10))),
            ], at: later)
        #expect(try store.dueCallbacks(of: "shop", at: .seconds(8), limit: 99).isEmpty)
        #expect(try store.dueCallbacks(of: "shop", at: .seconds(9), limit: 99).map(\.number) == [numbers[1]])
        #expect(try store.callbackBacklogs()["shop"]?.count == 2)
        let listed = try store.callbacks(after: 0, limit: 99)
        #expect(listed.map(\.number) == Array(numbers.dropFirst()))
        #expect(listed.map(\.attempts) == [1, 1] && listed.map(\.answer) == ["x", "y"])

        #expect(try store.giveUpCallbacks(before: .zero, limit: 9, at: later) == [:])
        _ = try store.prune(before: .seconds(1), limit: 9)
        #expect(try store.callbacks(after: 0, limit: 9).map(\.number) == Array(numbers.dropFirst()), "they wait still")
        #expect(try store.giveUpCallbacks(before: .seconds(1), limit: 9, at: later) == ["shop": 2])
        #expect(try store.callbacks(after: 0, limit: 9).map(\.answer) == ["x", "y"])
        #expect(try store.callbacks(after: 0, limit: 9).map(\.givenUpAt) == [later.time, later.time])
        // An answer that comes after it was given up is no reason to begin again.
        try store.record([CallbackResult(number: numbers[2], outcome: .refused("z", again: .zero))], at: later)
        #expect(try store.dueCallbacks(of: "shop", at: .seconds(8), limit: 99).isEmpty)

        // Sent again it is as a new one.
        #expect(try store.resendCallbacks([numbers[0], numbers[2], 99], at: later) == [numbers[2]])
        let again = try store.dueCallbacks(of: "shop", at: later.running, limit: 9)
        #expect(again.map(\.number) == [numbers[2]] && again.map(\.attempts) == [0])
        #expect(try store.giveUpCallbacks(before: .seconds(1), limit: 9, at: later) == [:])
        _ = try store.prune(before: .seconds(1), limit: 9)
        #expect(try store.callbacks(after: 0, limit: 9).map(\.number) == [numbers[2]])
        #expect(try store.resendCallbacks([], at: later) == [])
        #expect(try store.giveUpCallbacks(before: .seconds(3), limit: 9, at: later) == ["shop": 1])
        #expect(try store.resendCallbacks([], at: later) == [numbers[2]])
    }

    // MARK: Unread webhooks

    @Test(
        "What is read of an unread webhook is stored as it is deleted, or stays with the new reason",
        arguments: TrialStore.allCases)
    func readAgain(kind: TrialStore) async throws {
        let store = try await kind.make(in: folder)
        let outcomes = try store.accept([webhook("1"), Submission([(trialBox, notice("A"))]), webhook("1")], at: now)
        #expect(outcomes.map { $0.unread?.count } == [1, nil, 2])
        #expect(try store.accept([(trialBox, notice("B"))], problems: ["y"], ofUnread: 1, at: now) == "y")
        #expect(try store.unread(1)?.reason == "y")
        let differs = try store.accept([(trialBox, notice("A", "1"))], problems: [], ofUnread: 1, at: now)
        #expect(differs?.contains("is known with another amount") == true)
        #expect(try store.accept([(trialBox, notice("C"))], problems: [], ofUnread: 1, at: now) == nil)
        #expect(try store.unreadCount() == 0 && store.unread(1) == nil)
        #expect(try ["B", "C"].map { try store.state($0) } == [.accepted, .accepted])
    }

    private func webhook(_ document: String) -> Submission {
        .init([], webhook: GenuineWebhook(hook: "shop", path: "/", document: Array(document.utf8)), problems: ["x"])
    }

    @Test("Beyond a number, or a size, the oldest are deleted", arguments: TrialStore.allCases)
    func limits(kind: TrialStore) async throws {
        var limits = UnreadLimits()
        (limits.rows, limits.bytes) = (3, 100)
        let store = try await kind.make(in: folder, limits: limits)
        func add(_ documents: String...) throws -> [Int] {
            try store.accept(documents.map(webhook), at: store.clock.now).map { $0.unread?.deleted ?? -1 }
        }
        #expect(try add("a", "b", "c") == [0, 0, 0])
        #expect(try add("a") == [0], "it is there already")
        #expect(try add("d", "e") == [0, 2])
        #expect(try store.unreadNumbers().count == 3)
        #expect(try add(String(repeating: "f", count: 99)) == [2], "one byte is left beside it")
        let last = try store.unreadNumbers().compactMap(store.unread).map(\.webhook.document.count)
        #expect(last == [1, 99])
        #expect(UnreadLimits().rows == 10_000 && UnreadLimits().bytes == 67_108_864)
    }

    @Test("It is deleted with the payments of its time; the same bytes are then new", arguments: TrialStore.allCases)
    func pruned(kind: TrialStore) async throws {
        let store = try await kind.make(in: folder)
        _ = try store.accept([webhook("old")], at: now + .seconds(-1000))
        _ = try store.accept([webhook("new")], at: now)
        // It came first long ago, whenever it came last.
        _ = try store.accept([webhook("old")], at: now)
        _ = try store.prune(before: .seconds(-10), limit: 9)
        #expect(try store.unreadNumbers().compactMap(store.unread).map(\.webhook.document) == [Array("new".utf8)])
        let again = try store.accept([webhook("old")], at: now).first?.unread
        #expect(again?.count == 1 && again?.number == 3)
    }
}
