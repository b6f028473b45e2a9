import SoundboxCore

/// Which business day it is, and what it has brought so far. Any thread; blocks on the disk.
package struct ShopDay: Sendable {
    /// How many of the newest rows a spoken total is made of at most: one every three seconds, for a whole day and night.
    /// The announcer waits meanwhile, and a payment behind it.
    static let mostRows = 30_000

    let clock: BoxClock
    let history: any PaymentHistory
    /// As it is now: time zones change while the box runs. May block on the disk.
    let calendar: @Sendable () -> BusinessCalendar

    package init(
        clock: BoxClock, history: any PaymentHistory, calendar: @escaping @Sendable () -> BusinessCalendar
    ) {
        self.clock = clock
        self.history = history
        self.calendar = calendar
    }

    /// `nil` while the clock is not believed.
    var today: BusinessDay? { clock.reading.believed.map { calendar().day(at: $0) } }

    /// The takings of the current day, as they are said.
    func totals() throws(InboxError) -> DayTotals {
        guard let today else { return .unknown(reason: "the clock: \(clock.state.summary)") }
        var walk = TotalsWalk(HistoryFilter(from: today.start, to: today.end))
        while !walk.isComplete {
            guard walk.examined < Self.mostRows else {
                return .unknown(reason: "more than \(Self.mostRows) payments since \(today.start); is the clock right?")
            }
            try walk.step(in: history)
        }
        return DayTotals(walk.totals)
    }
}
