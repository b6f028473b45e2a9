import SoundboxCore

/// Decides when the day's takings are told by themselves: once for each business day, at a set time, and not much later.
public struct DayEnd: Sendable, Equatable {
    /// Minutes after midnight, 0–1439.
    public var minute: Int

    /// Somebody who comes to the shop an hour later does not expect it any more.
    public static let grace = Duration.seconds(30 * 60)

    public init(minute: Int) { self.minute = minute }

    public enum Decision: Sendable, Equatable {
        case isDue(BusinessDay)
        /// So long, unless the clock is set meanwhile.
        case isNotDue(Duration)
        /// Nobody knows what time it is.
        case isUnknown
    }

    /// - Parameters:
    ///   - reading: a time that no server has confirmed does not count. A box that was switched off goes on with the
    ///     time that it last knew, and would tell the day's takings the next morning.
    ///   - told: the day that was told last.
    public func decision(at reading: ClockReading, _ calendar: BusinessCalendar, told: CivilDate?) -> Decision {
        guard let now = reading.confirmed else { return .isUnknown }
        let day = calendar.day(at: now)
        // A day further ahead was told by a clock that a server had set wrong, and would silence all days until then.
        let isTold = told.map { day.date <= $0 && $0 <= day.date + 1 } ?? false
        if let moment = calendar.moment(minute, of: day), !isTold {
            if moment > now { return .isNotDue(moment.duration(since: now)) }
            if now.duration(since: moment) <= Self.grace { return .isDue(day) }
        }
        return .isNotDue(max(day.end.duration(since: now), .seconds(1)))
    }
}
