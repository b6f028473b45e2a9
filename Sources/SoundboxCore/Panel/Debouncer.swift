/// Turns the chattering contacts of one button into presses and releases.
///
/// A level counts once it has stood still for ``period``: a shorter one is contact bounce or a spark on a long wire.
/// A state machine without a clock: levels come with the time at which they were taken on, and ``deadline`` says when
/// to look at the line again. Looking again is what makes it sound: whatever was lost on the way (the kernel keeps
/// 16 edges of a line), the level read then is the truth.
public struct Debouncer: Sendable {
    /// A level that has come to count.
    public struct Change: Sendable, Equatable {
        public var isPressed: Bool
        /// The end of the period through which the level stood still.
        public var time: Duration

        public init(isPressed: Bool, time: Duration) {
            self.isPressed = isPressed
            self.time = time
        }
    }

    /// Not negative. 20 ms outlast the bounce of the usual push-buttons (10 ms at most in their data sheets).
    public let period: Duration
    /// The level that counts.
    public private(set) var isPressed: Bool
    private var pending: (isPressed: Bool, since: Duration)?

    /// - Parameter isPressed: the level at the start. A button that is held down then is pressed already, so nothing
    ///   is reported before its release.
    public init(period: Duration, isPressed: Bool) {
        self.period = max(.zero, period)
        self.isPressed = isPressed
    }

    /// When to read the line and call ``settle(at:reading:)``; `nil` while nothing is in doubt.
    public var deadline: Duration? {
        pending.map { $0.since + period }
    }

    /// The line changed to a level at `time`.
    /// - Returns: the change that had come to count before that, if any.
    public mutating func lineChanged(toPressed level: Bool, at time: Duration) -> Change? {
        let change = settlePending(at: time)
        pending = (level, time)
        return change
    }

    /// The line was read at `now`, at or after ``deadline``.
    public mutating func settle(at now: Duration, reading level: Bool) -> Change? {
        let expected = pending?.isPressed ?? isPressed
        let change = settlePending(at: now)
        // The line contradicts its last edge: an edge was lost, or is on its way. From here on its level is on trial.
        if level != expected { pending = (level, now) }
        return change
    }

    private mutating func settlePending(at now: Duration) -> Change? {
        guard let (level, since) = pending, now >= since + period else { return nil }
        pending = nil
        guard level != isPressed else { return nil }
        isPressed = level
        return Change(isPressed: level, time: since + period)
    }
}
