import SoundboxBox
import SoundboxCore
import Testing

@Suite("The picture of a day")
struct TakingsChartTests {
    private func chart(
        _ from: String?, _ to: String?, cutOver: String = "00:00", _ entries: [JSONValue]
    ) throws -> TakingsChart {
        func time(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
        let answer = JSONValue.object([("from", time(from)), ("to", time(to)), ("cut_over", .string(cutOver))])
        var chart = try #require(TakingsChart(of: answer))
        for entry in entries { #expect(try chart.add(entry)) }
        return chart
    }

    private func entry(
        _ time: String, _ amount: String = "1", kind: String = "payment", currency: String = "CNY",
        state: String = "announced", isTimed: Bool = true
    ) -> JSONValue {
        .object([
            ("kind", .string(kind)), ("amount", .string(amount)), ("currency", .string(currency)), ("channel", .null),
            ("received_at", .string(time)), ("time_known", .bool(isTimed)), ("state", .string(state)),
        ])
    }

    private func entries(_ count: Int, _ time: String) -> [JSONValue] { (0..<count).map { _ in entry(time) } }

    @Test("A day has a bar for each hour from the first payment to the last one, with exact sums below each other")
    func hours() throws {
        let entries =
            entries(15, "2026-11-22T11:59:59.999+08:00")
            + [entry("2026-11-22T10:00:00.000+08:00", "0.1"), entry("2026-11-22T10:30:00.000+08:00", "0.25")]
            + [entry("2026-11-22T08:15:00.000+08:00", "100000.05")]
        let chart = try chart("2026-11-22T00:00:00.000+08:00", "2026-11-23T00:00:00.000+08:00", entries)
        // The numbers take 28 columns, so that 15 payments are 32 columns.
        #expect(
            chart.charts(width: 60) == [
                [
                    "hour   payments        CNY",
                    "08:00         1  100000.05  ██▏",
                    "09:00         0       0.00",
                    "10:00         2       0.35  ████▎",
                    "11:00        15      15.00  ████████████████████████████████",
                ]
            ])
    }

    @Test("Hours are the clock's on the wall, in a zone half an hour beside the others as well")
    func halfHour() throws {
        let chart = try chart(
            "2026-11-22T00:00:00.000+05:30", "2026-11-23T00:00:00.000+05:30",
            [entry("2026-11-22T10:00:00.000+05:30"), entry("2026-11-22T09:59:59.999+05:30")])
        #expect(chart.charts(width: 80).joined().map { $0.prefix(5) } == ["hour ", "09:00", "10:00"])
    }

    @Test("An hour that the clock shows twice is one bar, and the day that it makes longer is drawn by the hour")
    func setBack() throws {
        let chart = try chart(
            "2026-10-25T00:00:00.000+02:00", "2026-10-26T00:00:00.000+01:00",
            [entry("2026-10-25T02:10:00.000+01:00"), entry("2026-10-25T02:50:00.000+02:00")])
        #expect(chart.charts(width: 80).joined().map { $0.prefix(14) } == ["hour   payment", "02:00         "])
        #expect(chart.totals.payments == 2)
    }

    @Test("A business day goes on after midnight, in its hours and in its date")
    func cutOver() throws {
        let night = [
            entry("2026-11-23T04:00:00.000+08:00"), entry("2026-11-23T03:59:59.999+08:00"),
            entry("2026-11-22T22:00:00.000+08:00"),
        ]
        let day = try chart(
            "2026-11-22T04:00:00.000+08:00", "2026-11-23T04:00:00.000+08:00", cutOver: "04:00", Array(night.dropFirst())
        )
        let labels: [Substring] = ["hour ", "22:00", "23:00", "00:00", "01:00", "02:00", "03:00"]
        #expect(day.charts(width: 80).joined().map { $0.prefix(5) } == labels)
        let week = try chart("2026-11-20T04:00:00.000+08:00", nil, cutOver: "04:00", night)
        #expect(
            week.charts(width: 40) == [
                [
                    "day         payments  CNY", "2026-11-22         2    2  █████████████",
                    "2026-11-23         1    1  ██████▌",
                ]
            ])
    }

