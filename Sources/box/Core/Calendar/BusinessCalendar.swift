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
