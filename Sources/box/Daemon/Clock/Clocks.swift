import SoundboxCore
import SoundboxSystem

extension Timestamp {
    /// The system's wall clock.
    package static var now: Timestamp { SystemClock.now }
}
