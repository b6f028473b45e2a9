import SoundboxCore
import SoundboxTesting
import Testing

@testable import SoundboxBox

@Suite("Totals")
struct TotalsTests {
    private static let start = Timestamp(millisecondsSince1970: 1_795_190_400_000)
    private static let end = Timestamp(millisecondsSince1970: 1_795_276_800_000)
    private let inbox = TemporaryInbox()

    /// - Parameter hour: after the beginning of the range.
    @discardableResult
    private func arrive(
        _ amount: String, at hour: Int64 = 1, _ currency: Currency = .CNY, kind: String = "payment",
        channel: String? = nil, clock: ClockTrust = .confirmed
    ) throws -> PaymentID {
        let id = try PaymentID("T\(UInt64.random(in: 0 ... .max))")
        let notice = PaymentNotice(
            id: id, money: try Money(amount, currency), kind: try #require(PaymentNotice.Kind(rawValue: kind)),
            channel: channel)
        _ = try inbox.store([.notice(notice)], at: Self.time(hour), clock: clock)
        return id
    }

    private static func time(_ hour: Int64) -> Timestamp {
        Timestamp(millisecondsSince1970: start.millisecondsSince1970 + hour * 3_600_000)
    }

    private func totals(
        _ filter: HistoryFilter = HistoryFilter(from: Self.start, to: Self.end), now hour: Int64? = nil
    ) throws -> Totals {
        var walk = TotalsWalk(filter, now: hour.map(Self.time))
        while !walk.isComplete { try walk.step(in: inbox) }
        return walk.totals
    }

    @Test("Payments are gross, refunds are subtracted and shown apart, and each currency is summed by itself")
    func sums() throws {
        let dollar = try #require(Currency("USD"))
        try arrive("0.1", channel: "alipay")
        try arrive("0.2", channel: "wechat")
        try arrive("1.3", channel: "alipay")
        try arrive("0.7", kind: "refund", channel: "alipay")
        try arrive("5", dollar)
        let totals = try totals()
        let yuan = try #require(totals.currencies[.CNY])
        #expect((yuan.payments, yuan.refunds) == (3, 1))
        #expect([yuan.gross, yuan.refunded, yuan.net].map(\.description) == ["1.6", "0.7", "0.9"])
        #expect(totals.currencies[dollar]?.gross.description == "5")
        let alipay = totals.channels[.init(name: "alipay", currency: .CNY)]
        #expect(alipay?.gross.description == "1.4" && alipay?.net.description == "0.7")
        #expect(totals.channels[.init(name: nil, currency: dollar)]?.payments == 1)
        #expect((totals.payments, totals.refunds) == (4, 1))
    }

    @Test("More paid back than came in is a negative net")
    func negative() throws {
        try arrive("1")
        try arrive("2.5", kind: "refund")
        #expect(try totals().currencies[.CNY]?.net.description == "-1.5")
    }

    @Test("What was cancelled is counted and in no sum; another kind is summed apart")
    func apart() throws {
        let id = try arrive("100")
        _ = try inbox.cancel(id, at: Self.end)
        try arrive("30", kind: "deposit")
        try arrive("1")
        let totals = try totals()
        #expect(totals.cancelled == 1)
        #expect(totals.currencies[.CNY]?.gross.description == "1")
        #expect(totals.others[.init(name: "deposit", currency: .CNY)]?.sum.description == "30")
    }

    @Test("The range begins with its first moment and ends before its last")
    func range() throws {
        for hour: Int64 in [-1, 0, 23, 24, 25] { try arrive("1", at: hour) }
        #expect(try totals().payments == 2)
    }

    @Test("What has no known time is counted apart, unless its neighbours tell that it is not of the range")
    func untimed() throws {
        try arrive("1", at: 5, clock: .none)
        try arrive("1", at: -2)
        try arrive("1", at: -500_000, clock: .none)
        try arrive("1", at: 3)
        try arrive("1", at: 3, clock: .none)
        try arrive("1", at: 30)
        try arrive("1", at: 4, clock: .none)
        let totals = try totals()
        #expect((totals.payments, totals.timeUnknown) == (1, 2))
        #expect(DayTotals(totals) == .unknown(reason: "2 payments have come whose time is not known"))
    }

