import Synchronization

/// Runs the jobs of one actor on one thread, in the order in which they were enqueued.
///
/// An actor that calls a blocking C library uses one of these: two blocked calls on Swift's shared pool would freeze a
/// device with two cores. The thread starts with the executor. It ends when the executor is released and its last job has
/// run.
///
/// ```swift
/// actor Card {
///     private let executor = ThreadExecutor(name: "card")
///     nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
/// }
/// ```
public final class ThreadExecutor: SerialExecutor {
    private struct Job: Sendable {
        let job: UnownedJob
        let executor: UnownedSerialExecutor
    }

    /// When the running job began, in nanoseconds of `Duration.monotonicNow`; 0 while none runs.
    private final class Beginning: Sendable { let time = Atomic<Int64>(0) }

    private let jobs = BlockingQueue<Job>()
    private let beginning = Beginning()

    /// - Parameter name: shown by `top -H` and debuggers; cut to the 15 bytes Linux keeps.
    public init(name: String) {
        startThread(named: name) { [jobs, beginning] in
            while let next = jobs.next() {
                beginning.time.store(Duration.monotonicNow.nanoseconds, ordering: .relaxed)
                next.job.runSynchronously(on: next.executor)
                beginning.time.store(0, ordering: .relaxed)
            }
        }
    }

    /// How long the running job has held the thread; zero while none runs. A job ends at each `await` that suspends, so a
    /// long time means a blocking call. Any thread.
    public var timeInJob: Duration {
        let began = beginning.time.load(ordering: .relaxed)
        return began == 0 ? .zero : .monotonicNow - .nanoseconds(began)
    }

    deinit { jobs.finish() }

    public func enqueue(_ job: consuming ExecutorJob) {
        jobs.append(Job(job: UnownedJob(job), executor: asUnownedSerialExecutor()))
    }
}
