import SoundboxCore
import SoundboxSystem

/// Which business day it is, and what it has brought so far. Any thread; blocks on the disk.
package struct ShopDay: Sendable {
    /// How many of the newest rows a spoken total is made of at most: one every three seconds, for a whole day and night.
    /// The announcer waits meanwhile, and a payment behind it.
    static let mostRows = 30_000

    let clock: BoxClock
    let history: any PaymentHistory
    /// As it is now: time zones change while the box runs. `nil` where the configured one cannot be had: nothing is counted
    /// by another. May block on the disk.
    let calendar: @Sendable () -> BusinessCalendar?

    package init(
        clock: BoxClock, history: any PaymentHistory, calendar: @escaping @Sendable () -> BusinessCalendar?
    ) {
        self.clock = clock
        self.history = history
        self.calendar = calendar
    }

    /// Minutes since midnight by the clock on the shop's wall, 0–1439; `nil` while the clock is not believed. Without a
    /// calendar the machine's zone stands in.
    var minuteOfDay: Int? {
        clock.reading.believed.map { (calendar()?.zone ?? ProcessTimeZone.clock).minuteOfDay(at: $0) }
    }

    /// `nil` while the clock is not believed, and without a calendar.
    var today: BusinessDay? {
        guard let calendar = calendar() else { return nil }
        return clock.reading.believed.map { calendar.day(at: $0) }
    }

    static let hasNoZone = "day.time_zone of the configuration cannot be used; see the warning of: soundbox status"

    /// The takings of a day, as they are said.
    /// - Parameter day: `nil` for the current one.
    func totals(of day: BusinessDay?) throws(InboxError) -> DayTotals {
        guard let day = day ?? today else {
            return .unknown(reason: calendar() == nil ? Self.hasNoZone : "the clock: \(clock.state.summary)")
        }
        var walk = TotalsWalk(HistoryFilter(from: day.start, to: day.end), now: clock.reading.believed)
        while !walk.isComplete {
            guard walk.examined < Self.mostRows else {
                return .unknown(reason: "more than \(Self.mostRows) payments since \(day.start); is the clock right?")
            }
            try walk.step(in: history)
        }
        return DayTotals(walk.totals)
    }
}
