import SoundboxCore
import SoundboxSystem
import Synchronization

/// How the messages of waiting payments arrived: when, whether live, and with which message expiry (MQTT 5).
///
/// Kept in memory only. After a restart the age of a payment comes from its notice or its arrival: it may then be
/// spoken by itself although its message has expired. It is never lost.
///
/// Any thread; never blocks.
package final class MessageAges: Sendable {
    /// At this many, the older half is forgotten.
    static let most = 10_000

    private struct Message {
        var arrivedAt: Duration
        var isLive: Bool
        var expiry: Duration?
    }

    private let now: @Sendable () -> Duration
    private let messages = Mutex<[PaymentID: Message]>([:])

    /// - Parameter now: a monotonic clock.
    package init(now: @escaping @Sendable () -> Duration = { .monotonicNow }) { self.now = now }

    /// Records the arrival of a payment's message. Does nothing for an id that is recorded, or a message that is
    /// neither live nor has an expiry.
    /// - Returns: whether it was recorded.
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

    /// Forgets payments that no longer wait.
    func forget(_ ids: some Sequence<PaymentID>) {
        messages.withLock { messages in
            for id in ids { messages[id] = nil }
        }
    }

    /// What is recorded of these.
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