    @Test(
        "After the clock was set back over an edge of the range, no total is certain",
        arguments: [
            // Hours of the notices in the order of arrival, the hour it is, and what is counted.
            ([1, 30, 31, 5, 6], 7, 3, 2),  // The clock was a day ahead.
            ([1, 30, 31], 7, 1, 2),  // Nothing came since.
            ([30, 31, 5, 6], 29, 2, 2),  // A day later, what came is no more certain.
            ([5, 6, -19, -18, 7], 8, 1, 2),  // The clock was a day behind for a while.
            ([5, 6], -1, 0, 2),  // The day is still to come.
        ] as [([Int64], Int64, Int, Int)])
    func setBack(hours: [Int64], now: Int64, counted: Int, uncertain: Int) throws {
        for hour in hours { try arrive("1", at: hour) }
        let totals = try totals(now: now)
        #expect((totals.payments, totals.timeUnknown) == (counted, uncertain))
        #expect(
            DayTotals(totals) == .unknown(reason: "\(uncertain) payments have come whose time is not known"))
    }

    @Test(
        "A clock that was set back on one side of the range makes no total uncertain",
        arguments: [([5, 7, 6], 8, 3), ([1, 30, 28, 29], 31, 1), ([-1, -3, 2], 3, 1)] as [([Int64], Int64, Int)])
    func setBackBeside(hours: [Int64], now: Int64, counted: Int) throws {
        for hour in hours { try arrive("1", at: hour) }
        let totals = try totals(now: now)
        #expect((totals.payments, totals.timeUnknown) == (counted, 0))
    }

    @Test("A channel, a currency, a kind or a state can be asked for alone")
    func filters() throws {
        try arrive("1", channel: "alipay")
        try arrive("2", channel: "wechat")
        try arrive("4", kind: "refund")
        try arrive("8", try #require(Currency("USD")))
        var filter = HistoryFilter(from: Self.start, to: Self.end)
        filter.channels = ["wechat"]
        #expect(try totals(filter).currencies[.CNY]?.gross.description == "2")
        filter.channels = []
        filter.kinds = [.refund]
        #expect(try totals(filter).payments == 0)
        #expect(try totals(filter).currencies[.CNY]?.net.description == "-4")
        filter.kinds = []
        filter.currencies = [.CNY]
        #expect(try totals(filter).payments == 2)
        filter.states = [.announced]
        #expect(try totals(filter).payments == 0)
    }

    @Test("Parts that are counted one by one, and told in JSON, add up to the whole", arguments: 0..<8)
    func parts(seed: Int) throws {
        for _ in 0..<1200 {
            let clock: ClockTrust = Int.random(in: 0..<10) == 0 ? .none : .confirmed
            let id = try arrive(
                "\(Int.random(in: 1...99)).\(Int.random(in: 10...99))", at: Int64.random(in: -3...26),
                try #require(Currency(["CNY", "USD"][Int.random(in: 0...1)])),
                kind: ["payment", "refund", "deposit"][Int.random(in: 0...2)],
                channel: [nil, "alipay", "wechat"][Int.random(in: 0...2)], clock: clock)
            if Int.random(in: 0..<10) == 0 { _ = try inbox.cancel(id, at: Self.end) }
        }
        let whole = try totals()
        var sum = Totals()
        var next: Int64?
        repeat {
            var walk = TotalsWalk(HistoryFilter(from: Self.start, to: Self.end), now: nil, before: next)
            try walk.step(in: inbox)
            sum.add(earlier: try #require(Totals(decoding: walk.totals.partJSON)))
            next = walk.isComplete ? nil : walk.next
        } while next != nil
        #expect(sum.currencies == whole.currencies && sum.channels == whole.channels && sum.others == whole.others)
        #expect(sum.cancelled == whole.cancelled && (sum.timeUnknown > 0) == (whole.timeUnknown > 0))
    }

    @Test("The walk ends at the first whole page from before the range")
    func ends() throws {
        for _ in 0..<1500 { try arrive("1", at: -5) }
        try arrive("1")
        var walk = TotalsWalk(HistoryFilter(from: Self.start, to: Self.end), now: nil)
        while !walk.isComplete { try walk.step(in: inbox) }
        #expect(walk.totals.payments == 1)
        #expect(walk.examined == 2 * TotalsWalk.pageRows)
    }

    @Test("Rows that cannot be read make a total a guess")
    func unreadable() {
        var totals = Totals()
        totals.add(earlier: HistoryPage(unreadable: .init(count: 2, first: 7), examined: 2), from: nil, to: nil)
        totals.add(earlier: HistoryPage(unreadable: .init(count: 1, first: 3), examined: 2), from: nil, to: nil)
        #expect(totals.unreadable == .init(count: 3, first: 3))
        #expect(
            DayTotals(totals)
                == .unknown(reason: "3 rows of the history cannot be read, the first is row 3"))
    }

    @Test("A sum that is too large for an amount is not said, and its count is")
    func tooLarge() throws {
        for _ in 0..<2 { try arrive("1000000000000000") }
        try arrive("3", kind: "refund")
        let takings = DayTakings(payments: 2, totals: [], refunds: 1, refundTotals: [try Money("3", .CNY)])
        #expect(DayTotals(try totals()) == .known(takings))
        #expect(try totals().currencies[.CNY]?.gross.description == "2000000000000000")
    }
}
