import GRDB
import SoundboxCore
import TestSupport
import Testing

@testable import SoundboxGateway

@Suite("Lists of payments")
struct PaymentListTests {
    private let store: SQLitePaymentStore
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder(inMemory: true)
        store = try .temporary(folder)
    }

    /// All pages of a query.
    private func pages(_ change: (inout PaymentQuery) -> Void, at now: Moment = .start) throws -> [[String]] {
        var query = PaymentQuery()
        change(&query)
        var pages: [[String]] = []
        while true {
            let page = try store.list(query, at: now)
            pages.append(page.payments.map { "\($0.box.device) \($0.notice.id.text)" })
            guard let next = page.next else { return pages }
            #expect(next > query.after)
            query.after = next
        }
    }

    @Test("Every payment is on one page, whatever stands between them, and a page may be empty")
    func complete() throws {
        try store.accept(["A", "B"])
        try store.accept((1...20).map { "\($0)" }, of: otherBox)
        try store.accept(["C", "D", "E"])
        let ours = ["box-01 A", "box-01 B", "box-01 C", "box-01 D", "box-01 E"]
        #expect(try pages { $0.box = trialBox } == [ours])
        #expect(try pages { ($0.box, $0.limit) = (trialBox, 2) }.map(\.count) == [2, 2, 1])
        let all = try pages { ($0.merchants, $0.limit, $0.lookedAt) = (["M1001"], 3, 5) }
        #expect(all.joined().count == 25 && Set(all.joined()).count == 25 && all.allSatisfy { $0.count <= 3 })
        #expect(try pages { ($0.merchants, $0.lookedAt) = (["M2002"], 5) }.allSatisfy(\.isEmpty))
        // Between two numbers there may be many that were deleted.
        try store.write { try $0.execute(sql: "UPDATE payment SET number = number + 1000000 WHERE payment_id = 'E'") }
        #expect(try pages { $0.lookedAt = 30 }.map(\.count) == [24, 1])
    }

    @Test("Since a time: in steps that do not grow with the payments, also where the gateway was off in between")
    func since() throws {
        let hour = Duration.seconds(3600)
        var times: [Timestamp] = []
        for step in 0..<50 {
            // It runs half the time.
            let time = Moment(time: Moment.start.time + hour * (4 * step), running: hour * (2 * step))
            times.append(time.time)
            _ = try store.accept([(trialBox, notice("\(step)"))], at: time)
        }
        let now = Moment(time: Moment.start.time + hour * 200, running: hour * 100)
        for step in 0..<50 {
            let expected = (step..<50).map { "box-01 \($0)" }
            for box in [trialBox, nil] {
                #expect(try pages({ ($0.box, $0.since) = (box, times[step]) }, at: now) == [expected])
                let between = times[step] + .milliseconds(-1)
                #expect(try pages({ ($0.box, $0.since) = (box, between) }, at: now) == [expected])
            }
        }
        #expect(try pages({ $0.since = now.time }, at: now) == [[]])
        #expect(try pages({ $0.since = now.time + hour * 200 }, at: now) == [[]])
    }

    @Test("An empty store has an empty list, and so has a box that is not known")
    func empty() throws {
        #expect(try pages { $0.since = Moment.start.time } == [[]])
        try store.accept(["A"])
        #expect(try pages { $0.box = otherBox } == [[]])
    }
}
