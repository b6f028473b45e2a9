import Glibc
import SoundboxCore
import SoundboxSystem
import TestSupport
import Testing

private let hasDatabase = (try? SmallFile.names(in: TimeZoneSource.database))?.contains("Europe") == true

@Suite("Time zones of the machine", .enabled(if: hasDatabase, "the time zone database is not installed"))
struct TimeZoneTests {
    private static let zones = [
        "Asia/Shanghai", "Europe/Berlin", "Europe/Dublin", "Europe/London", "America/New_York", "America/Sao_Paulo",
        "America/Havana", "America/St_Johns", "America/Nuuk", "America/Asuncion", "America/Santiago",
        "Africa/Casablanca",
        "Africa/Cairo", "Asia/Tehran", "Asia/Kathmandu", "Asia/Gaza", "Asia/Beirut", "Atlantic/Azores",
        "Australia/Lord_Howe", "Australia/Sydney", "Pacific/Apia", "Pacific/Chatham", "Pacific/Kiritimati",
        "Pacific/Kwajalein", "Antarctica/Troll", "Etc/UTC", "Etc/GMT+12",
    ]

    private static func second(_ text: String) throws -> Int64 {
        try #require(Timestamp(rfc3339: text)).millisecondsSince1970 / 1000
    }

    @Test("They are read as the C library reads them, from 1972 to 2097", arguments: zones)
    func offsets(name: String) async throws {
        let rules = try TimeZoneSource(named: name).rules
        let (start, end) = (try Self.second("1972-01-01T00:00:00Z"), try Self.second("2097-12-31T00:00:00Z"))
        // Every six and a half days, and no two at the same hour.
        let seconds = Array(stride(from: start, to: end, by: 561_617))
        let walls = try await WallClock.walls(seconds, in: name)
        #expect(walls.count == seconds.count)
        for (second, wall) in zip(seconds, walls) {
            let offset = Int64(rules.offset(at: Timestamp(millisecondsSince1970: second * 1000)))
            #expect(second + offset == wall, "\(name) at \(second)")
        }
    }

    /// A week around a day on which something is done to the clock.
    @Test(
        "A business day is the latest that the clock on the wall has shown, whatever is done to it",
        arguments: [
            ("Europe/Berlin", "2026-03-29"), ("Europe/Berlin", "2026-10-25"), ("Europe/Berlin", "2061-10-30"),
            ("America/New_York", "2026-03-08"), ("America/New_York", "2026-11-01"), ("America/Havana", "2026-03-08"),
            ("America/Havana", "2026-11-01"), ("America/Sao_Paulo", "2018-11-04"), ("America/Sao_Paulo", "2019-02-17"),
            ("America/Santiago", "2026-04-05"), ("America/Santiago", "2026-09-06"), ("Asia/Beirut", "2026-03-29"),
            ("Atlantic/Azores", "2026-10-25"), ("Australia/Lord_Howe", "2026-04-05"), ("Asia/Shanghai", "2026-11-22"),
            ("Australia/Lord_Howe", "2026-10-04"), ("Pacific/Apia", "2011-12-30"), ("Pacific/Kwajalein", "1993-08-21"),
            ("Africa/Casablanca", "2026-02-15"), ("Africa/Casablanca", "2026-03-22"),
            ("Antarctica/Troll", "2026-03-29"),
        ])
    func days(name: String, date: String) async throws {
        let rules = try TimeZoneSource(named: name).rules
        let middle = try Self.second("\(date)T00:00:00Z")
        let seconds = Array(stride(from: middle - 4 * 86_400, to: middle + 4 * 86_400, by: 600))
        let walls = try await WallClock.walls(seconds, in: name)
        for cutOver in [0, 30, 60, 120, 150, 240, 1380, 1430] {
            let calendar = BusinessCalendar(zone: rules, cutOver: cutOver)
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
        #expect(!TimeZoneSource.isName(name))
        #expect(throws: TimeZoneError.self) { try TimeZoneSource(named: name) }
    }

    @Test("An unknown zone is refused, and a folder is none", arguments: ["Asia/Atlantis", "Asia"])
    func unknown(name: String) {
        #expect(throws: TimeZoneError.self) { try TimeZoneSource(named: name) }
    }
}

@Suite("The machine's own time zone")
struct LocalTimeTests {
    @Test("Without one, and with a file that is none, it is UTC")
    func none() throws {
        let folder = try TemporaryFolder()
        #expect(TimeZoneSource(localTime: folder.file("localtime")).rules == .utc)
        try SmallFile.replace(folder.file("localtime"), with: "no zone", mode: 0o644, owner: nil)
        #expect(TimeZoneSource(localTime: folder.file("localtime")).rules == .utc)
    }

    @Test("It is followed when it changes, and stays when it cannot be read", .enabled(if: hasDatabase))
    func follows() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("localtime")
        func link(_ zone: String) { symlink("\(TimeZoneSource.database)/\(zone)", path) }
        link("Asia/Tokyo")
        let source = TimeZoneSource(localTime: path)
        let time = Timestamp(millisecondsSince1970: 1_795_227_300_000)
        #expect(source.rules.offset(at: time) == 9 * 3600)
        unlink(path)
        #expect(source.rules.offset(at: time) == 9 * 3600)
        link("Asia/Kathmandu")
        #expect(source.rules.offset(at: time) == 20_700)
    }
}
