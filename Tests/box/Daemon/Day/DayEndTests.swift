import SoundboxBox
import SoundboxCore
import Testing

@Suite("The end of the day")
struct DayEndTests {
    private let calendar = BusinessCalendar(cutOver: 240)

    private func time(_ text: String) throws -> Timestamp { try #require(Timestamp(rfc3339: text)) }

    private func decision(
        _ minute: Int, at text: String, _ trust: ClockTrust = .confirmed, told: String? = nil
    ) throws -> DayEnd.Decision {
        DayEnd(minute: minute).decision(
            at: ClockReading(try time(text), trust), calendar, told: told.flatMap(CivilDate.init))
    }

    @Test("It is told at its time, and for half an hour after it")
    func due() throws {
        let day = calendar.day(of: try #require(CivilDate("2026-11-22")))
        #expect(try decision(22 * 60, at: "2026-11-22T21:59:00Z") == .isNotDue(.seconds(60)))
        #expect(try decision(22 * 60, at: "2026-11-22T22:00:00Z") == .isDue(day))
        #expect(try decision(22 * 60, at: "2026-11-22T22:30:00Z") == .isDue(day))
        #expect(try decision(22 * 60, at: "2026-11-22T22:30:01Z") == .isNotDue(.seconds(5 * 3600 + 1799)))
    }

    @Test("Once for each day, also when the clock is set back over its time")
    func once() throws {
        #expect(try decision(22 * 60, at: "2026-11-22T22:00:00Z", told: "2026-11-22") == .isNotDue(.seconds(6 * 3600)))
        #expect(try decision(22 * 60, at: "2026-11-21T22:00:00Z", told: "2026-11-22") == .isNotDue(.seconds(6 * 3600)))
        #expect(try decision(22 * 60, at: "2026-11-23T22:00:00Z", told: "2026-11-22") != .isNotDue(.seconds(6 * 3600)))
    }

    @Test("A day that lies years ahead keeps none of those before it from being told")
    func future() throws {
        let day = calendar.day(of: try #require(CivilDate("2026-11-22")))
        #expect(try decision(22 * 60, at: "2026-11-22T22:00:00Z", told: "2035-01-01") == .isDue(day))
        #expect(try decision(22 * 60, at: "2026-11-22T22:00:00Z", told: "2026-11-24") == .isDue(day))
        #expect(try decision(22 * 60, at: "2026-11-22T22:00:00Z", told: "2026-11-23") != .isDue(day))
    }

    @Test("A time before the cut-over is of the day that ends then")
    func night() throws {
        let day = calendar.day(of: try #require(CivilDate("2026-11-22")))
        #expect(try decision(150, at: "2026-11-23T02:30:00Z") == .isDue(day))
        #expect(try decision(150, at: "2026-11-23T02:30:00Z", told: "2026-11-22") == .isNotDue(.seconds(5400)))
    }

    @Test("Never while no server has confirmed the time", arguments: [ClockTrust.none, .unconfirmed])
    func unknown(trust: ClockTrust) throws {
        #expect(try decision(22 * 60, at: "2026-11-22T22:00:00Z", trust) == .isUnknown)
    }
}
