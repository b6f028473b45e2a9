import SoundboxConfiguration
import SoundboxCore
import SoundboxSystem
import SoundboxTesting
import TestSupport
import Testing

@testable import SoundboxBox

@Suite("The quiet hours that are in force")
struct QuietTimeTests {
    private let setup = QuietHours(start: 22 * 60, end: 7 * 60, volume: 30)
    private let own = QuietHours(start: 0, end: 12 * 60, volume: 5)

    @Test("The shop's own count until it keeps to the setup again, across restarts")
    func ownCount() throws {
        let folder = try TemporaryFolder()
        let file = StateFile.quietHours(in: folder.path)
        func quietTime() -> QuietTime {
            QuietTime(setup, keeper: Remembered(read: { file.read() }, write: { try file.write($0) }))
        }
        #expect(quietTime().reading == QuietReading(setup, isShops: false))
        try quietTime().change(to: .hours(own))
        #expect(quietTime().reading == QuietReading(own, isShops: true))
        try quietTime().change(to: .off)
        #expect(quietTime().reading == QuietReading(nil, isShops: true))
        #expect(quietTime().volumeNow == nil)
        try quietTime().change(to: .asSetUp)
        #expect(quietTime().reading == QuietReading(setup, isShops: false))
    }

    /// A shop whose wall shows what `zone` makes of a confirmed `time`; `nil` for a clock that is not believed.
    private func day(_ time: Timestamp?, _ zone: LocalTime = LocalTime { _ in 0 }) -> ShopDay {
        let clock = BoxClock(newestKnown: nil) {
            BoxClock.Signs(
                now: time ?? Timestamp(millisecondsSince1970: 0), isSynchronised: time != nil, offset: .zero)
        }
        return ShopDay(clock: clock, history: TemporaryInbox()) { BusinessCalendar(zone: zone) }
    }

    @Test("They hold from their first minute to before their last, and not while the clock is not believed")
    func minutes() {
        for (minute, volume) in [(1319, nil), (1320, 30), (0, 30), (419, 30), (420, nil), (nil, nil)] as [(Int?, Int?)]
        {
            // From a midnight on.
            let time = minute.map { Timestamp(millisecondsSince1970: 1_795_219_200_000 + Int64($0) * 60_000) }
            #expect(QuietTime(setup, day: day(time)).volumeNow == volume)
        }
    }

    @Test(
        "The minute is that of the shop's time zone, whatever the machine's is, and none of a clock that was never set",
        arguments: [(28_800, 0), (-39_600, 300), (20_700, 1305)] as [(Int64, Int)])
    func zone(offset: Int64, minute: Int) throws {
        func day(_ time: String) throws -> ShopDay {
            let time = try #require(Timestamp(rfc3339: time))
            let clock = BoxClock(newestKnown: nil) {
                BoxClock.Signs(now: time, isSynchronised: false, offset: .zero, refusal: nil)
            }
            return ShopDay(clock: clock, history: TemporaryInbox()) {
                BusinessCalendar(zone: LocalTime { _ in offset })
            }
        }
        #expect(try day("2026-11-26T16:00:00Z").minuteOfDay == minute)
        #expect(try day("2000-01-01T00:00:00Z").minuteOfDay == nil)
        #expect(try day("2045-01-01T00:00:00Z").minuteOfDay == nil)
    }

    /// Berlin, and Lord Howe Island with its half hour.
    @Test(
        "They begin and end by the clock on the wall on the days on which it is set",
        arguments: [
            (change: "2026-03-29T01:00:00Z", 3600, 7200, begin: "2026-03-28T21:00:00Z", end: "2026-03-29T05:00:00Z"),
            (change: "2026-10-25T01:00:00Z", 7200, 3600, begin: "2026-10-24T20:00:00Z", end: "2026-10-25T06:00:00Z"),
            (
                change: "2026-04-04T15:00:00Z", 39_600, 37_800, begin: "2026-04-04T11:00:00Z",
                end: "2026-04-04T20:30:00Z"
            ),
            (
                change: "2026-10-03T15:30:00Z", 37_800, 39_600, begin: "2026-10-03T11:30:00Z",
                end: "2026-10-03T20:00:00Z"
            ),
        ] as [(change: String, Int64, Int64, begin: String, end: String)])
    func clockIsSet(change: String, before: Int64, after: Int64, begin: String, end: String) throws {
        func milliseconds(_ text: String) throws -> Int64 {
            try #require(Timestamp(rfc3339: text)).millisecondsSince1970
        }
        let change = try milliseconds(change) / 1000
        let zone = LocalTime { $0 < change ? before : after }
        for (time, volume) in [
            (try milliseconds(begin) - 1, nil), (try milliseconds(begin), 30), (change * 1000 - 1, 30),
            (change * 1000, 30), (try milliseconds(end) - 1, 30), (try milliseconds(end), nil),
        ] as [(Int64, Int?)] {
            let day = day(Timestamp(millisecondsSince1970: time), zone)
            #expect(QuietTime(setup, day: day).volumeNow == volume, "\(time)")
        }
    }

    @Test("What cannot be written down does not come into force")
    func refused() {
        let quietTime = QuietTime(
            setup, keeper: Remembered(read: { nil }, write: { _ in throw FileError(path: "x", problem: "no room") }))
        #expect(throws: FileError.self) { try quietTime.change(to: .off) }
        #expect(quietTime.reading == QuietReading(setup, isShops: false))
    }

    @Test(
        "A file that nobody can read leaves it to the setup",
        arguments: ["", "{", "[]", #"{"from": "22:00"}"#, #"{"from": "25:00", "to": "07:00", "volume": 20}"#])
    func damage(text: String) throws {
        let folder = try TemporaryFolder()
        try folder.write(text, to: "quiet_hours")
        #expect(StateFile.quietHours(in: folder.path).read() == nil)
    }
}
