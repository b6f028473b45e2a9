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
