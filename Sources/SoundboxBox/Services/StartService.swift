import Glibc
import Logging
import ServiceLifecycle
import SoundboxCore
import SoundboxSystem

/// Tells systemd and the log that the box has started and, later, that it is about to stop.
struct StartService: Service {
    /// The group's own end would be a crash, a second later.
    static let lastResort: UInt32 = 14

    let systemd: Systemd
    let logger: Logger
    let identity: StatusReporter.Identity
    let hasEnded: OneTimeSignal

    func run() async {
        // What only the start needed.
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
        // A thread, since whatever is stuck may hold up the pool as well.
        startThread(named: "last-resort") { [hasEnded, logger] in
            sleep(Self.lastResort)
            guard !hasEnded.hasHappened else { return }
            logger.error("not everything has come to its end in time; what is acknowledged is on the disk")
            _exit(EXIT_FAILURE)
        }
    }
}
