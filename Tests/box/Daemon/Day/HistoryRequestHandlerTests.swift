import SoundboxCore
import SoundboxSystem
import SoundboxTesting
import Testing

@testable import SoundboxBox

@Suite("What is told of the history")
struct HistoryRequestHandlerTests {
    private let inbox = TemporaryInbox()
    private let state = BoxState(volume: Volume(80))
    private static let noon = Timestamp(millisecondsSince1970: 1_795_348_800_000)

    private func day(isSet: Bool = true, history: (any PaymentHistory)? = nil) -> ShopDay {
        ShopDay(
            clock: BoxClock(newestKnown: nil) {
                BoxClock.Signs(
                    now: isSet ? Self.noon : Timestamp(millisecondsSince1970: 0), isSynchronised: isSet, offset: .zero)
            },
            history: history ?? inbox, calendar: { BusinessCalendar() })
    }

    private func handler(isSet: Bool = true) -> HistoryRequestHandler {
        HistoryRequestHandler(day: day(isSet: isSet), state: state, executor: ThreadExecutor(name: "files"))
    }

    private func arrive(
        _ count: Int, amount: String = "1", kind: PaymentNotice.Kind = .payment, at time: Timestamp = Self.noon
    ) throws {
        let arrivals = try (0..<count).map { _ in
            Arrival.notice(
                PaymentNotice(
                    id: try PaymentID("T\(UInt64.random(in: 0 ... .max))"), money: try Money(amount, .CNY), kind: kind))
        }
        _ = try inbox.store(arrivals, at: time)
    }

    @Test("The history is told in parts, newest first, each row once")
    func parts() async throws {
        try arrive(2300)
        var sequences: [Int] = []
        var parameters: [(name: String, value: String)] = [("day", "today")]
        while true {
            let answer = try await handler().entries(try HistoryQuery(parameters))
            guard case .array(let entries)? = answer["entries"] else { throw ControlRefusal(.unknown, "no entries") }
            #expect(entries.count <= HistoryRequestHandler.mostEntries)
            sequences += entries.compactMap { $0["sequence"]?.integer }
            guard let next = answer["next"]?.integer else { break }
            parameters = [("day", "today"), ("before", "\(next)")]
        }
        #expect(sequences == Array((1...2300).reversed()))
    }

    @Test("What sounds is told as such")
    func sounding() async throws {
        try arrive(2)
        state.update { $0.announcing = [1] }
        let answer = try await handler().entries(try HistoryQuery([]))
        guard case .array(let entries)? = answer["entries"] else { throw ControlRefusal(.unknown, "no entries") }
        #expect(entries.compactMap { $0["state"]?.string } == ["received", "announcing"])
    }

    @Test("So many are told as were asked for, and the next ones follow them")
    func limit() async throws {
        try arrive(10)
        let answer = try await handler().entries(try HistoryQuery([("limit", "3")]))
        #expect(answer["next"]?.integer == 8)
        let rest = try await handler().entries(try HistoryQuery([("before", "8")]))
        guard case .array(let entries)? = rest["entries"] else { throw ControlRefusal(.unknown, "no entries") }
        #expect(entries.compactMap { $0["sequence"]?.integer } == [7, 6, 5, 4, 3, 2, 1])
    }

