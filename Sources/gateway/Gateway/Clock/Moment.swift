import SoundboxCore
import SoundboxSystem
import Synchronization

/// A time by two clocks: the one that people read, which somebody may set, and the one that waits are measured by.
package struct Moment: Sendable, Equatable {
    package var time: Timestamp
    /// How long the gateway has run, over all its starts. It stands still while the gateway is off.
    package var running: Duration

    package init(time: Timestamp, running: Duration) { (self.time, self.running) = (time, running) }

    package static func + (moment: Moment, span: Duration) -> Moment {
        Moment(time: moment.time + span, running: moment.running + span)
    }
}

/// Tells ``Moment``s. Any thread; never blocks.
package final class GatewayClock: Sendable {
    /// What ``Duration/monotonicNow`` is to be added to, in milliseconds.
    private let offset: Atomic<Int64>

    /// - Parameter running: at this moment.
    package init(running: Duration) { offset = Atomic((running - .monotonicNow).inMilliseconds) }

    /// To the millisecond, as the database has it.
    package var now: Moment {
        let offset = Duration.milliseconds(offset.load(ordering: .relaxed))
        return Moment(time: SystemClock.now, running: .milliseconds((offset + .monotonicNow).inMilliseconds))
    }

    /// Where several gateways have one clock: what it says at this moment.
    func set(running: Duration) { offset.store((running - .monotonicNow).inMilliseconds, ordering: .relaxed) }
}
