import SoundboxCore
import SoundboxSystem
import Synchronization

/// Replies to refused commands, kept in memory and sent once. They cause no write to the card and delay no payment. Any
/// thread; never blocks.
final class Refusals: Sendable {
    /// The replies of one minute (``RateLimit``). If the broker is away for longer, further ones are lost.
    static let limit = 60

    private let replies = Mutex<[Receipt]>([])

    func append(_ reply: Receipt) {
        replies.withLock { if $0.count < Self.limit { $0.append(reply) } }
    }

    /// Removes and returns the oldest ones.
    func take(_ count: Int) -> [OutgoingReceipt] {
        replies.withLock { replies in
            defer { replies.removeFirst(min(count, replies.count)) }
            return replies.prefix(count).map(OutgoingReceipt.init(refusal:))
        }
    }
}
