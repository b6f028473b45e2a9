import SoundboxCore
import SoundboxSystem
import Synchronization
import TestSupport

/// A feed without a network: the test acts as the broker. Passes ``PaymentFeedContract``.
///
///     let feed = FakeFeed()
///     async let run: Void = feed.run(delegate: box)
///     #expect(try await feed.deliver(payment: #"{"id":"A-1","amount":"123.45"}"#) == .acknowledged)
///     let receipt = try await feed.receipt(of: "A-1", "announced")
///     feed.stop()
///     await run
///
/// Its own thread calls the delegate, so that a delegate may block. Every wait throws `JournalEnded` when the feed has
/// stopped or the test has run out of time.
public final class FakeFeed: PaymentFeed {
    /// The feed's answer to a batch.
    public enum Answer: Sendable, Equatable {
        case acknowledged
        /// The delegate threw. Nothing was acknowledged, and the feed reconnected. The next delivery sends these
        /// messages again before its own.
        case refused(reason: String)
    }

    /// Every message that the feed has acknowledged.
    package let acknowledged = Journal<FeedMessage>()
    /// Every receipt, in the order of sending. The broker confirms each one at once.
    package let receipts = Journal<OutgoingReceipt>()
    package let replies = Journal<OutgoingReceipt>()
    /// Everything published on the status topic, with the last will and the offline status.
    package let statuses = Journal<[UInt8]>()

    private let offlineStatus: [UInt8]
    private let turns = BlockingQueue<@Sendable (inout FakeConnection) -> Void>()
    private let isStopping = Mutex(false)

    /// - Parameter offlineStatus: published by the broker when the connection ends, and by the feed when it stops.
    public init(offlineStatus: [UInt8] = Array(#"{"state":"offline"}"#.utf8)) { self.offlineStatus = offlineStatus }

    // MARK: The port

    public func run(delegate: any PaymentFeedDelegate) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                startThread(named: "fake-feed") { [self] in
                    serve(delegate)
                    continuation.resume()
                }
            }
        } onCancel: {
            stop()
        }
    }

    public func stop() {
        isStopping.withLock {
            $0 = true
            turns.finish()
        }
    }

    public var timeSinceLastTurn: Duration { .zero }

    public func receiptsAreWaiting() { _ = enqueue { $0.sendReceipts() } }

    public func publishStatus(_ payload: [UInt8]) { _ = enqueue { $0.publish(payload) } }

    // MARK: The broker's side

    /// Delivers a batch, and waits for the feed's answer.
    ///
    /// A message of more than ``PaymentNoticeDecoder/maximumPayloadBytes`` is reported as skipped.
    @discardableResult public func deliver(_ batch: [FeedMessage]) async throws -> Answer {
        try await send(batch).next()
    }

    /// Delivers one payment notice: JSON text.
    @discardableResult public func deliver(payment json: String) async throws -> Answer {
        try await deliver([FeedMessage(topic: .payments, payload: Array(json.utf8))])
    }

    /// Delivers one command: JSON text.
    @discardableResult public func deliver(command json: String) async throws -> Answer {
        try await deliver([FeedMessage(topic: .commands, payload: Array(json.utf8))])
    }

    /// Delivers refused messages again.
    @discardableResult public func redeliver() async throws -> Answer { try await deliver([]) }

    /// Delivers a batch, and does not wait.
    ///
    /// - Returns: receives the feed's answer.
    package func send(_ batch: [FeedMessage]) -> Journal<Answer> {
        let answer = Journal<Answer>()
        if !enqueue({ answer.append($0.deliver(batch)) }) { answer.finish() }
        return answer
    }

    /// Delivers messages without acknowledgement (QoS 0), and does not wait. A refused one is lost.
    package func sendUnacknowledged(_ batch: [FeedMessage]) { _ = enqueue { $0.deliverUnacknowledged(batch) } }

    /// Skips receipts up to the one with `state` of the payment or command `id`.
    public func receipt(of id: String, _ state: String) async throws -> JSONValue {
        try await receipts.next { receipt in
            guard let json = try? JSONValue(parsing: receipt.payload),
                (json["id"]?.string ?? json["command"]?.string) == id, json["state"]?.string == state
            else { return nil }
            return json
        }
    }

    /// Skips replies up to the one with `result` of the command `id`.
    public func reply(to id: String, _ result: String) async throws -> JSONValue {
        try await replies.next { reply in
            guard let json = try? JSONValue(parsing: reply.payload), json["command"]?.string == id,
                json["result"]?.string == result
            else { return nil }
            return json
        }
    }

    /// Skips statuses up to one that fits.
    public func status(where fits: @escaping @Sendable (JSONValue) -> Bool = { _ in true }) async throws -> JSONValue {
        try await statuses.next { status in
            guard let json = try? JSONValue(parsing: status), fits(json) else { return nil }
            return json
        }
    }

    // MARK: The feed's thread

    /// - Returns: `false` if the feed was stopped; then `turn` does not run.
    private func enqueue(_ turn: @escaping @Sendable (inout FakeConnection) -> Void) -> Bool {
        isStopping.withLock { isStopping in
            if !isStopping { turns.append(turn) }
            return !isStopping
        }
    }

    private func serve(_ delegate: any PaymentFeedDelegate) {
        var connection = FakeConnection(feed: self, delegate: delegate, offlineStatus: offlineStatus)
        if !isStopping.withLock({ $0 }) {
            connection.open()
            while let turn = turns.next() { turn(&connection) }
            connection.close()
        }
        delegate.connectionChanged(to: .stopped)
        acknowledged.finish()
        receipts.finish()
        replies.finish()
        statuses.finish()
    }
}

