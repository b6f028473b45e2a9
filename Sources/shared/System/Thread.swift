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
            ThreadScheduling.takeNiceOfProgram()
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
