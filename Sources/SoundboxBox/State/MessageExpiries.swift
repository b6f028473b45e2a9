import SoundboxCore
import SoundboxSystem
import Synchronization

/// Until when payments are news by the word of the message that brought them (MQTT 5's message expiry).
///
/// It is kept in memory only. After a restart a payment is as old as its notice or its arrival says: it may then be spoken
/// by itself though its message has expired, and it is not lost.
package final class MessageExpiries: Sendable {
    /// The oldest are forgotten beyond this many.
    static let most = 10_000

    private let now: @Sendable () -> Duration
    /// In order of arrival.
    private let deadlines = Mutex<[(id: PaymentID, end: Duration)]>([])

    /// - Parameter now: a clock that never jumps.
    package init(now: @escaping @Sendable () -> Duration = { .monotonicNow }) { self.now = now }

    /// Notes how long a payment that has been stored is still news. Never blocks; any thread.
    func note(_ id: PaymentID, expiry: Duration) {
        let end = now() + expiry
        deadlines.withLock { deadlines in
            if deadlines.count >= Self.most { deadlines.removeFirst(Self.most / 2) }
            deadlines.append((id, end))
        }
    }

    /// The payments that are no news any more, among others that have ended since. Never blocks; any thread.
    var past: Set<PaymentID> {
        let now = now()
        return deadlines.withLock { Set($0.lazy.filter { $0.end <= now }.map(\.id)) }
    }
}
