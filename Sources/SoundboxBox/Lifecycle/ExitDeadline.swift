import Glibc
import Logging
import ServiceLifecycle
import SoundboxSystem

/// Ends the process when a box that was told to stop does not come to its end: for a box that is the whole program.
///
/// A group's own limit on cancellation would be a crash, and would take down whatever else lives in the process.
struct ExitDeadline: Service {
    /// Longer than a shutdown in good order, shorter than the service manager's timeout.
    static let timeout: UInt32 = 14

    let logger: Logger
    let hasEnded: OneTimeSignal

    func run() async {
        try? await gracefulShutdown()
        // A thread, since whatever is stuck may hold up the pool as well.
        startThread(named: "exit-deadline") { [hasEnded, logger] in
            sleep(Self.timeout)
            guard !hasEnded.hasHappened else { return }
            logger.error("not everything has come to its end in time; what is acknowledged is on the disk")
            _exit(EXIT_FAILURE)
        }
    }
}
