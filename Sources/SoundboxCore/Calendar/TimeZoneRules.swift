/// What the clock on the wall shows in one place, for every moment: the changes of its offset from UTC that are known,
/// and the rule for those to come.
///
/// Every moment is in seconds since 1970, UTC; every offset in seconds east of it.
public struct TimeZoneRules: Sendable, Equatable {
    /// From ``at`` on the offset counts.
    struct Change: Sendable, Equatable {
        var at: Int64
        var offset: Int64
    }

    /// What a time zone may be ahead of UTC or behind it (RFC 8536, section 3.2), and so the most that a clock jumps.
    static let offsets: ClosedRange<Int64> = -89_999...93_599

    /// Before the first change.
    let first: Int64
    /// In order, at different times.
    let changes: [Change]
    /// After the last change; `nil` leaves it at the last offset for ever.
    let rule: RecurringRule?

    public static let utc = TimeZoneRules(first: 0, changes: [], rule: nil)

    /// Seconds east of UTC.
    public func offset(at time: Timestamp) -> Int {
        Int(offset(at: time.millisecondsSince1970.quotientAndFloorRemainder(by: 1000).0))
    }

    /// Minutes since midnight on the wall, 0–1439.
    public func minuteOfDay(at time: Timestamp) -> Int {
        let second = time.millisecondsSince1970.quotientAndFloorRemainder(by: 1000).0
        return Int((second + offset(at: second)).quotientAndFloorRemainder(by: 86_400).1 / 60)
    }

    func offset(at second: Int64) -> Int64 {
        if let rule, second >= changes.last?.at ?? .min { return rule.offset(at: second) ?? lastOffset }
        // The first change that is later.
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if changes[middle].at <= second { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? first : changes[low - 1].offset
    }

    private var lastOffset: Int64 { changes.last?.offset ?? first }

    /// The first moment at which the clock on the wall shows a time or a later one.
    ///
    /// A time that a clock set forward leaves out is shown, in this sense, when the clock is set; one that it shows twice
    /// counts the first time.
    /// - Parameter wall: seconds since 1970-01-01 00:00 on the wall.
    func firstMoment(showing wall: Int64) -> Int64 {
        let (start, end) = (wall - Self.offsets.upperBound, wall - Self.offsets.lowerBound)
        var moment = start
        while true {
            let offset = offset(at: moment)
            let next = nextChange(after: moment, until: end)
            let candidate = max(moment, wall - offset)
            guard let next, candidate >= next else { return candidate }
            moment = next
        }
    }

    /// - Returns: `nil` when there is none up to and including `end`.
    private func nextChange(after second: Int64, until end: Int64) -> Int64? {
        let known = changes.first { $0.at > second }?.at
        if let known { return known <= end ? known : nil }
        return rule?.changes(around: second).first { $0.at > second && $0.at <= end }?.at
    }

    /// As RFC 3339 writes a time here: `2026-11-22T10:15:00.250+08:00`. Minutes are as fine as that gets.
    public func description(of time: Timestamp) -> String {
        let minutes = Int64(offset(at: time)).quotientAndFloorRemainder(by: 60).0
        let wall = Timestamp(millisecondsSince1970: time.millisecondsSince1970 + minutes * 60_000).description
        guard minutes != 0 else { return wall }
        let (hours, rest) = abs(minutes).quotientAndRemainder(dividingBy: 60)
        return "\(wall.dropLast())\(minutes < 0 ? "-" : "+")\(pad(hours, 2)):\(pad(rest, 2))"
    }
}
