import SoundboxCore
import TestSupport
import Testing

@testable import SoundboxGateway

@Suite("The contract of a store")
struct PaymentStoreContractTests {
    private let folder: TemporaryFolder
    private let now = Moment.start

    init() throws { folder = try TemporaryFolder(inMemory: true) }

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
}
