import Glibc
import Logging
import ServiceLifecycle
import SoundboxSystem
import Synchronization
import UnixSignals

/// SIGTERM and SIGINT, from the start of the program to its end:
///
///     let signals = await StopSignals()
///     while !signals.haveCome { _ = try await makeBox().run(endingOn: signals) }
///
/// A service group handles signals only while it runs; afterwards they are ignored. A signal between two boxes of one
/// program would be lost, and the program would go on. So one object serves all groups, and each group has it as a
/// service that ends the group.
public final class StopSignals: Service {
    private struct State {
        var haveCome = false
        /// One for each running group: one, or none between two groups.
        var waiting: [OneTimeSignal] = []
    }

    private let state = Mutex(State())

    /// Returns when the signals are trapped. Call once in a program.
    public init() async {
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        Task { [self] in
            for await _ in signals { handleSignal() }
        }
    }

    /// Any thread; never blocks.
    public var haveCome: Bool { state.withLock { $0.haveCome } }

    /// Returns after a signal, or when the group ends.
    public func run() async {
        let isOver = OneTimeSignal()
        state.withLock { state in
            if state.haveCome { isOver.signal() } else { state.waiting.append(isOver) }
        }
        await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                await isOver.wait()
            } onGracefulShutdown: {
                isOver.signal()
            }
        } onCancel: {
            isOver.signal()
        }
        state.withLock { state in state.waiting.removeAll { $0 === isOver } }
    }

    private func handleSignal() {
        let waiting = state.withLock { state in
            state.haveCome = true
            return state.waiting
        }
        for isOver in waiting { isOver.signal() }
    }
}

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
