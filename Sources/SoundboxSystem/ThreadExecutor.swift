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

    private let jobs = BlockingQueue<Job>()

    /// - Parameter name: shown by `top -H` and debuggers; cut to the 15 bytes Linux keeps.
    public init(name: String) {
        startThread(named: name) { [jobs] in
            while let next = jobs.next() {
                next.job.runSynchronously(on: next.executor)
            }
        }
    }

    deinit { jobs.finish() }

    public func enqueue(_ job: consuming ExecutorJob) {
        jobs.append(Job(job: UnownedJob(job), executor: asUnownedSerialExecutor()))
    }
}
