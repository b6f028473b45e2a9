import ServiceLifecycle
import SoundboxSystem
import UnixSignals

/// SIGTERM and SIGINT, from the start of the program to its end.
///
/// A service group hears of signals only while it runs, and afterwards they are ignored. One that came while a box that
/// stands in for another is replaced would be lost, and the program would go on. So there is one of these for all groups,
/// and each of them has it as a service that ends the group.
public final class StopSignals: Service {
    private let came = OneTimeSignal()

    /// Returns when the signals are taken.
    public init() async {
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        Task { [came] in
            for await _ in signals { came.signal() }
        }
    }

    /// Any thread.
    public var haveCome: Bool { came.hasHappened }

    /// Returns when one has come, or when the group ends.
    public func run() async {
        let isOver = OneTimeSignal()
        let waiting = Task { [came] in
            await came.wait()
            isOver.signal()
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
        waiting.cancel()
    }
}
