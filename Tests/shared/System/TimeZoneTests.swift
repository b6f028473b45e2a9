import SoundboxCore
import SoundboxSystem
import TestSupport
import Testing

private let hasDatabase = SmallFile.exists("/usr/share/zoneinfo/Europe/Berlin")

@Suite("Time zones of the machine", .enabled(if: hasDatabase, "the time zone database is not installed"))
struct TimeZoneTests {
    /// The days around one on which something is done to the clock, as the C library shows them on the wall.
    @Test(
        "A business day is the latest that the clock on the wall has shown, whatever is done to it",
        arguments: [
            ("Europe/Berlin", "2026-03-29"), ("Europe/Berlin", "2026-10-25"), ("Europe/Berlin", "2061-10-30"),
            ("Europe/Dublin", "2026-10-25"), ("Europe/London", "2026-03-29"), ("America/New_York", "2026-03-08"),
            ("America/New_York", "2026-11-01"), ("America/Havana", "2026-03-08"), ("America/Havana", "2026-11-01"),
            ("America/St_Johns", "2026-03-08"), ("America/Nuuk", "2026-03-28"), ("America/Asuncion", "2023-10-01"),
            ("America/Sao_Paulo", "2018-11-04"), ("America/Sao_Paulo", "2019-02-17"),
            ("America/Santiago", "2026-04-05"), ("America/Santiago", "2026-09-06"), ("Africa/Cairo", "2026-04-24"),
            ("Africa/Casablanca", "2026-02-15"), ("Africa/Casablanca", "2026-03-22"), ("Asia/Beirut", "2026-03-29"),
            ("Asia/Gaza", "2026-03-28"), ("Asia/Kathmandu", "1986-01-01"), ("Asia/Tehran", "2022-03-22"),
            ("Atlantic/Azores", "2026-10-25"), ("Australia/Lord_Howe", "2026-04-05"), ("Asia/Shanghai", "2026-11-22"),
            ("Australia/Lord_Howe", "2026-10-04"), ("Australia/Sydney", "2026-04-05"),
            ("Pacific/Apia", "2011-12-30"), ("Pacific/Chatham", "2026-09-27"), ("Pacific/Kiritimati", "1994-12-31"),
            ("Pacific/Kwajalein", "1993-08-21"), ("Antarctica/Troll", "2026-03-29"), ("Etc/GMT+12", "2026-11-22"),
        ])
    func days(name: String, date: String) async throws {
        let middle = try #require(Timestamp(rfc3339: "\(date)T00:00:00Z")).millisecondsSince1970 / 1000
        // Every change of these falls on such a moment.
        let seconds = Array(stride(from: middle - 4 * 86_400, to: middle + 4 * 86_400, by: 600))
        let walls = try await WallClock.walls(seconds, in: name)
        let offsets = zip(walls, seconds).map { $0 - $1 }
        let zone = LocalTime { offsets[Int(min(max(($0 - seconds[0]) / 600, 0), Int64(offsets.count - 1)))] }
        for cutOver in [0, 30, 60, 120, 150, 240, 1380, 1430] {
            let calendar = BusinessCalendar(zone: zone, cutOver: cutOver)
            var latest = Int64.min
            for (second, wall) in zip(seconds, walls) {
                let shown = wall - Int64(cutOver) * 60
                latest = max(latest, shown >= 0 ? shown / 86_400 : (shown - 86_399) / 86_400)
                // The first day and a half tell what came before.
                guard second > seconds[0] + 130_000 else { continue }
                let time = Timestamp(millisecondsSince1970: second * 1000)
                let day = calendar.day(at: time)
                #expect(day.date.daysSince1970 == latest, "\(name), cut-over \(cutOver), at \(time)")
                #expect(day.start <= time && time < day.end)
                #expect(calendar.day(of: day.date + 1).start == day.end)
            }
        }
    }

    @Test(
        "A name cannot lead out of the database",
        arguments: [
            "", "/etc/passwd", "../localtime", "Asia/../UTC", "a.b", "Asia/", "Asia//X", "中国", "A\0B",
            String(repeating: "a", count: 65),
        ])
    func names(name: String) {
        #expect(!ProcessTimeZone.isName(name))
        #expect(throws: TimeZoneError.self) { try ProcessTimeZone.use(name) }
    }

    @Test(
        "An unknown zone is refused; a folder is none, and no other file",
        arguments: ["Asia/Atlantis", "Asia", "leapseconds"])
    func unknown(name: String) {
        #expect(throws: TimeZoneError.self) { try ProcessTimeZone.use(name) }
    }
}
