import SoundboxCore

/// Decides when the day's takings are announced automatically: once for each business day, at a set time or shortly
/// after.
///
///     switch DayEnd(minute: 21 * 60).decision(at: clock.reading, calendar, told: lastDay) {
///     case .isDue(let day): requests.tell(day)
///     case .isNotDue(let time): wait(time)
///     case .isUnknown: break
///     }
public struct DayEnd: Sendable, Equatable {
    /// Minutes after midnight, 0–1439.
    public var minute: Int

    /// How late the announcement may come. An hour later, nobody expects it.
    public static let grace = Duration.seconds(30 * 60)

    public init(minute: Int) { self.minute = minute }

    public enum Decision: Sendable, Equatable {
        case isDue(BusinessDay)
        /// Due after this time, unless the clock is set meanwhile.
        case isNotDue(Duration)
        /// The time is not confirmed.
        case isUnknown
    }

    /// - Parameters:
    ///   - reading: only a confirmed time counts. A box that was switched off continues with its last known time, and
    ///     would announce the takings the next morning.
    ///   - told: the day that was announced last.
    public func decision(at reading: ClockReading, _ calendar: BusinessCalendar, told: CivilDate?) -> Decision {
        guard let now = reading.confirmed else { return .isUnknown }
        let day = calendar.day(at: now)
        // A day further ahead was stored by a wrong clock, and would silence all days until then.
        let isTold = told.map { day.date <= $0 && $0 <= day.date + 1 } ?? false
        if let moment = calendar.moment(minute, of: day), !isTold {
            if moment > now { return .isNotDue(moment.duration(since: now)) }
            if now.duration(since: moment) <= Self.grace { return .isDue(day) }
        }
        return .isNotDue(max(day.end.duration(since: now), .seconds(1)))
    }
}
