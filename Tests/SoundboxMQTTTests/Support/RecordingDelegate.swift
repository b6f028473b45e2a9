import SoundboxCore
import SoundboxSystem
import Synchronization
import TestSupport

/// Remembers what the feed reports, refuses batches when told to, and holds an outbox in memory.
final class RecordingDelegate: PaymentFeedDelegate {
    struct CommitRefused: Error, CustomStringConvertible {
        var description: String { "disk full" }
    }

    struct Skipped: Equatable {
        var topic: FeedMessage.Topic
        var bytes: Int
    }

    let batches = Journal<[FeedMessage]>()
    let connections = Journal<FeedConnection>()
    let delivered = Journal<[Int64]>()
    let skipped = Journal<Skipped>()
    let faults = Journal<String?>()
    private let outbox = Mutex<[OutgoingReceipt]>([])
    private let onCommit: Mutex<@Sendable ([FeedMessage]) throws -> Void>
    private let onSkip = Mutex<@Sendable () throws -> Void>({})

    /// - Parameter onCommit: runs on the feed's thread after the batch was noted.
    init(onCommit: @escaping @Sendable ([FeedMessage]) throws -> Void = { _ in }) {
        self.onCommit = Mutex(onCommit)
    }

    func onCommit(_ body: @escaping @Sendable ([FeedMessage]) throws -> Void) { onCommit.withLock { $0 = body } }

    func onSkip(_ body: @escaping @Sendable () throws -> Void) { onSkip.withLock { $0 = body } }

    /// Puts receipts numbered from `first` into the outbox.
    func queueReceipts(_ payloads: [String], from first: Int64 = 1) {
        outbox.withLock {
            for (offset, payload) in payloads.enumerated() {
                $0.append(OutgoingReceipt(sequence: first + Int64(offset), payload: Array(payload.utf8)))
            }
        }
    }

    /// Skips to the next loss of the connection.
    func disconnectionReason() async throws -> String {
        try await connections.next { if case .disconnected(let reason, _) = $0 { reason } else { nil } }
    }

    /// Skips until the feed has its subscriptions.
    func subscribed() async throws { try await connections.next { $0 == .subscribed ? () : nil } }

    func commit(_ batch: [FeedMessage]) throws {
        batches.append(batch)
        let body = onCommit.withLock { $0 }
        try body(batch)
    }

    func skipped(_ topic: FeedMessage.Topic, bytes: Int) throws {
        let body = onSkip.withLock { $0 }
        try body()
        skipped.append(Skipped(topic: topic, bytes: bytes))
    }

    func receipts(after sequence: Int64, limit: Int) throws -> [OutgoingReceipt] {
        outbox.withLock { Array($0.filter { $0.sequence > sequence }.prefix(limit)) }
    }

    func receiptsDelivered(_ sequences: [Int64]) throws {
        outbox.withLock { $0.removeAll { sequences.contains($0.sequence) } }
        delivered.append(sequences)
    }

    func connectionChanged(to connection: FeedConnection) { connections.append(connection) }

    func faultChanged(to fault: String?) { faults.append(fault) }
}

/// Holds the feed's thread until a test lets it go.
final class Gate: Sendable {
    private let queue = BlockingQueue<Never>()

    /// Blocks the calling thread until ``open()``.
    func wait() { _ = queue.next() }

    func open() { queue.finish() }
}
