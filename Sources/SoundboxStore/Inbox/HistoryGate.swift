import Dispatch
import Synchronization

/// Closed while the history of a damaged database is being saved. Until then a payment that comes again cannot be told
/// from a new one.
final class HistoryGate: Sendable {
    private struct State {
        var isClosed = false
        var isSaving = false
    }

    private let state = Mutex(State())
    private let opening = DispatchGroup()

    /// - Returns: `false` when the history is being saved already.
    func begin() -> Bool {
        close()
        return state.withLock { state in
            defer { state.isSaving = true }
            return !state.isSaving
        }
    }

    func end() {
        state.withLock { $0.isSaving = false }
        open()
    }

    func close() {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.isClosed = true
            opening.enter()
        }
    }

    func open() {
        state.withLock { state in
            guard state.isClosed else { return }
            state.isClosed = false
            opening.leave()
        }
    }

    var isOpen: Bool { state.withLock { !$0.isClosed } }

    /// Blocks until it is open, for `limit` at most.
    /// - Returns: whether it is open.
    func wait(_ limit: DispatchTimeInterval) -> Bool { opening.wait(timeout: .now() + limit) == .success }
}
