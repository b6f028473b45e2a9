import Glibc
import SoundboxSystem
import Testing

@Suite("How urgent a thread is", .serialized, .timeLimit(.minutes(10)))
struct ThreadSchedulingTests {
    /// Runs on an urgent thread, and waits for it.
    private func onUrgentThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            startThread(named: "urgent", isUrgent: true) { continuation.resume(returning: body()) }
        }
    }

    @Test("A thread is ordinary unless it asks for more")
    func ordinary() async throws {
        let scheduling = try await onOwnThread(named: "ordinary") { ThreadScheduling.current }
        #expect(
            scheduling == .ordinary(nice: Int(getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(getpid())))))
    }

    @Test(
        "A thread has the program's nice value, and not that of the worker which starts it",
        .enabled(if: ThreadScheduling.canBeRealTime))
    func niceOfProgram() async throws {
        let (worker, child) = try await onOwnThread(named: "worker") {
            setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 7)
            let answer = BlockingQueue<ThreadScheduling>()
            startThread(named: "child") { answer.append(.current) }
            return (ThreadScheduling.current, answer.next())
        }
        #expect(worker == .ordinary(nice: 7))
        let program = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(getpid()))
        #expect(child == .ordinary(nice: Int(program)))
    }

    @Test(
        "One that does runs in real time where the process may, and what it starts does not",
        .enabled(if: ThreadScheduling.canBeRealTime))
    func realTime() async {
        let (own, child) = await onUrgentThread {
            let answer = BlockingQueue<ThreadScheduling>()
            startThread(named: "child") { answer.append(.current) }
            return (ThreadScheduling.current, answer.next())
        }
        #expect(own == .realTime(priority: 10))
        guard case .ordinary = child else {
            Issue.record("\(String(describing: child))")
            return
        }
    }

    @Test("One that is made ordinary is, whatever it does meanwhile", .enabled(if: ThreadScheduling.canBeRealTime))
    func madeOrdinary() async {
        let scheduling = await onUrgentThread {
            let thread = ThreadScheduling.currentThread
            let isDone = BlockingQueue<Never>()
            startThread(named: "other") {
                ThreadScheduling.makeOrdinary(thread)
                isDone.finish()
            }
            _ = isDone.next()
            return ThreadScheduling.current
        }
        #expect(scheduling == .ordinary(nice: 0))
    }

    @Test(
        "One that computes for longer than RLIMIT_RTTIME goes on as an ordinary one, and the limit stays as it was",
        .enabled(if: ThreadScheduling.canBeRealTime))
    func spinning() async throws {
        var before = rlimit()
        try #require(getrlimit(Self.realTimeLimit, &before) == 0)
        var short = rlimit(rlim_cur: 50_000, rlim_max: before.rlim_max)
        try #require(setrlimit(Self.realTimeLimit, &short) == 0)
        defer { setrlimit(Self.realTimeLimit, &before) }
        let (first, last) = await onUrgentThread {
            let first = ThreadScheduling.current
            // Waits for nothing, so that the time counts.
            while case .realTime = ThreadScheduling.current {}
            return (first, ThreadScheduling.current)
        }
        #expect(first == .realTime(priority: 10))
        guard case .ordinary = last else {
            Issue.record("\(last)")
            return
        }
        var after = rlimit()
        try #require(getrlimit(Self.realTimeLimit, &after) == 0)
        // The kernel adds a second to it each time that it sends the signal.
        #expect(after.rlim_cur == 50_000)
    }

    private static var realTimeLimit: __rlimit_resource_t { __rlimit_resource_t(15) }
}
