import SoundboxCore
import Synchronization

/// The words of rings and sentences that were taken of late: what no command may say may not be spread over several.
/// Any thread.
final class RecentWords: Sendable {
    static let span = Duration.seconds(10)
    /// Commands; older ones are forgotten early.
    static let most = 32

    private struct Entry {
        let id: CommandID
        let pieces: [String]
        let at: Duration
    }

    private let entries = Mutex<[Entry]>([])

    /// Remembers them, unless together with those before them there is a problem. A command that comes again is no
    /// second one.
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
