import SoundboxCore
import Synchronization

/// Replies to refused commands. They are kept in memory only and sent once: what is refused wears out no card, and holds up
/// no payment.
final class Refusals: Sendable {
    /// As many as are answered within a minute. Where the broker takes none for longer, further ones are lost.
    static let limit = 60

    private let replies = Mutex<[Receipt]>([])

    func append(_ reply: Receipt) {
        replies.withLock { if $0.count < Self.limit { $0.append(reply) } }
    }

    /// Removes the oldest of them.
    func take(_ count: Int) -> [OutgoingReceipt] {
        replies.withLock { replies in
            defer { replies.removeFirst(min(count, replies.count)) }
            return replies.prefix(count).map(OutgoingReceipt.init(refusal:))
        }
    }
}
