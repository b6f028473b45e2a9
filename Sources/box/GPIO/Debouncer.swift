import SoundboxCore

/// Turns the bouncing contacts of one button into presses and releases.
///
///     var debouncer = Debouncer(period: .milliseconds(20), isPressed: false)
///     _ = debouncer.lineChanged(toPressed: true, at: .milliseconds(100))
///     debouncer.settle(at: .milliseconds(120), reading: true)  // pressed, at 120 ms
///
/// A level counts once it has been stable for ``period``. A shorter one is contact bounce, or a spark on a long wire.
///
/// This is a state machine without a clock. Every level comes with its time, and ``deadline`` says when to read the
/// line again. That second reading makes it reliable: the kernel keeps only 16 edges of a line, but the level read then
/// is right, whatever was lost before. The kernel's own debouncing stays off: libgpiod 1.x cannot ask for it, and it
/// reads no line again.
struct Debouncer: Sendable {
    /// A level that counts from now on.
    struct Change: Sendable, Equatable {
        var isPressed: Bool
        /// The end of the period during which the level was stable.
        var time: Duration
    }

    /// Not negative. The usual push-buttons bounce for 10 ms at most, by their data sheets; 20 ms is safe.
    let period: Duration
    /// The level that counts.
    private(set) var isPressed: Bool
    private var pending: (isPressed: Bool, since: Duration)?

    /// - Parameter isPressed: the level at the start. A button that is held down then counts as pressed, so nothing is
    ///   reported before its release.
    init(period: Duration, isPressed: Bool) {
        self.period = max(.zero, period)
        self.isPressed = isPressed
    }

    /// When to read the line and call ``settle(at:reading:)``; `nil` while nothing is pending.
    var deadline: Duration? {
        pending.map { $0.since + period }
    }

    /// The line changed to a level at `time`.
    /// - Returns: the change that began to count before that, if any.
    mutating func lineChanged(toPressed level: Bool, at time: Duration) -> Change? {
        let change = settlePending(at: time)
        pending = (level, time)
        return change
    }

    /// The line was read at `now`, at or after ``deadline``.
    mutating func settle(at now: Duration, reading level: Bool) -> Change? {
        let expected = pending?.isPressed ?? isPressed
        let change = settlePending(at: now)
        // The line contradicts its last edge: an edge was lost, or is on its way. The new level must be stable first.
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
