import ServiceLifecycle
import SoundboxSystem

/// Notifies systemd's watchdog while the threads that take and speak payments make progress.
struct WatchdogService: Service, Feature {
    let systemd: Systemd
    /// How long each of these threads has been busy with its current call.
    let stillness: @Sendable () -> [Duration]

    /// How long a commit may wait for a slow memory card before the box counts as stuck.
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
