import SoundboxCore
import TestSupport
import Testing

@testable import SoundboxGateway

@Suite("The contract of a store: callbacks")
struct CallbackContractTests {
    private let folder: TemporaryFolder
    private let now = Moment.start

    init() throws { folder = try TemporaryFolder(inMemory: true) }

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
}
