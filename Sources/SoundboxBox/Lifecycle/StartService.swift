import Logging
import ServiceLifecycle
import SoundboxCore
import SoundboxSystem

/// Tells systemd and the log that the box has started and, later, that it is about to stop.
struct StartService: Service, Feature {
    let systemd: Systemd
    let logger: Logger
    let identity: StatusReporter.Identity

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
    }
}
