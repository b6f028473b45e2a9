import SoundboxCore
import Synchronization

/// The words of recent rings and sentences, so that forbidden words cannot be spread over several commands. Any thread;
/// never blocks.
final class RecentWords: Sendable {
    static let span = Duration.seconds(10)
    /// The most commands; beyond that the oldest are forgotten early.
    static let most = 32

    private struct Entry {
        let id: CommandID
        let pieces: [String]
        let at: Duration
    }

    private let entries = Mutex<[Entry]>([])

    /// Remembers the pieces, unless there is a problem with them and the pieces before. A repeated command replaces its
    /// earlier one.
    /// - Parameter now: on the monotonic clock.
    func add(
        _ pieces: [String], of id: CommandID, at now: Duration, problem: ([String]) -> String?
    ) -> String? {
        entries.withLock { entries in
            entries.removeAll { $0.at + Self.span < now || $0.id == id && $0.pieces == pieces }
            if !entries.isEmpty, let problem = problem(entries.flatMap(\.pieces) + pieces) { return problem }
            entries = (entries + [Entry(id: id, pieces: pieces, at: now)]).suffix(Self.most)
            return nil
        }
    }
}