    @Test("A range without an end is as long as the payments that are in it")
    func open() throws {
        let morning = [entry("2026-11-22T10:00:00.000Z"), entry("2026-11-22T08:00:00.000Z")]
        #expect(try chart("2026-11-22T00:00:00.000Z", nil, morning).charts(width: 80)[0].count == 4)
        #expect(try chart(nil, nil, morning).charts(width: 80)[0].count == 4)
        let days = morning + [entry("2026-11-20T08:00:00.000Z")]
        #expect(
            try chart(nil, nil, days).charts(width: 80)[0].map { $0.prefix(10) }
                == ["day       ", "2026-11-20", "2026-11-21", "2026-11-22"])
    }

    @Test("Each currency has a chart of its own, of the same hours; refunds and other news are in none")
    func currencies() throws {
        let chart = try chart(
            nil, nil,
            [
                entry("2026-11-22T12:00:00.000Z", "3", currency: "USD"),
                entry("2026-11-22T11:00:00.000Z", "9", kind: "refund"),
                entry("2026-11-22T11:00:00.000Z", "2", kind: "refund", currency: "EUR"),
                entry("2026-11-22T11:00:00.000Z", "7", kind: "deposit"),
                entry("2026-11-22T11:00:00.000Z", "5", state: "cancelled"),
                entry("1970-01-01T00:00:00.000Z", "5", isTimed: false), entry("2026-11-22T10:00:00.000Z", "20"),
            ])
        let charts = chart.charts(width: 80)
        #expect(
            charts.map { $0.map { $0.prefix(20) } } == [
                ["hour   payments  CNY", "10:00         1   20", "11:00         0    0", "12:00         0    0"],
                ["hour   payments  USD", "10:00         0    0", "11:00         0    0", "12:00         1    3"],
            ])
        #expect(chart.totals.currencies[.CNY]?.net.description == "11")
        #expect(chart.totals.cancelled == 1 && chart.totals.others.count == 1)
    }

    @Test(
        "The busiest hour fills the width, a single payment is seen, and no width is too small",
        arguments: [1, 40, 80, 200])
    func widths(width: Int) throws {
        let chart = try chart(
            nil, nil, entries(2000, "2026-11-22T12:00:00.000Z") + entries(1, "2026-11-22T11:00:00.000Z"))
        let lines = chart.charts(width: width)[0]
        #expect(lines[1].hasSuffix("  ▏"))
        #expect(lines[2].columns == max(width, 31))
    }

    @Test("Without a payment there is no chart")
    func nothing() throws {
        #expect(try chart(nil, nil, []).charts(width: 80) == [])
        let refund = entry("2026-11-22T12:00:00.000Z", kind: "refund")
        #expect(try chart("2026-11-22T00:00:00.000Z", nil, [refund]).charts(width: 80) == [])
    }

    @Test("Thirty-one days are drawn, and payments of more are refused")
    func mostDays() throws {
        var chart = try chart(
            nil, nil, [entry("2026-12-01T23:59:00.000Z"), entry("2026-11-01T00:00:00.000Z")])
        #expect(chart.charts(width: 80)[0].count == 32)
        #expect { try chart.add(entry("2026-10-31T23:59:00.000Z")) } throws: { "\($0)".contains("31 days") }
    }

    @Test("What another version tells is not guessed at")
    func foreign() throws {
        #expect(TakingsChart(of: .object([])) == nil)
        #expect(TakingsChart(of: .object([("cut_over", .string("24:00"))])) == nil)
        var chart = try chart(nil, nil, [])
        #expect(try !chart.add(.object([])))
        #expect(try !chart.add(entry("yesterday")))
        #expect(try !chart.add(entry("2026-11-22T12:00:00.000Z", "-1")))
    }

    @Test("Columns stand under one another, wide characters counted double, and control characters spelled out")
    func table() {
        var table = Table(headings: ["channel", "sum"], right: [1])
        #expect(
            table.lines([["微信支付宝", "1"], ["e\u{301}", "12.5"], ["\u{1B}[2J", "3"]]) == [
                "channel      sum", "微信支付宝     1", "e\u{301}           12.5", "\\u{1b}[2J      3",
            ])
        #expect(table.lines([["x", "1"]]) == ["x              1"])
    }
}
