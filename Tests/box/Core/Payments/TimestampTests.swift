import TestSupport
import Testing

@testable import SoundboxCore

@Suite("Timestamps")
struct TimestampTests {
    @Test(
        "RFC 3339 is read to the millisecond",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.001Z", 1), ("1969-12-31T23:59:59.999Z", -1),
            ("2026-11-21T10:15:00+08:00", 1_795_227_300_000), ("2026-11-21T10:15:00+0800", 1_795_227_300_000),
            ("2026-11-21T02:15:00Z", 1_795_227_300_000),
            ("2026-11-21T02:15:00-00:00", 1_795_227_300_000), ("2026-11-20T20:45:00-05:30", 1_795_227_300_000),
            ("2026-11-21t02:15:00z", 1_795_227_300_000), ("2026-11-21 02:15:00Z", 1_795_227_300_000),
            ("2026-11-21T02:15:00.25Z", 1_795_227_300_250), ("2026-11-21T02:15:00.250999999999Z", 1_795_227_300_250),
            ("2000-02-29T00:00:00Z", 951_782_400_000), ("2024-02-29T23:59:59Z", 1_709_251_199_000),
            ("2024-03-01T00:00:00Z", 1_709_251_200_000), ("1900-03-01T00:00:00Z", -2_203_891_200_000),
            ("2016-12-31T23:59:60Z", 1_483_228_800_000), ("0000-01-01T00:00:00Z", -62_167_219_200_000),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
        ] as [(String, Int64)])
    func reads(text: String, milliseconds: Int64) throws {
        #expect(try #require(Timestamp(rfc3339: text)).millisecondsSince1970 == milliseconds)
    }

    @Test(
        "What standard libraries write in its place is read where it has one meaning only",
        arguments: [
            "2026-11-21T02:15Z", "2026-11-21T10:15+08:00", "2026-11-21T10:15+08:00[Asia/Shanghai]",  // Java
            "2026-11-21T02:15:00.000000Z[Etc/UTC]", "2026-11-21T02:15Z[UTC]",
            "2026-11-21T10:15:00.000+08:00[GMT+08:00]",
            "2026-11-21 10:15:00+08:00", "2026-11-21T02:15:00,000Z", "2026-11-21T02:15:00.000000+00:00",  // Python
            "2026-11-21T10:15:00.000000000+08:00", "2026-11-21T10:15:00.0000000+08:00",  // Go, .NET
            "2026-11-21T02:15:00.000Z", "2026-11-21T10:15:00+0800",  // JavaScript, PHP
            "2026-11-21 10:15:00+08", "2026-11-21 10:15:00.000000+08", "2026-11-20 20:45:00-05:30",  // PostgreSQL
            "2026-11-21 10:15:00 +0800", "2026-11-21 02:15:00 UTC",  // Ruby
        ])
    func libraries(text: String) throws {
        #expect(try #require(Timestamp(rfc3339: text)).millisecondsSince1970 == 1_795_227_300_000)
    }

    @Test(
        "An error names what the text is in place of a time",
        arguments: [
            ("2026-W47-6", "; a week is no date"), ("2026W476T101500Z", "; a week is no date"),
            ("2026-325", "; the day of a year is no date"), ("2026-325T10:15Z", "; the day of a year is no date"),
            ("2026-11-21", "; the time of day is missing"), ("1795227300", "; a number is no time here"),
            ("2026-11-21T10:15:00", "; the offset from UTC is missing, such as +08:00 or Z"),
            ("2026-11-21 10:15", "; the offset from UTC is missing, such as +08:00 or Z"), ("yesterday", ""), ("", ""),
        ])
    func expected(text: String, reason: String) {
        let time = "expected a time such as 2026-11-21T10:15:00+08:00 (RFC 3339)"
        #expect(Timestamp.expected(text) == time + reason && Timestamp.expected(nil) == time)
    }

    @Test(
        "What could be another time, or none, is refused",
        arguments: [
            "", "2026", "2026-11-21", "2026-11-21T10:15:00", "2026-11-21T10:15", "2026-11-21T10:15:00+080",
            "2026-11-21T10:15:00+08:", "2026-11-21T10:15:00+8", "2026-11-21T10:15:00  Z", "2026-11-21T10:15:00Z ",
            " 2026-11-21T10:15:00Z",
            "2026-11-21T10:15:00.Z", "2026-11-21T10:15:00,Z", "2026-11-21T10:15.5Z", "2026-11-21T10:15:Z",
            "2026-11-21T10Z",
            "2026-11-21T10:15:00 CST", "2026-11-21T10:15:00 +0800 CST", "2026-11-21T10:15:00UTC",
            "2026-11-21T10:15:00 UT",
            "2026-11-21T10:15:00[Asia/Shanghai]", "2026-11-21T10:15:00Z[]", "2026-11-21T10:15:00Z[UTC",
            "2026-11-21T10:15:00Z[a b]",
            "2026-11-21T10:15:00+08:00[!Asia/Shanghai]", "2026-11-21T10:15:00+08:00:30", "2026-W47-6T10:15:00Z",
            "2026-325T10:15:00Z", "Sat, 21 Nov 2026 02:15:00 GMT", "Sat Nov 21 10:15:00 CST 2026",
            "2026-00-21T10:15:00Z", "2026-13-21T10:15:00Z",
            "2026-11-00T10:15:00Z", "2026-11-31T10:15:00Z", "2026-02-29T10:15:00Z", "1900-02-29T00:00:00Z",
            "2100-02-29T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T10:60:00Z", "2026-11-21T10:15:61Z",
            "2026-11-21T10:15:00+24:00", "2026-11-21T10:15:00+08:60", "2026-1-21T10:15:00Z", "20261121T101500Z",
            "+2026-11-21T10:15:00Z", "2026-11-21T10:15:00Z\n", "２０２６-11-21T10:15:00Z", "1795227300", "yesterday",
        ])
    func refuses(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test(
        "A timestamp is written in UTC with milliseconds",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (1_795_227_300_250, "2026-11-21T02:15:00.250Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
        ] as [(Int64, String)])
    func writes(milliseconds: Int64, text: String) {
        #expect(Timestamp(millisecondsSince1970: milliseconds).description == text)
    }

    @Test("Every millisecond count of the years 0 to 9999 survives being written and read")
    func roundTrips() throws {
        var random = SeededGenerator(seed: 11)
        for _ in 0..<5000 {
            let time = Timestamp(
                millisecondsSince1970: .random(in: -62_167_219_200_000...253_402_300_799_999, using: &random))
            #expect(Timestamp(rfc3339: time.description) == time)
        }
    }

    @Test("Every day of four centuries follows the day before it")
    func everyDay() throws {
        var day = try #require(Timestamp(rfc3339: "1900-01-01T00:00:00Z")).millisecondsSince1970
        for year in 1900..<2300 {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            for (index, days) in [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].enumerated() {
                let month = index < 9 ? "0\(index + 1)" : "\(index + 1)"
                let first = Timestamp(rfc3339: "\(year)-\(month)-01T00:00:00Z")
                try #require(first?.millisecondsSince1970 == day)
                day += Int64(days) * 86_400_000
            }
        }
    }

    @Test("Durations between timestamps have a sign")
    func durations() {
        let early = Timestamp(millisecondsSince1970: 1000)
        let late = Timestamp(millisecondsSince1970: 2500)
        #expect(late.duration(since: early) == .milliseconds(1500))
        #expect(early.duration(since: late) == .milliseconds(-1500))
        #expect(early < late)
    }

    @Test("The time between any two points in time can be told, and any can be written")
    func farApart() {
        let (first, last) = (Timestamp(millisecondsSince1970: .min), Timestamp(millisecondsSince1970: .max))
        #expect(last.duration(since: first) == .milliseconds(Int64.max) - .milliseconds(Int64.min))
        #expect(first.duration(since: last) < .zero)
        #expect(!first.description.isEmpty && !last.description.isEmpty)
    }
}
