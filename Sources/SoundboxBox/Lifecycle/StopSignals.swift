import ServiceLifecycle
import SoundboxSystem
import Synchronization
import UnixSignals

/// SIGTERM and SIGINT, from the start of the program to its end.
///
/// A service group hears of signals only while it runs, and afterwards they are ignored. One that came while a box that
/// stands in for another is replaced would be lost, and the program would go on. So there is one of these for all groups,
/// and each of them has it as a service that ends the group.
public final class StopSignals: Service {
    private struct State {
        var haveCome = false
        /// Of the groups that run: one, or none between two of them.
        var waiting: [OneTimeSignal] = []
    }

    private let state = Mutex(State())

    /// Returns when the signals are taken. Once in a program.
    public init() async {
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        Task { [self] in
            for await _ in signals { note() }
        }
    }

    /// Any thread.
    public var haveCome: Bool { state.withLock { $0.haveCome } }

    /// Returns when one has come, or when the group ends.
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

    private func note() {
        let waiting = state.withLock { state in
            state.haveCome = true
            return state.waiting
        }
        for isOver in waiting { isOver.signal() }
    }
}