    @Test(
        "A search that finds nothing looks at a bounded number of rows for each answer, and ends",
        arguments: [false, true])
    func boundedSearch(totals: Bool) async throws {
        let handler = HistoryRequestHandler(
            day: day(history: LongHistory(rows: HistoryRequestHandler.mostRows + 10)), state: state,
            executor: ThreadExecutor(name: "files"))
        var parameters: [(name: String, value: String)] = [("amount", "7"), ("id_ends", "none")]
        var examined: [Int] = []
        while true {
            let query = try HistoryQuery(parameters)
            let answer = try await (totals ? handler.totals(query) : handler.entries(query))
            #expect(totals || answer["entries"] == .array([]))
            examined.append(try #require(answer["examined"]?.integer))
            guard let next = answer["next"]?.integer else { break }
            parameters = Array(parameters.prefix(2)) + [("before", "\(next)")]
        }
        #expect(examined == [HistoryRequestHandler.mostRows, 10])
    }

    @Test("What is asked of a range ends where a whole page is from before it")
    func endOfRange() async throws {
        let lastWeek = Timestamp(millisecondsSince1970: Self.noon.millisecondsSince1970 - 7 * 86_400_000)
        try arrive(2 * TotalsWalk.pageRows + 100, at: lastWeek)
        try arrive(1)
        for answer in [
            try await handler().entries(try HistoryQuery([("day", "today")])),
            try await handler().totals(try HistoryQuery([("day", "today")])),
        ] {
            #expect(answer["examined"]?.integer == 2 * TotalsWalk.pageRows)
            #expect(answer["next"] == .null)
        }
    }

    @Test("The picture of a day is drawn from what is told of it")
    func picture() async throws {
        try arrive(2, amount: "0.15")
        try arrive(1, amount: "0.05", kind: .refund)
        let answer = try await handler().entries(try HistoryQuery([("day", "today")]))
        guard case .array(let entries)? = answer["entries"] else { throw ControlRefusal(.unknown, "no entries") }
        var chart = try #require(TakingsChart(of: answer))
        for entry in entries { #expect(try chart.add(entry)) }
        #expect(
            chart.charts(width: 34) == [["hour   payments  CNY", "12:00         2  0.3  ████████████"]])
        #expect(chart.totals.currencies[.CNY]?.net.description == "0.25")
    }

    @Test("Totals are of what was searched for")
    func searchedTotals() async throws {
        try arrive(3, amount: "12.50")
        try arrive(1, amount: "12.51")
        let answer = try await handler().totals(try HistoryQuery([("amount", "12.5")]))
        let totals = try #require(answer["part"].flatMap(Totals.init(decoding:)))
        #expect(totals.currencies[.CNY]?.gross.description == "37.5")
    }

    @Test("After the clock was set back by a day, today's total is told as uncertain, and is not said")
    func clockSetBack() async throws {
        let tomorrow = Timestamp(millisecondsSince1970: Self.noon.millisecondsSince1970 + 86_400_000)
        try arrive(500, at: tomorrow)
        try arrive(3)
        let answer = try await handler().totals(try HistoryQuery([("day", "today")]))
        let totals = try #require(answer["part"].flatMap(Totals.init(decoding:)))
        #expect((totals.payments, totals.timeUnknown) == (3, 500))
        #expect(try day().totals(of: nil) == .unknown(reason: "500 payments have come whose time is not known"))
    }

    @Test("Totals are told with the range that was meant")
    func totals() async throws {
        try arrive(3, amount: "0.1")
        try arrive(1, amount: "0.05", kind: .refund)
        let answer = try await handler().totals(try HistoryQuery([("day", "today")]))
        #expect(answer["from"]?.string == "2026-11-22T00:00:00.000Z")
        #expect(answer["to"]?.string == "2026-11-23T00:00:00.000Z")
        let totals = try #require(answer["part"].flatMap(Totals.init(decoding:)))
        #expect(totals.currencies[.CNY]?.net.description == "0.25")
        #expect(answer["next"] == .null)
    }

    @Test("Without a clock there is no today, and an inbox that fails is told of")
    func failures() async throws {
        let today = try HistoryQuery([("day", "today")])
        await #expect {
            try await handler(isSet: false).totals(today)
        } throws: {
            "\($0)".contains("does not know which day")
        }
        inbox.fail(with: .failed(path: "x", reason: "no disk"))
        await #expect {
            try await handler().entries(today)
        } throws: {
            "\($0)".contains("no disk") && ($0 as? ControlRefusal)?.cause == .fault
        }
    }

    @Test("The day's takings are said with what was paid back, and not at all while the clock is not set")
    func takings() throws {
        try arrive(2, amount: "1.5")
        try arrive(1, amount: "1", kind: .refund)
        let takings = DayTakings(
            payments: 2, totals: [try Money("3", .CNY)], refunds: 1, refundTotals: [try Money("1", .CNY)])
        #expect(try day().totals(of: nil) == .known(takings))
        guard case .unknown(let reason) = try day(isSet: false).totals(of: nil) else {
            throw ControlRefusal(.unknown, "known")
        }
        #expect(reason.hasPrefix("the clock: "))
    }
}

/// So many rows of which none is what is searched for; an inbox would take minutes to store them.
private struct LongHistory: PaymentHistory {
    let rows: Int

    func history(_ filter: HistoryFilter, before sequence: Int64?, limit: Int) -> HistoryPage {
        let rest = sequence.map { Int($0) - 1 } ?? rows
        return HistoryPage(next: rest > limit ? Int64(rest - limit + 1) : nil, examined: min(rest, limit))
    }
}
