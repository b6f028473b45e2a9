import CLinux
import Glibc
import Synchronization

/// Runs `body` on a new detached thread. The thread ends when `body` returns.
///
///     startThread(named: "logger") { while let line = lines.next() { print(line) } }
///
/// SIGPIPE is blocked on it, and on threads that it starts. Libraries such as OpenSSL write to sockets without
/// `MSG_NOSIGNAL`, and a peer that hangs up at the wrong moment would silently end the program. With the signal
/// blocked, the write fails with `EPIPE` instead.
///
/// It has the nice value of the program, not of the thread that starts it: libdispatch gives its workers others.
///
/// - Parameters:
///   - name: shown by `top -H` and debuggers; cut to the 15 bytes Linux keeps.
///   - isUrgent: whether it runs before others, if this process has the right; see ``ThreadScheduling``. For a thread
///     that waits most of the time and must not be late.
public func startThread(named name: String, isUrgent: Bool = false, _ body: @escaping @Sendable () -> Void) {
    final class Start {
        let name: String
        let isUrgent: Bool
        let body: @Sendable () -> Void
        init(name: String, isUrgent: Bool, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.isUrgent = isUrgent
            self.body = body
        }
    }
    var thread = pthread_t()
    let start = Unmanaged.passRetained(
        Start(name: String(decoding: name.utf8.prefix(15), as: UTF8.self), isUrgent: isUrgent, body: body))
    let code = pthread_create(
        &thread, nil,
        { argument in
            // The argument is the `Start` that was retained above. Only this releases it.
            let start = Unmanaged<Start>.fromOpaque(argument!).takeRetainedValue()
            soundbox_name_thread(start.name)
            blockBrokenPipeSignal()
            ThreadScheduling.restoreProgramNice()
            if start.isUrgent { ThreadScheduling.makeCurrentThreadUrgent() }
            start.body()
            return nil
        }, start.toOpaque())
    // The only documented failure is EAGAIN: the system is out of threads, and nothing can run.
    precondition(code == 0, "cannot start thread \"\(name)\": error \(code)")
    pthread_detach(thread)
}

/// Blocks it on the calling thread only. On the main thread, printing into a closed pipe ends the program, as users
/// expect.
private func blockBrokenPipeSignal() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
}

/// Runs `body`, which may block, on a thread of its own. Suspends until it returns; Swift's shared pool is not blocked.
///
///     let text = try await onOwnThread(named: "reader") { try SmallFile.read(path) }
public func onOwnThread<Result: Sendable>(
    named name: String, _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        startThread(named: name) { continuation.resume(with: Swift.Result(catching: body)) }
    }
}

/// Runs `body`, which may block too long, on a thread of its own. If it is late, the thread is left behind and its
/// result is lost; so `body` must own what it opens.
///
///     let text = await onOwnThread(named: "reader", within: .seconds(2)) { try? SmallFile.read(path) }
///
/// - Returns: `nil` when `limit` has passed.
public func onOwnThread<Result: Sendable>(
    named name: String, within limit: Duration, _ body: @escaping @Sendable () -> Result
) async -> Result? {
    let late = LateResult<Result>()
    startThread(named: name) {
        let result = body()
        late.value.withLock { $0 = result }
        late.isThere.signal()
    }
    await late.isThere.wait(atMost: limit)
    return late.value.withLock { $0 }
}

/// The result of a thread, for a caller that may stop waiting.
private final class LateResult<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
    let isThere = OneTimeSignal()
}

/// How the kernel runs a thread.
public enum ThreadScheduling: Sendable, Equatable, CustomStringConvertible {
    /// Before every ordinary thread, whenever it has something to do: `SCHED_FIFO` (sched(7)), priority 1–99.
    case realTime(priority: Int)
    /// Alternating with the others, with this nice value: −20, the most urgent, to 19.
    case ordinary(nice: Int)

    /// Above every ordinary thread, and below the system's own: threaded interrupts run at 50.
    package static let urgentPriority: Int32 = 10
    /// Between other services (0) and what must never wait; the usual value of an audio server (pulse-daemon.conf(5)).
    static let urgentNice: Int32 = -11

    /// The calling thread's.
    public static var current: ThreadScheduling { ThreadScheduling(of: 0) }

    /// - Parameter thread: a thread id; 0 for the calling thread.
    package init(of thread: Int32) {
        var parameter = sched_param()
        let policy = soundbox_scheduling_policy(thread)
        if policy == SCHED_FIFO || policy == SCHED_RR, sched_getparam(thread, &parameter) == 0 {
            self = .realTime(priority: Int(parameter.sched_priority))
        } else {
            self = .ordinary(nice: Int(soundbox_nice(thread)))
        }
    }

    public var description: String {
        switch self {
        case .realTime(let priority): "real time, priority \(priority)"
        case .ordinary(let nice): "ordinary, nice \(nice)"
        }
    }

    /// Makes the calling thread as urgent as this process may: real time, else a nice value of −11, else unchanged.
    ///
    /// A real-time thread that computes for `RLIMIT_RTTIME` without waiting for anything becomes an ordinary one (the
    /// kernel sends SIGXCPU then), so that a mistake cannot block the processor for all others. Threads that it starts
    /// are ordinary. The right comes from `RLIMIT_RTPRIO` and `RLIMIT_NICE`, or from being root.
    static func makeCurrentThreadUrgent() {
        guard soundbox_leave_real_time_when_told() == 0 else { return }
        guard soundbox_enter_real_time(urgentPriority) != 0 else { return }
        if soundbox_nice(0) > urgentNice { _ = soundbox_set_nice(0, urgentNice) }
    }

    /// Gives the calling thread the nice value that the program was started with: the main thread's.
    static func restoreProgramNice() {
        let nice = soundbox_nice(getpid())
        if soundbox_nice(0) != nice { _ = soundbox_set_nice(0, nice) }
    }

    /// Makes a thread of this process an ordinary one, whatever it is doing. Harmless when it has ended. Never blocks;
    /// any thread.
    ///
    /// - Parameter thread: as ``currentThread``.
    public static func makeOrdinary(_ thread: Int32) {
        var parameter = sched_param(sched_priority: 0)
        sched_setscheduler(thread, SCHED_OTHER, &parameter)
        if soundbox_nice(thread) < 0 { _ = soundbox_set_nice(thread, 0) }
    }

    /// Whether a thread of this process may run in real time. Starts one to find out; for tests.
    package static var canBeRealTime: Bool {
        let answer = BlockingQueue<ThreadScheduling>()
        startThread(named: "urgent?", isUrgent: true) { answer.append(.current) }
        return answer.next() == .realTime(priority: Int(urgentPriority))
    }

    /// The calling thread's id in the kernel.
    public static var currentThread: Int32 { soundbox_thread_id() }
}
