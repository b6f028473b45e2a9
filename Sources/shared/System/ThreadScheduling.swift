import CLinux
import Glibc

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
    static func takeNiceOfProgram() {
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