/// The state of a fake feed's thread.
private struct FakeConnection {
    let feed: FakeFeed
    let delegate: any PaymentFeedDelegate
    let offlineStatus: [UInt8]
    /// Delivered and not acknowledged.
    private var waiting: [FeedMessage] = []
    private var status: [UInt8]?
    private var lastReceipt: Int64 = 0
    /// Sent and not yet reported to the delegate.
    private var confirmed: [Int64] = []
    private var faults: [FeedFault] = []
    private var hasSession = false

    init(feed: FakeFeed, delegate: any PaymentFeedDelegate, offlineStatus: [UInt8]) {
        self.feed = feed
        self.delegate = delegate
        self.offlineStatus = offlineStatus
    }

    mutating func open() {
        delegate.connectionChanged(to: .connecting)
        delegate.sessionBegan(FeedSession(clientID: "fake", broker: "fake://", isResumed: hasSession))
        hasSession = true
        delegate.connectionChanged(to: .subscribed)
        if let status { feed.statuses.append(status) }
        sendReceipts()
    }

    mutating func close() {
        sendReceipts()
        feed.statuses.append(offlineStatus)
    }

    mutating func publish(_ payload: [UInt8]) {
        status = payload
        feed.statuses.append(payload)
    }

    mutating func deliver(_ batch: [FeedMessage]) -> FakeFeed.Answer {
        waiting += batch
        let limit = PaymentNoticeDecoder.maximumPayloadBytes
        let taken = waiting.filter { $0.payload.count <= limit }
        do {
            if !taken.isEmpty { try delegate.commit(taken) }
            for message in waiting where message.payload.count > limit {
                try delegate.skipped(message.topic, bytes: message.payload.count)
            }
        } catch {
            delegate.connectionChanged(to: .disconnected(reason: "\(error)", retryIn: .zero))
            feed.statuses.append(offlineStatus)
            open()
            return .refused(reason: "\(error)")
        }
        for message in waiting { feed.acknowledged.append(message) }
        waiting = []
        return .acknowledged
    }

    mutating func deliverUnacknowledged(_ batch: [FeedMessage]) {
        _ = try? delegate.commit(batch)
        guard faults.isEmpty, batch.contains(where: { $0.topic == .payments && !$0.isRetained }) else { return }
        faults = [.noticesAtQoS0]
        delegate.faultsChanged(to: faults)
    }

    /// Sends the outbox. After an error of the delegate, the next call tries again.
    mutating func sendReceipts() {
        do {
            repeat {
                if !confirmed.isEmpty { try delegate.receiptsDelivered(confirmed) }
                confirmed = []
                for receipt in try delegate.receipts(after: lastReceipt, limit: 32) {
                    (receipt.topic == .replies ? feed.replies : feed.receipts).append(receipt)
                    lastReceipt = max(lastReceipt, receipt.sequence)
                    confirmed.append(receipt.sequence)
                }
            } while !confirmed.isEmpty
        } catch {}
    }
}
