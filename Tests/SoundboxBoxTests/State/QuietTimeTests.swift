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
        let file = QuietHoursFile(path: folder.file("quiet_hours"))
        func quietTime() -> QuietTime { QuietTime(setup, own: file.read()) { try file.write($0) } }
        #expect(quietTime().reading == QuietReading(setup, isShops: false))
        try quietTime().change(to: .hours(own))
        #expect(quietTime().reading == QuietReading(own, isShops: true))
        try quietTime().change(to: .off)
        #expect(quietTime().reading == QuietReading(nil, isShops: true))
        #expect(quietTime().volumeNow == nil)
        try quietTime().change(to: .asSetUp)
        #expect(quietTime().reading == QuietReading(setup, isShops: false))
    }

    @Test("They hold from their first minute to before their last, and not while the clock is not believed")
    func minutes() {
        for (minute, volume) in [(1319, nil), (1320, 30), (0, 30), (419, 30), (420, nil), (nil, nil)] as [(Int?, Int?)]
        {
            #expect(QuietTime(setup, minuteOfDay: { minute }).volumeNow == volume)
        }
    }

    @Test(
        "The minute is that of the shop's time zone, whatever the machine's is, and none of a clock that was never set",
        arguments: [("Asia/Shanghai", 0), ("Pacific/Pago_Pago", 300), ("Asia/Kathmandu", 1305)])
    func zone(name: String, minute: Int) throws {
        let rules = try TimeZoneSource(named: name).rules
        func day(_ time: String) throws -> ShopDay {
            let time = try #require(Timestamp(rfc3339: time))
            let clock = BoxClock(newestKnown: nil) {
                BoxClock.Signs(now: time, isSynchronised: false, offset: .zero, refusal: nil)
            }
            return ShopDay(clock: clock, history: InMemoryInbox()) { BusinessCalendar(zone: rules) }
        }
        #expect(try day("2026-11-26T16:00:00Z").minuteOfDay == minute)
        #expect(try day("2000-01-01T00:00:00Z").minuteOfDay == nil)
        #expect(try day("2045-01-01T00:00:00Z").minuteOfDay == nil)
    }

    @Test("What cannot be written down does not come into force")
    func refused() {
        let quietTime = QuietTime(setup) { _ in throw FileError(path: "x", problem: "no room") }
        #expect(throws: FileError.self) { try quietTime.change(to: .off) }
        #expect(quietTime.reading == QuietReading(setup, isShops: false))
    }

    @Test(
        "A file that nobody can read leaves it to the setup",
        arguments: ["", "{", "[]", #"{"from": "22:00"}"#, #"{"from": "25:00", "to": "07:00", "volume": 20}"#])
    func damage(text: String) throws {
        let folder = try TemporaryFolder()
        #expect(QuietHoursFile(path: try folder.write(text, to: "quiet_hours")).read() == nil)
        #expect(QuietHoursFile(path: folder.path).read() == nil)
    }
}
