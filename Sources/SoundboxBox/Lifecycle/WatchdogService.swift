import ServiceLifecycle
import SoundboxSystem

/// Tells systemd's watchdog that the box is alive, as long as the threads that take and speak payments make progress.
struct WatchdogService: Service, Feature {
    let systemd: Systemd
    /// How long each of those threads has been stuck in what it does.
    let stillness: @Sendable () -> [Duration]

    /// A commit may wait this long for a slow card before the box counts as stuck.
    static let timeout = Duration.seconds(30)

    func run() async {
        guard let interval = systemd.watchdogInterval else {
            try? await gracefulShutdown()
            return
        }
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            if stillness().allSatisfy({ $0 < Self.timeout }) { systemd.watchdog() }
            // Twice per interval, as sd_watchdog_enabled(3) advises.
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: interval / 2) }
        }
    }
}
