import Glibc
import Logging
import ServiceLifecycle
import SoundboxSystem

/// Ends the process if a stopping box does not end in time. Only for a box that is the whole program.
///
/// The limit of a service group would crash instead, and end everything else in the process.
struct ExitDeadline: Service {
    /// In seconds. Longer than a normal shutdown, shorter than the service manager's timeout.
    static let timeout: UInt32 = 14

    let logger: Logger
    let hasEnded: OneTimeSignal

    func run() async {
        try? await gracefulShutdown()
        // A thread, because a stuck service may also block the shared pool.
        startThread(named: "exit-deadline") { [hasEnded, logger] in
            sleep(Self.timeout)
            guard !hasEnded.hasHappened else { return }
            logger.error("not everything has come to its end in time; what is acknowledged is on the disk")
            _exit(EXIT_FAILURE)
        }
    }
}
