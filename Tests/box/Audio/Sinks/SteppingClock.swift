import SoundboxSystem
import Synchronization

@testable import SoundboxAudio

/// A clock that stands still but for those who sleep on it: they find themselves at their deadline at once.
final class SteppingClock: NullClock {
    private let time = Mutex(Duration.zero)

    var now: Duration { time.withLock { $0 } }

    func sleep(until moment: Duration, _ interruption: Interruption) {
        if !interruption.isInForce { time.withLock { $0 = max($0, moment) } }
    }

    func advance(by duration: Duration) { time.withLock { $0 += duration } }
}
