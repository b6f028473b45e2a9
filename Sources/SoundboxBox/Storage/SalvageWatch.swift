import SoundboxSystem
import Synchronization

/// Knows when a salvage of a damaged database last read a page. Payments and the announcer wait for it: as long as it
/// goes on, neither is stuck, and a restart would begin it again. One that stands still counts like any other call
/// that blocks.
package final class SalvageWatch: Sendable {
    /// Nanoseconds of `Duration.monotonicNow`; 0 before the first page.
    private let lastPage = Atomic<Int64>(0)
    private let lastWord = Atomic<Int64>(0)
    private let systemd: Systemd

    package init(systemd: Systemd) { self.systemd = systemd }

    /// Asks the service manager for more time, at most once a second: until the box is ready, its start has a time
    /// limit. Any thread; does not block.
    package func goesOn() {
        let now = Duration.monotonicNow.nanoseconds
        lastPage.store(now, ordering: .relaxed)
        guard now - lastWord.load(ordering: .relaxed) > 1_000_000_000 else { return }
        lastWord.store(now, ordering: .relaxed)
        systemd.extendTimeout(WatchdogService.timeout)
    }

    /// How long a thread has been stuck that may be waiting for the salvage.
    package func stillness(_ thread: Duration) -> Duration {
        let last = lastPage.load(ordering: .relaxed)
        return last == 0 ? thread : min(thread, .monotonicNow - .nanoseconds(last))
    }
}
