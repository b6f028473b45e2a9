import Glibc
import SoundboxCore
import SoundboxSystem
import Synchronization

/// Waits for all buttons of a panel at once, on the thread that calls ``run()``.
final class ButtonWatch: Sendable {
    private struct Watched {
        let button: Button
        let line: RequestedLine
        let descriptor: Int32
        var debouncer: Debouncer

        init(_ button: Button, line: RequestedLine, debounce: Duration) throws(PanelError) {
            self.button = button
            self.line = line
            descriptor = try line.descriptor()
            // The line reports edges already, so none is lost between this level and the first edge.
            debouncer = Debouncer(period: debounce, isPressed: try line.isActive())
        }
    }

    /// Taken out by ``run()``, so that the lines are released when it returns.
    private let buttons: Mutex<[Watched]>
    private let stop: WakeUp
    private let report: @Sendable (ButtonEdge) -> Void

    /// - Parameter report: called with every press and release that outlasts the button's debounce time, on the watch's
    ///   thread. Times are CLOCK_MONOTONIC.
    init(
        _ lines: [(button: Button, line: RequestedLine, debounce: Duration)], until stop: WakeUp,
        report: @escaping @Sendable (ButtonEdge) -> Void
    ) throws(PanelError) {
        var buttons: [Watched] = []
        for (button, line, debounce) in lines {
            buttons.append(try Watched(button, line: line, debounce: debounce))
        }
        self.buttons = Mutex(buttons)
        self.stop = stop
        self.report = report
    }

    /// Returns when stopped, or throws when a line can no longer be read. Blocks in between. Call it once.
    func run() throws(PanelError) {
        var buttons = buttons.withLock { held in
            defer { held = [] }
            return held
        }
        while true {
            var polled = buttons.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
            polled.append(pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0))
            let deadline = buttons.compactMap(\.debouncer.deadline).min()
            let timeout = deadline.map { ($0 - .monotonicNow).pollMilliseconds } ?? -1
            if poll(&polled, nfds_t(polled.count), timeout) < 0 {
                if errno == EINTR { continue }
                throw .lineFailed(name: "buttons", reason: SystemError.last.description)
            }
            if polled[buttons.count].revents != 0 { return }
            var edges: [ButtonEdge] = []
            for index in buttons.indices {
                edges += try Self.changes(of: &buttons[index], events: polled[index].revents)
            }
            edges.sort { $0.time < $1.time }
            edges.forEach(report)
        }
    }

    /// The presses and releases of one line since the last call.
    private static func changes(of watched: inout Watched, events: Int16) throws(PanelError) -> [ButtonEdge] {
        var changes: [Debouncer.Change?] = []
        if events & Int16(POLLIN) != 0 {
            let edges = try watched.line.readEdges()
            let now = Duration.monotonicNow
            for edge in edges {
                // Kernels before 5.7 stamp edges by the wall clock, which is far ahead. Then the time of reading
                // counts.
                changes.append(watched.debouncer.lineChanged(toPressed: edge.isActive, at: min(edge.time, now)))
            }
        } else if events != 0 {
            throw .lineFailed(name: watched.line.name, reason: "its GPIO chip is gone")
        } else if let deadline = watched.debouncer.deadline, deadline <= .monotonicNow {
            let isPressed = try watched.line.isActive()
            changes.append(watched.debouncer.settle(at: .monotonicNow, reading: isPressed))
        }
        return changes.compactMap { $0 }.map {
            ButtonEdge(button: watched.button, isPressed: $0.isPressed, time: $0.time)
        }
    }
}

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
