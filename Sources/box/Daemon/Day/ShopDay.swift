import Logging
import SoundboxCore
import SoundboxSystem
import Synchronization

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

/// The time zone of the business day. If the machine does not have it, there are no totals, but payments work; it is
/// searched again until it is there, for example after an installation of tzdata. Any thread; blocks on the disk.
final class DayZone: Sendable {
    private let name: String?
    private let configurationFile: String
    private let state: BoxState
    private let logger: Logger
    private let isFound = Mutex(false)

    /// - Parameter name: `nil` for the machine's zone.
    init(_ name: String?, configurationFile: String, state: BoxState, logger: Logger) {
        self.name = name
        self.configurationFile = configurationFile
        self.state = state
        self.logger = logger
    }

    /// `nil` if there is no such zone; ``ProcessTimeZone`` then uses the machine's.
    var clock: LocalTime? {
        if name != nil, isFound.withLock({ $0 }) { return ProcessTimeZone.clock }
        do throws(TimeZoneError) {
            try ProcessTimeZone.use(name)
            isFound.withLock { $0 = true }
            state.update { $0.timeZoneWarning = nil }
            return ProcessTimeZone.clock
        } catch {
            let warning = "\(configurationFile): day.time_zone: \(error); no day's totals until it is there"
            if state.snapshot.timeZoneWarning != warning { logger.warning("\(warning)") }
            state.update { $0.timeZoneWarning = warning }
            try? ProcessTimeZone.use(nil)
            return nil
        }
    }
}

/// Counts a range of the history from its newest row back, in bounded steps:
///
///     var walk = TotalsWalk(HistoryFilter(from: day.start, to: day.end), now: clock.reading.believed)
///     while !walk.isComplete { try walk.step(in: history) }
///     return walk.totals
struct TotalsWalk: Sendable {
    /// How many rows one step reads.
    static let pageRows = 500

    /// The range starts here, this time included; `nil` for no bound.
    let from: Timestamp?
    /// The range ends before this time; `nil` for no bound.
    let to: Timestamp?
    private(set) var totals = Totals()
    /// The next step reads rows before this sequence; `nil` for the newest row at the start, and at the end.
    private(set) var next: Int64?
    /// No earlier row is in the range.
    private(set) var isComplete = false
    private(set) var examined = 0
    private let filter: HistoryFilter
    private let now: Timestamp?

    /// - Parameters:
    ///   - filter: its times are the range; rows that it leaves out are not counted.
    ///   - now: no row counts as later than this, whatever its time says; `nil` while the clock is not believed.
    ///   - sequence: count rows before this one; `nil` for all.
    init(_ filter: HistoryFilter, now: Timestamp?, before sequence: Int64? = nil) {
        self.now = now
        from = filter.from
        to = filter.to
        var filter = filter
        // Rows outside the range help to place rows without a time.
        (filter.from, filter.to) = (nil, nil)
        self.filter = filter
        next = sequence
    }

    /// Reads the next ``pageRows`` rows. Blocks on the disk.
    mutating func step(in history: some PaymentHistory) throws(InboxError) {
        guard !isComplete else { return }
        let page = try history.history(filter, before: next, limit: Self.pageRows)
        totals.add(earlier: page, from: from, to: to, now: now)
        next = page.next
        examined += page.examined
        isComplete = page.next == nil || Self.isBehind(page, from: from)
    }

    /// Whether a page lies before the range. Rows are in the order of arrival, whatever the clock showed. A whole page
    /// from before the range shows that the clock was not only briefly wrong.
    static func isBehind(_ page: HistoryPage, from: Timestamp?) -> Bool {
        guard let from, let latest = page.latest, page.examined >= pageRows else { return false }
        return latest < from
    }
}
