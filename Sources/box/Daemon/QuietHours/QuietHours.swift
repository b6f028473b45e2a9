import SoundboxCore

/// The part of the day in which the box speaks softly.
///
///     let hours = QuietHours(start: 22 * 60, end: 7 * 60, volume: 20)
///     hours.contain(23 * 60)  // true
public struct QuietHours: Sendable, Equatable {
    /// Minutes after midnight, in local time. The end is excluded; an end before the start is on the next day.
    public var start: Int
    public var end: Int
    /// The upper limit of the volume, 0–100. A lower volume stays as it is.
    public var volume: Int

    public init(start: Int, end: Int, volume: Int) {
        self.start = start
        self.end = end
        self.volume = volume
    }

    /// - Parameter minuteOfDay: the shop's local time, 0–1439.
    public func contain(_ minuteOfDay: Int) -> Bool {
        if start <= end { return (start..<end).contains(minuteOfDay) }
        return minuteOfDay >= start || minuteOfDay < end
    }
}
