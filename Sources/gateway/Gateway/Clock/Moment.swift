import SoundboxCore
import SoundboxSystem

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
package struct GatewayClock: Sendable {
    /// What ``Duration/monotonicNow`` is to be added to.
    private let offset: Duration

    /// - Parameter running: at this moment.
    package init(running: Duration) { offset = running - .monotonicNow }

    /// To the millisecond, as the file has it.
    package var now: Moment {
        Moment(time: SystemClock.now, running: .milliseconds((offset + .monotonicNow).milliseconds))
    }
}

extension Duration {
    var milliseconds: Int64 { Int64(self / .milliseconds(1)) }
}
