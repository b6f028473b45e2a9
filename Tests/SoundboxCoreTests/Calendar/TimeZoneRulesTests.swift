import SoundboxCore
import Testing

@Suite("Time zone files")
struct TimeZoneRulesTests {
    /// A file of version 2 whose first part is empty.
    static func file(
        version: Unicode.Scalar = "2", times: [Int64] = [], kinds: [UInt8] = [], offsets: [Int32] = [0],
        leaps: UInt32 = 0, footer: String = "\n\n"
    ) -> [UInt8] {
        func number(_ value: some FixedWidthInteger) -> [UInt8] {
            stride(from: value.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> $0) }
        }
        func header(times: Int, types: Int, leaps: UInt32) -> [UInt8] {
            var bytes: [UInt8] = Array("TZif".utf8)
            bytes.append(UInt8(ascii: version))
            bytes += [UInt8](repeating: 0, count: 15)
            let counts: [UInt32] = [0, 0, leaps, UInt32(times), UInt32(types), 1]
            for count in counts { bytes += number(count) }
            return bytes
        }
        var bytes = header(times: 0, types: 1, leaps: 0)
        bytes += [UInt8](repeating: 0, count: 7)
        bytes += header(times: times.count, types: offsets.count, leaps: leaps)
        for time in times { bytes += number(time) }
        bytes += kinds
        for offset in offsets { bytes += number(offset) + [0, 0] }
        bytes += [UInt8](repeating: 0, count: 1 + Int(min(leaps, 100)) * 12)
        return bytes + Array(footer.utf8)
    }

    private func offset(_ rules: TimeZoneRules, _ text: String) throws -> Int {
        rules.offset(at: try #require(Timestamp(rfc3339: text)))
    }

    @Test("Changes count from their moment on, and the rule after the last of them")
    func changes() throws {
        let rules = try TimeZoneRules(
            tzif: Self.file(
                times: [0, 1_000_000_000], kinds: [1, 0], offsets: [28_800, 32_400],
                footer: "\nCET-1CEST,M3.5.0,M10.5.0/3\n"))
        #expect(try offset(rules, "1969-12-31T23:59:59Z") == 28_800)
        #expect(try offset(rules, "1970-01-01T00:00:00Z") == 32_400)
        #expect(try offset(rules, "2001-09-09T01:46:39Z") == 32_400)
        #expect(try offset(rules, "2026-03-29T00:59:59Z") == 3600)
        #expect(try offset(rules, "2026-03-29T01:00:00Z") == 7200)
        #expect(try offset(rules, "2026-10-25T00:59:59Z") == 7200)
        #expect(try offset(rules, "2026-10-25T01:00:00Z") == 3600)
    }

    @Test(
        "Rules are read as POSIX and RFC 8536 write them",
        arguments: [
            ("UTC0", "2026-07-01T00:00:00Z", 0), ("<+0330>-3:30", "2026-07-01T00:00:00Z", 12_600),
            ("EST5EDT,M3.2.0,M11.1.0", "2026-07-01T00:00:00Z", -14_400),
            ("EST5EDT,M3.2.0,M11.1.0", "2026-12-01T00:00:00Z", -18_000),
            // In winter an hour behind its standard time, and summer all year.
            ("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-01-01T00:00:00Z", 0),
            ("XXX3EDT4,0/0,J365/23", "2026-01-01T02:00:00Z", -14_400),
            ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T00:59:59Z", -7200),
            ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T01:00:00Z", -3600),
            ("AAA0BBB,J60,J61", "2024-03-01T02:00:00Z", 3600), ("AAA0BBB,59,60", "2024-02-29T02:00:00Z", 3600),
        ])
    func rules(text: String, time: String, expected: Int) throws {
        #expect(try offset(try TimeZoneRules(tzif: Self.file(footer: "\n\(text)\n")), time) == expected)
    }

    @Test(
        "What is no such rule is refused",
        arguments: [
            "A0", "UTC", "UTC+", "UTC25", "UTC0:60", "<UTC0", "EST5EDT", "EST5EDT,", "EST5EDT,M3.2.0",
            "EST5EDT,M13.2.0,M11.1.0",
            "EST5EDT,M3.6.0,M11.1.0", "EST5EDT,M3.2.7,M11.1.0", "EST5EDT,M3.2.0/168,M11.1.0", "EST5EDT,J0,J5",
            "EST5EDT,366,5", "EST5EDT,M3.2.0,M11.1.0x", "UTC0 ", "UTC999999999999999999999",
        ])
    func refusesRule(text: String) {
        #expect(throws: TimeZoneError.self) { try TimeZoneRules(tzif: Self.file(footer: "\n\(text)\n")) }
    }

    @Test(
        "The minute of the day is that of the clock on the wall",
        arguments: [
            (28_800, "2026-11-26T16:00:00Z", 0), (28_800, "2026-11-26T15:59:59.999Z", 1439),
            (-39_600, "2026-11-26T10:59:00Z", 1439), (20_700, "1969-12-31T18:14:59Z", 1439),
            (0, "1970-01-01T00:01:00Z", 1),
        ])
    func minutes(offset: Int32, time: String, minute: Int) throws {
        let rules = try TimeZoneRules(tzif: Self.file(offsets: [offset]))
        #expect(rules.minuteOfDay(at: try #require(Timestamp(rfc3339: time))) == minute)
    }

    @Test("A file that contradicts itself is refused")
    func refuses() {
        let good = Self.file(times: [0], kinds: [0])
        let wrong = [
            [], Array("TZif".utf8), Array(good.dropLast()), Self.file(version: "A"), Self.file(leaps: 1),
            Self.file(leaps: .max), Self.file(times: [5, 5], kinds: [0, 0]), Self.file(times: [0], kinds: [1]),
            Self.file(offsets: [100_000]), Self.file(offsets: [.min]), Self.file(offsets: []), Self.file(footer: ""),
            Array(repeating: 0, count: TimeZoneRules.longestFile + 1),
        ]
        for bytes in wrong { #expect(throws: TimeZoneError.self) { try TimeZoneRules(tzif: bytes) } }
    }

    @Test("A file with any byte changed, or cut anywhere, is read or refused, and every time has its day")
    func garbage() {
        let good = Self.file(
            times: [0, 1_000_000_000], kinds: [1, 0], offsets: [28_800, 32_400],
            footer: "\nCET-1CEST,M3.5.0,M10.5.0/3\n")
        var random = SystemRandomNumberGenerator()
        for position in good.indices {
            var bytes = good
            bytes[position] = UInt8.random(in: 0...255, using: &random)
            for candidate in [bytes, Array(good[..<position])] {
                guard let rules = try? TimeZoneRules(tzif: candidate) else { continue }
                for millisecond: Int64 in [-62_167_219_200_000, 0, 1_795_227_300_000, 253_402_300_799_999] {
                    let time = Timestamp(millisecondsSince1970: millisecond)
                    let day = BusinessCalendar(zone: rules, cutOver: 240).day(at: time)
                    #expect(day.start <= time && time < day.end)
                }
            }
        }
    }
}
