import SoundboxCore
import SoundboxSystem
import Synchronization

/// Decodes recordings in the background, so that a damaged one is known before it is needed.
///
///     let prover = RecordingProver()
///     if let problem = await prover.firstProblem(among: voices.unproven[...], in: voices) { print(problem) }
///
/// Runs on a thread of its own: a slow disk must not delay an announcement. The thread ends with the prover, unless the
/// disk blocks it.
public actor RecordingProver {
    private let executor = ThreadExecutor(name: "proof")
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// In nanoseconds of `Duration.monotonicNow`; 0 while nothing is read.
    private let beginning = Atomic<Int64>(0)
    private var scratch: [Float] = []

    public init() {}

    /// How long the current recording has taken so far. Any thread; never blocks.
    public nonisolated var timeInRecording: Duration {
        let began = beginning.load(ordering: .relaxed)
        return began == 0 ? .zero : .monotonicNow - .nanoseconds(began)
    }

    /// Decodes the recordings up to the first that cannot be played. Blocks the prover's thread on the disk.
    ///
    /// - Returns: the recording, and why it cannot be played; `nil` when there is none, or the task was cancelled.
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
