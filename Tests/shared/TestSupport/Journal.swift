import Synchronization

/// What happened, in order, written by any thread and read by one test that waits for what it expects.
package final class Journal<Entry: Sendable>: Sendable {
    private struct State {
        var entries: [Entry] = []
        /// Where the reader goes on.
        var position = 0
        var isFinished = false
        /// The reader, who waits for an entry that this accepts; it is given where that one is, or `nil`: none will come.
        var reader: (accepts: @Sendable (Entry) -> Bool, continuation: CheckedContinuation<Int?, any Error>)?

        /// Skips entries until one is accepted.
        /// - Returns: where it is; `nil` where none has come yet.
        mutating func skip(to accepts: (Entry) -> Bool) -> Int? {
            while position < entries.count {
                position += 1
                if accepts(entries[position - 1]) { return position - 1 }
            }
            return nil
        }
    }

    private let state = Mutex(State())

    package init() {}

    package var entries: [Entry] { state.withLock { $0.entries } }

    /// Keeps an entry, and wakes the reader if this is the one that is waited for.
    ///
    /// The reader does not wake up to look for itself: in a whole run a thousand tests share a processor or two, so that
    /// each time costs a test seconds, and a box logs hundreds of lines.
    package func append(_ entry: Entry) {
        let woken = state.withLock { state -> (CheckedContinuation<Int?, any Error>, Int)? in
            state.entries.append(entry)
            guard let reader = state.reader, let found = state.skip(to: reader.accepts) else { return nil }
            state.reader = nil
            return (reader.continuation, found)
        }
        if let (reader, found) = woken { reader.resume(returning: found) }
    }

    /// Nothing follows: a reader that still waits gets ``JournalEnded``.
    package func finish() {
        takeReader { $0.isFinished = true }?.resume(returning: nil)
    }

    /// The next entry.
    package func next() async throws -> Entry { try await next { $0 } }

    /// Skips entries until `match` accepts one. It is called by the threads that write.
    ///
    /// - Throws: ``JournalEnded`` when none can come any more, or when the test ran out of time.
    package func next<Match>(_ match: @escaping @Sendable (Entry) -> Match?) async throws -> Match {
        // A test's time limit cancels it, and says no word about what it was waiting for.
        guard let found = try? await position(ofNext: { match($0) != nil }), let match = match(entries[found]) else {
            throw JournalEnded(contents: "\(entries)")
        }
        return match
    }

    /// Every entry there will ever be.
    package func all() async throws -> [Entry] {
        do { try await next { _ in Void?.none } } catch is JournalEnded {}
        return entries
    }

    private func position(ofNext accepts: @escaping @Sendable (Entry) -> Bool) async throws -> Int? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let resumption: Result<Int?, any Error>? = state.withLock { state in
                    if let found = state.skip(to: accepts) { return .success(found) }
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.isFinished { return .success(nil) }
                    state.reader = (accepts, continuation)
                    return nil
                }
                if let resumption { continuation.resume(with: resumption) }
            }
        } onCancel: {
            takeReader { _ in }?.resume(throwing: CancellationError())
        }
    }

    private func takeReader(_ change: (inout State) -> Void) -> CheckedContinuation<Int?, any Error>? {
        state.withLock { state in
            change(&state)
            return state.reader.take()?.continuation
        }
    }
}

package struct JournalEnded: Error, CustomStringConvertible {
    package var contents: String
    package var description: String { "what was waited for never came; all that came: \(contents)" }
}
