import Synchronization

/// Runs the jobs of one actor on one thread of its own, in the order in which they were enqueued.
///
/// An actor whose methods call a C library that blocks pins itself to one of these: two blocked calls on Swift's
/// shared pool would freeze a two-core device. The thread starts with the executor and ends when the executor is
/// released and its last job has run.
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

    /// When the job that runs now began, in nanoseconds of `Duration.monotonicNow`; 0 while none does.
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

    /// How long the job that runs now has held the thread; zero while none does. A job ends at each `await` that
    /// suspends, so that a long time means a call that blocks. Any thread.
    public var timeInJob: Duration {
        let began = beginning.time.load(ordering: .relaxed)
        return began == 0 ? .zero : .monotonicNow - .nanoseconds(began)
    }

    deinit { jobs.finish() }

    public func enqueue(_ job: consuming ExecutorJob) {
        jobs.append(Job(job: UnownedJob(job), executor: asUnownedSerialExecutor()))
    }
}
