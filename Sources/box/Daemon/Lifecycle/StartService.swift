import Logging
import ServiceLifecycle
import SoundboxCore
import SoundboxSystem

/// Reports the start of the box to systemd and the log, and later its stop.
struct StartService: Service, Feature {
    let systemd: Systemd
    let logger: Logger
    let identity: StatusReporter.Identity

    func run() async {
        // Release memory that only the start needed.
        Heap.trim()
        ProgramCode.release()
        systemd.ready()
        logger.info(
            "started",
            metadata: [
                "version": "\(SoundboxVersion.current)", "device": "\(identity.deviceID)",
                "broker": "\(identity.broker)", "voice": "\(identity.voice)", "audio": "\(identity.audioDevice)",
            ])
        try? await gracefulShutdown()
        systemd.stopping()
        logger.info("stopping: finishing what is being announced")
    }
}

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

/// Detects that new software is being installed: the package keeps a mark in a folder of root meanwhile.
struct UpdateWatch {
    /// Path of the mark; it is never opened.
    let mark: String
    let state: BoxState

    /// The mark is on a file system in memory, so this is cheap.
    func checkMark() { state.update { $0.isUpdating = SmallFile.exists(mark) } }
}
