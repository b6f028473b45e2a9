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
