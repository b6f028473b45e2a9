import SoundboxCore
import SoundboxSystem
import Synchronization
import TestSupport

/// A feed's delegate that records its calls, refuses batches on request, and has an outbox in memory:
///
///     let delegate = RecordingDelegate { _ in throw RecordingDelegate.CommitRefused() }
///     async let run: Void = feed.run(delegate: delegate)
///     try await delegate.subscribed()
package final class RecordingDelegate: PaymentFeedDelegate {
    package struct CommitRefused: Error, CustomStringConvertible {
        package init() {}
        package var description: String { "disk full" }
    }

    package struct Skipped: Sendable, Equatable {
        package var topic: FeedMessage.Topic
        package var bytes: Int

        package init(topic: FeedMessage.Topic, bytes: Int) {
            self.topic = topic
            self.bytes = bytes
        }
    }

    /// The batches of ``commit(_:)``, recorded before it returns or throws.
    package let batches = Journal<[FeedMessage]>()
    package let connections = Journal<FeedConnection>()
    package let sessions = Journal<FeedSession>()
    package let delivered = Journal<[Int64]>()
    package let skipped = Journal<Skipped>()
    package let strays = Journal<[StrayMessage]>()
    package let faults = Journal<[FeedFault]>()
    /// Calls that began during another one. A feed must make one call at a time.
    package let overlaps = Journal<String>()
    private let call = Mutex<String?>(nil)
    private let outbox = Mutex<[OutgoingReceipt]>([])
    private let onCommit: Mutex<@Sendable ([FeedMessage]) throws -> Void>
    private let onSkip = Mutex<@Sendable () throws -> Void>({})

    /// - Parameter onCommit: called on the feed's thread after the batch was recorded.
    package init(onCommit: @escaping @Sendable ([FeedMessage]) throws -> Void = { _ in }) {
        self.onCommit = Mutex(onCommit)
    }

    package func onCommit(_ body: @escaping @Sendable ([FeedMessage]) throws -> Void) {
        onCommit.withLock { $0 = body }
    }

    package func onSkip(_ body: @escaping @Sendable () throws -> Void) { onSkip.withLock { $0 = body } }

    /// Puts receipts numbered from `first` into the outbox.
    package func queueReceipts(_ payloads: [String], from first: Int64 = 1) {
        outbox.withLock {
            for (offset, payload) in payloads.enumerated() {
                $0.append(OutgoingReceipt(sequence: first + Int64(offset), payload: Array(payload.utf8)))
            }
        }
    }

    /// Skips to the next loss of the connection.
    package func disconnectionReason() async throws -> String {
        try await connections.next { if case .disconnected(let reason, _) = $0 { reason } else { nil } }
    }

    /// Skips until the feed has its subscriptions.
    package func subscribed() async throws { try await connections.next { $0 == .subscribed ? () : nil } }

    // MARK: The port

    package func commit(_ batch: [FeedMessage]) throws -> Int {
        try noting("commit") {
            batches.append(batch)
            let body = onCommit.withLock { $0 }
            try body(batch)
            return batch.count { $0.topic == .payments }
        }
    }

    package func strayed(_ messages: [StrayMessage]) throws {
        noting("strayed") { strays.append(messages) }
    }

    package func skipped(_ topic: FeedMessage.Topic, bytes: Int) throws {
        try noting("skipped") {
            let body = onSkip.withLock { $0 }
            try body()
            skipped.append(Skipped(topic: topic, bytes: bytes))
        }
    }

    package func receipts(after sequence: Int64, limit: Int) throws -> [OutgoingReceipt] {
        noting("receipts") {
            outbox.withLock { Array($0.filter { $0.sequence > sequence }.prefix(limit)) }
        }
    }

    package func receiptsDelivered(_ sequences: [Int64]) throws {
        noting("receiptsDelivered") {
            outbox.withLock { $0.removeAll { sequences.contains($0.sequence) } }
            delivered.append(sequences)
        }
    }

    package func connectionChanged(to connection: FeedConnection) {
        noting("connectionChanged") { connections.append(connection) }
    }

    package func sessionBegan(_ session: FeedSession) {
        noting("sessionBegan") { sessions.append(session) }
    }

    package func faultsChanged(to faults: [FeedFault]) {
        noting("faultsChanged") { self.faults.append(faults) }
    }

    /// Runs a call, and records an overlap with another one.
    private func noting<Value, Failure: Error>(
        _ name: String, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let other = call.withLock { call in
            defer { call = name }
            return call
        }
        if let other { overlaps.append("\(name) during \(other)") }
        defer { call.withLock { $0 = nil } }
        return try body()
    }
}

/// Holds one thread until a test opens the gate.
package final class Gate: Sendable {
    private let queue = BlockingQueue<Never>()

    package init() {}

    /// Blocks the calling thread until ``open()``.
    package func wait() { _ = queue.next() }

    package func open() { queue.finish() }
}
