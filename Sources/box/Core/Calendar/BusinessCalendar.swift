/// A shop's day: the takings from one cut-over to the next.
public struct BusinessDay: Sendable, Hashable {
    /// The date on which it begins.
    public var date: CivilDate
    public var start: Timestamp
    /// The next day begins here. The same as ``start`` if the time zone has skipped a date.
    public var end: Timestamp

    public init(date: CivilDate, start: Timestamp, end: Timestamp) {
        self.date = date
        self.start = start
        self.end = end
    }
}

/// Divides time into business days, without a gap and without an overlap, whatever happens to local time.
///
///     let calendar = BusinessCalendar(zone: zone, cutOver: 4 * 60)
///     let day = calendar.day(at: now)
///     print(day.date, day.start, day.end)
///
/// A day begins at the first moment at which local time is the cut-over or later. So the day is an hour shorter or
/// longer when the clock changes. A cut-over that the change skips is at the moment of the change; of one that occurs
/// twice the first counts. For times of the years 0 to 9999.
public struct BusinessCalendar: Sendable {
    public var zone: LocalTime
    /// Minutes after midnight, 0–1439.
    public var cutOver: Int

    public init(zone: LocalTime = .utc, cutOver: Int = 0) {
        self.zone = zone
        self.cutOver = cutOver
    }

    /// In the configuration's form: `04:00`.
    public var cutOverText: String { "\(pad(Int64(cutOver / 60), 2)):\(pad(Int64(cutOver % 60), 2))" }

    /// The day that the moment belongs to.
    public func day(at time: Timestamp) -> BusinessDay {
        let second = time.millisecondsSince1970.quotientAndFloorRemainder(by: 1000).0
        let wall = second + zone.offset(at: time) - Int64(cutOver) * 60
        // A clock that was set back shows a day that has ended already, by a day and a few hours at most.
        var date = CivilDate(daysSince1970: wall.quotientAndFloorRemainder(by: 86_400).0 + 3)
        while start(of: date) > second { date = date - 1 }
        return day(of: date)
    }

    public func day(of date: CivilDate) -> BusinessDay {
        BusinessDay(
            date: date, start: Timestamp(millisecondsSince1970: start(of: date) * 1000),
            end: Timestamp(millisecondsSince1970: start(of: date + 1) * 1000))
    }

    /// The first moment of a business day at which local time is `minute`.
    /// - Parameter minute: after midnight, 0–1439; before the cut-over it is on the next date.
    /// - Returns: `nil` if the day has no such moment.
    public func moment(_ minute: Int, of day: BusinessDay) -> Timestamp? {
        let date = minute < cutOver ? day.date + 1 : day.date
        let moment = zone.firstMoment(showing: date.daysSince1970 * 86_400 + Int64(minute) * 60)
        let time = Timestamp(millisecondsSince1970: moment * 1000)
        return day.start <= time && time < day.end ? time : nil
    }

    private func start(of date: CivilDate) -> Int64 {
        zone.firstMoment(showing: date.daysSince1970 * 86_400 + Int64(cutOver) * 60)
    }
}

/// Local time in one place, from the offsets of a time zone library.
///
///     let shanghai = LocalTime { _ in 28_800 }
///     shanghai.minuteOfDay(at: Timestamp(rfc3339: "2026-11-26T16:00:00Z")!)  // 0
public struct LocalTime: Sendable {
    /// Seconds east of UTC at a moment in seconds since 1970.
    private let offset: @Sendable (Int64) -> Int64

    /// - Parameter offset: seconds east of UTC, less than a day, at a moment in seconds since 1970. It changes at most
    ///   once within 48 hours: in the time zone database no two changes are closer than 95 hours, and since 1970 none
    ///   closer than a week. Any thread.
    public init(offset: @escaping @Sendable (Int64) -> Int64) { self.offset = offset }

    public static let utc = LocalTime { _ in 0 }

    /// Seconds east of UTC.
    public func offset(at time: Timestamp) -> Int64 {
        offset(time.millisecondsSince1970.quotientAndFloorRemainder(by: 1000).0)
    }

    /// Minutes after midnight, 0–1439.
    public func minuteOfDay(at time: Timestamp) -> Int {
        let second = time.millisecondsSince1970.quotientAndFloorRemainder(by: 1000).0
        return Int((second + offset(second)).quotientAndFloorRemainder(by: 86_400).1 / 60)
    }

    /// The first moment at which local time is `wall` or later, in seconds since 1970.
    ///
    /// A local time that is skipped when the clock is set forward is at the moment of that change. One that occurs
    /// twice counts the first time. `mktime` promises neither.
    /// - Parameter wall: local time, in seconds since 1970-01-01 00:00.
    func firstMoment(showing wall: Int64) -> Int64 {
        var (low, high) = (wall - 86_400, wall + 86_400)
        let (before, after) = (offset(low), offset(high))
        guard before != after else { return wall - before }
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if offset(middle) == before { low = middle } else { high = middle }
        }
        return wall - before < high ? wall - before : max(high, wall - after)
    }

    /// In RFC 3339: `2026-11-22T10:15:00.250+08:00`. The offset is cut to whole minutes.
    public func description(of time: Timestamp) -> String {
        let minutes = offset(at: time).quotientAndFloorRemainder(by: 60).0
        let wall = Timestamp(millisecondsSince1970: time.millisecondsSince1970 + minutes * 60_000).description
        guard minutes != 0 else { return wall }
        let (hours, rest) = abs(minutes).quotientAndRemainder(dividingBy: 60)
        return "\(wall.dropLast())\(minutes < 0 ? "-" : "+")\(pad(hours, 2)):\(pad(rest, 2))"
    }
}
