import SoundboxCore
import SoundboxSystem

extension Timestamp {
    /// The system's wall clock.
    package static var now: Timestamp { SystemClock.now }

    /// As the time when something is due: whatever becomes of the clock.
    static let atOnce = Timestamp(millisecondsSince1970: 0)
}
