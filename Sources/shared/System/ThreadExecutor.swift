import Synchronization

/// Runs the jobs of one actor on one thread, in the order in which they were enqueued.
///
///     actor Card {
///         private let executor = ThreadExecutor(name: "card")
///         nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
///     }
///
/// An actor that calls a blocking C library uses one of these: two blocked calls on Swift's shared pool would freeze a
/// device with two cores. The thread starts with the executor. It ends when the executor is released and its last job
/// has run.
///
/// A task of the actor should also prefer the executor, by `Task(executorPreference:)`: then its nonisolated parts run
/// on this thread too. Otherwise each continuation that resumes it, and with it each `AsyncStream`, first wakes a
/// thread of Swift's pool, which then wakes this one.
public final class ThreadExecutor: SerialExecutor, TaskExecutor {
    private struct Job: Sendable {
        let job: UnownedJob
        /// Kept alive until the job has run.
        let executor: ThreadExecutor
    }

    /// When the running job began, in nanoseconds of `Duration.monotonicNow`; 0 while none runs.
    private final class Beginning: Sendable { let time = Atomic<Int64>(0) }

    private let jobs = BlockingQueue<Job>()
    private let beginning = Beginning()

    /// - Parameter name: shown by `top -H` and debuggers; cut to the 15 bytes Linux keeps.
    public convenience init(name: String) { self.init(name: name, every: nil) {} }

    /// - Parameters:
    ///   - name: shown by `top -H` and debuggers; cut to the 15 bytes Linux keeps.
    ///   - interval: how often the thread calls `tick`, at most one job late; `nil` for never. A timer would wake two
    ///     other threads before this one.
    ///   - tick: called on the thread, between jobs.
    public init(name: String, every interval: Duration?, tick: @escaping @Sendable () -> Void) {
        startThread(named: name) { [jobs, beginning] in
            var due = interval.map { .monotonicNow + $0 }
            while true {
                switch jobs.next(until: due) {
                case .element(let next):
                    beginning.time.store(Duration.monotonicNow.nanoseconds, ordering: .relaxed)
                    next.job.runSynchronously(
                        isolatedTo: next.executor.asUnownedSerialExecutor(),
                        taskExecutor: next.executor.asUnownedTaskExecutor())
                    beginning.time.store(0, ordering: .relaxed)
                case .timedOut: break
                case .finished: return
                }
                guard let interval, let time = due, .monotonicNow >= time else { continue }
                tick()
                due = .monotonicNow + interval
            }
        }
    }

    /// How long the running job has held the thread; zero while none runs. A job ends at each `await` that suspends, so
    /// a long time means a blocking call. Any thread; never blocks.
    public var timeInJob: Duration {
        let began = beginning.time.load(ordering: .relaxed)
        return began == 0 ? .zero : .monotonicNow - .nanoseconds(began)
    }

    deinit { jobs.finish() }

    public func enqueue(_ job: consuming ExecutorJob) {
        jobs.append(Job(job: UnownedJob(job), executor: self))
    }
}
