import Glibc
import Synchronization

/// The way of a socket from the thread that looks a name up to the feed's. Closes one that nobody takes.
final class DialledSocket: Sendable {
    private let result = Mutex<Result<Int32, LinkFailure>?>(nil)

    deinit {
        if case .success(let socket) = take() { close(socket) }
    }

    func finish(_ outcome: Result<Int32, LinkFailure>) { result.withLock { $0 = outcome } }

    /// - Returns: `nil` as long as there is none.
    func take() -> Result<Int32, LinkFailure>? { result.withLock { $0.take() } }
}
