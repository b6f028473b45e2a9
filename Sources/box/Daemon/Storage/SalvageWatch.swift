import SoundboxSystem
import Synchronization

/// Knows when a salvage of a damaged database last read a page. Payments and the announcer wait for a salvage. While it
/// makes progress, they do not count as stuck, because a restart would begin it again. A salvage without progress
/// counts like any other call that blocks.
package final class SalvageWatch: Sendable {
    /// Nanoseconds of `Duration.monotonicNow`; 0 before the first page.
    private let lastPage = Atomic<Int64>(0)
    private let lastWord = Atomic<Int64>(0)
    private let systemd: Systemd

    package init(systemd: Systemd) { self.systemd = systemd }

    /// Call for each page. Asks the service manager for more time, at most once a second, because the start of a
    /// service has a timeout. Any thread; never blocks.
    package func goesOn() {
        let now = Duration.monotonicNow.nanoseconds
        lastPage.store(now, ordering: .relaxed)
        guard now - lastWord.load(ordering: .relaxed) > 1_000_000_000 else { return }
        lastWord.store(now, ordering: .relaxed)
        systemd.extendTimeout(WatchdogService.timeout)
    }

    /// How long a thread that may wait for the salvage has been stuck.
    /// - Parameter thread: how long it has been busy with its current call.
    package func stillness(_ thread: Duration) -> Duration {
        let last = lastPage.load(ordering: .relaxed)
        return last == 0 ? thread : min(thread, .monotonicNow - .nanoseconds(last))
    }
}
