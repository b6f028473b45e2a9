import Synchronization

/// What happened, in order, written by any thread and read by one test that waits for what it expects.
package final class Journal<Entry: Sendable>: Sendable {
    private struct State {
        var entries: [Entry] = []
        /// Where the reader goes on.
        var position = 0
        var isFinished = false
        var reader: CheckedContinuation<Void, any Error>?
    }

    private let state = Mutex(State())

    package init() {}

    package var entries: [Entry] { state.withLock { $0.entries } }

    package func append(_ entry: Entry) {
        wakeReader { $0.entries.append(entry) }
    }

    /// Nothing follows: a reader that still waits gets ``JournalEnded``.
    package func finish() {
        wakeReader { $0.isFinished = true }
    }

    /// The next entry.
    package func next() async throws -> Entry { try await next { $0 } }

    /// Skips entries until `match` accepts one.
    ///
    /// - Throws: ``JournalEnded`` when none can come any more, or when the test ran out of time.
    package func next<Match>(_ match: (Entry) -> Match?) async throws -> Match {
        while true {
            let (found, seen, isFinished) = state.withLock { state in
                while state.position < state.entries.count {
                    state.position += 1
                    if let found = match(state.entries[state.position - 1]) { return (Match?.some(found), 0, false) }
                }
                return (nil, state.entries.count, state.isFinished)
            }
            if let found { return found }
            if isFinished { throw JournalEnded(contents: "\(entries)") }
            do { try await waitForMore(than: seen) } catch {
                // A test's time limit cancels it, and says no word about what it was waiting for.
                throw JournalEnded(contents: "\(entries)")
            }
        }
    }

    /// Every entry there will ever be.
    package func all() async throws -> [Entry] {
        do { try await next { _ in Void?.none } } catch is JournalEnded {}
        return entries
    }

    private func waitForMore(than seen: Int) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let resumption: Result<Void, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.entries.count > seen || state.isFinished { return .success(()) }
                    state.reader = continuation
                    return nil
                }
                if let resumption { continuation.resume(with: resumption) }
            }
        } onCancel: {
            takeReader { _ in }?.resume(throwing: CancellationError())
        }
    }

    private func wakeReader(_ change: (inout State) -> Void) { takeReader(change)?.resume() }

    private func takeReader(_ change: (inout State) -> Void) -> CheckedContinuation<Void, any Error>? {
        state.withLock { state in
            change(&state)
            return state.reader.take()
        }
    }
}

package struct JournalEnded: Error, CustomStringConvertible {
    package var contents: String
    package var description: String { "what was waited for never came; all that came: \(contents)" }
}
