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
        /// ``Content/sounded`` at its arrival.
        var soundedBefore: Duration
    }

    private struct Content {
        var messages: [PaymentID: Message] = [:]
        /// The length of all sentences and rings since the start.
        var sounded = Duration.zero
    }

    private let now: @Sendable () -> Duration
    private let content = Mutex(Content())

    /// - Parameter now: a monotonic clock.
    package init(now: @escaping @Sendable () -> Duration = { .monotonicNow }) { self.now = now }

    /// Records the arrival of a payment's message. Does nothing for an id that is recorded, or a message that is
    /// neither live nor has an expiry.
    /// - Returns: whether it was recorded.
    func record(_ id: PaymentID, _ message: FeedMessage) -> Bool {
        guard message.isLive || message.expiry != nil else { return false }
        let now = now()
        return content.withLock { content in
            guard content.messages[id] == nil else { return false }
            if content.messages.count >= Self.most {
                let middle = content.messages.values.map(\.arrivedAt).sorted()[Self.most / 2]
                content.messages = content.messages.filter { $0.value.arrivedAt > middle }
            }
            content.messages[id] = Message(
                arrivedAt: now, isLive: message.isLive, expiry: message.expiry, soundedBefore: content.sounded)
            return true
        }
    }

    /// Call when a sentence or a ring has sounded for this long. One that a payment came into counts whole, so the
    /// payment may be taken for younger, by the length of one sentence.
    func sounded(for length: Duration) { content.withLock { $0.sounded += length } }

    /// Forgets payments that no longer wait.
    func forget(_ ids: some Sequence<PaymentID>) {
        content.withLock { content in
            for id in ids { content.messages[id] = nil }
        }
    }

    /// What is recorded of these.
    func of(_ ids: [PaymentID]) -> [PaymentID: MessageAge] {
        let now = now()
        return content.withLock { content in
            var ages: [PaymentID: MessageAge] = [:]
            for id in ids {
                guard let message = content.messages[id] else { continue }
                let age = now - message.arrivedAt
                ages[id] = MessageAge(
                    age: age, isLive: message.isLive, expiry: message.expiry,
                    behindSentences: min(content.sounded - message.soundedBefore, age))
            }
            return ages
        }
    }
}
