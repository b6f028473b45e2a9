/// The part of the day in which the box speaks softly.
public struct QuietHours: Sendable, Equatable {
    /// Minutes since midnight, in local time. The end is no longer quiet; an end before the start lies on the next day.
    public var start: Int
    public var end: Int
    /// The most that the volume counts for, 0–100. A box that is set to less stays at less.
    public var volume: Int

    public init(start: Int, end: Int, volume: Int) {
        self.start = start
        self.end = end
        self.volume = volume
    }

    /// - Parameter minuteOfDay: of the shop, 0–1439.
    public func contain(_ minuteOfDay: Int) -> Bool {
        if start <= end { return (start..<end).contains(minuteOfDay) }
        return minuteOfDay >= start || minuteOfDay < end
    }
}
