import SoundboxCore
import SoundboxSystem

/// The current business day and its takings. Any thread; blocks on the disk.
package struct ShopDay: Sendable {
    /// The most rows of a spoken total: about one every three seconds for 24 hours. The announcer, and a payment behind
    /// it, waits while they are read.
    static let mostRows = 30_000

    let clock: BoxClock
    let history: any PaymentHistory
    /// The current calendar: time zones can change while the box runs. `nil` if the configured zone cannot be used;
    /// another zone would count wrong days. May block on the disk.
    let calendar: @Sendable () -> BusinessCalendar?

    package init(
        clock: BoxClock, history: any PaymentHistory, calendar: @escaping @Sendable () -> BusinessCalendar?
    ) {
        self.clock = clock
        self.history = history
        self.calendar = calendar
    }

    init(in box: BoxContext) {
        let settings = box.settings.day
        let zone = DayZone(
            settings.timeZone, configurationFile: box.configurationFile, state: box.state, logger: box.logger)
        // Report a missing time zone now, and not only at the first request for totals.
        _ = zone.clock
        self.init(clock: box.clock, history: box.inbox) {
            zone.clock.map { BusinessCalendar(zone: $0, cutOver: settings.cutOver) }
        }
    }

    /// Minutes since local midnight, 0–1439; `nil` while the clock is not believed. Without a calendar, in the
    /// machine's time zone.
    var minuteOfDay: Int? {
        clock.reading.believed.map { (calendar()?.zone ?? ProcessTimeZone.clock).minuteOfDay(at: $0) }
    }

    /// `nil` while the clock is not believed, or without a calendar.
    var today: BusinessDay? {
        guard let calendar = calendar() else { return nil }
        return clock.reading.believed.map { calendar.day(at: $0) }
    }

    static let hasNoZone = "day.time_zone of the configuration cannot be used; see the warning of: soundbox status"

    /// The takings of a day, as they are spoken.
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
