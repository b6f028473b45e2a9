import SoundboxCore
import SoundboxSystem
import Synchronization

/// How the messages came that brought the payments which wait: when, whether live, and until when they are news by their
/// own word (MQTT 5's message expiry).
///
/// It is kept in memory only. After a restart a payment is as old as its notice or its arrival says: it may then be spoken
/// by itself though its message has expired, and it is not lost.
package final class MessageAges: Sendable {
    /// The older half is forgotten when there are this many.
    static let most = 10_000

    private struct Message {
        var arrivedAt: Duration
        var isLive: Bool
        var expiry: Duration?
    }

    private let now: @Sendable () -> Duration
    private let messages = Mutex<[PaymentID: Message]>([:])

    /// - Parameter now: a clock that never jumps.
    package init(now: @escaping @Sendable () -> Duration = { .monotonicNow }) { self.now = now }

    /// Notes that a payment's message has arrived, unless one is noted already, or nothing is to be said of it. Never
    /// blocks; any thread.
    ///
    /// - Returns: whether it was noted.
    func note(_ id: PaymentID, _ message: FeedMessage) -> Bool {
        guard message.isLive || message.expiry != nil else { return false }
        let now = now()
        return messages.withLock { messages in
            guard messages[id] == nil else { return false }
            if messages.count >= Self.most {
                let middle = messages.values.map(\.arrivedAt).sorted()[Self.most / 2]
                messages = messages.filter { $0.value.arrivedAt > middle }
            }
            messages[id] = Message(arrivedAt: now, isLive: message.isLive, expiry: message.expiry)
            return true
        }
    }

    /// Forgets those that wait no more. Never blocks; any thread.
    func forget(_ ids: some Sequence<PaymentID>) {
        messages.withLock { messages in
            for id in ids { messages[id] = nil }
        }
    }

    /// What is known of these. Never blocks; any thread.
    func of(_ ids: [PaymentID]) -> [PaymentID: MessageAge] {
        let now = now()
        return messages.withLock { messages in
            var ages: [PaymentID: MessageAge] = [:]
            for id in ids {
                guard let message = messages[id] else { continue }
                ages[id] = MessageAge(age: now - message.arrivedAt, isLive: message.isLive, expiry: message.expiry)
            }
            return ages
        }
    }
}
