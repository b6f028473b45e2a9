import SoundboxCore
import SoundboxSystem
import Synchronization

/// Decodes recordings that nobody has asked for yet, so that a damaged one is known before it is needed.
///
/// On a thread of its own: a disk that is slow, or does not answer, must not keep anybody waiting who has something to
/// say. The thread ends with the prover, unless the disk holds it.
public actor RecordingProver {
    private let executor = ThreadExecutor(name: "proof")
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// In nanoseconds of `Duration.monotonicNow`; 0 while nothing is read.
    private let beginning = Atomic<Int64>(0)
    private var scratch: [Float] = []

    public init() {}

    /// How long the recording that is read now has taken so far. Any thread.
    public nonisolated var timeInRecording: Duration {
        let began = beginning.load(ordering: .relaxed)
        return began == 0 ? .zero : .monotonicNow - .nanoseconds(began)
    }

    /// Goes through the recordings up to the first that cannot be played. Blocks this thread on the disk.
    ///
    /// - Returns: which one that is, and why; `nil` when there is none, or the task was cancelled.
    public func firstProblem(
        among parts: ArraySlice<Voice.Part>, in voices: Voices
    ) -> (index: Int, error: RecordingError)? {
        defer { beginning.store(0, ordering: .relaxed) }
        for index in parts.indices {
            if Task.isCancelled { return nil }
            beginning.store(Duration.monotonicNow.nanoseconds, ordering: .relaxed)
            if let problem = voices.problem(with: parts[index], in: &scratch) { return (index, problem) }
        }
        return nil
    }
}
