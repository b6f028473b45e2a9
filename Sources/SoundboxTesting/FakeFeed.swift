import SoundboxCore
import Synchronization

/// A feed without a network: the test plays the broker.
///
/// It does nothing by itself. The delegate is called from whatever thread calls ``deliver(_:)`` and its siblings, one
/// call at a time, as the port promises; a call from inside the delegate's own method would wait for itself.
public final class FakeFeed: PaymentFeed {
    private struct State {
        var delegate: (any PaymentFeedDelegate)?
        var isStopped = false
        var statuses: [[UInt8]] = []
        var receiptNotices = 0
        /// Resumed when the delegate is known, or never will be.
        var waitingForRun: [CheckedContinuation<Void, Never>] = []
        /// The task inside ``run(delegate:)``.
        var running: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())
    /// Held during every call to the delegate.
    private let turn = Mutex(())

    public init() {}

    // MARK: The port

    public func run(delegate: any PaymentFeedDelegate) async {
        call(delegate) {
            $0.connectionChanged(to: .connecting)
            $0.connectionChanged(to: .subscribed)
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (waiting, isStopped) = state.withLock { state in
                    state.delegate = delegate
                    if !state.isStopped { state.running = continuation }
                    defer { state.waitingForRun = [] }
                    return (state.waitingForRun, state.isStopped)
                }
                for waiter in waiting { waiter.resume() }
                if isStopped { continuation.resume() }
            }
        } onCancel: {
            stop()
        }
        call(delegate) { $0.connectionChanged(to: .stopped) }
    }

    public func stop() {
        let resumed = state.withLock { state in
            state.isStopped = true
            defer {
                state.waitingForRun = []
                state.running = nil
            }
            return state.waitingForRun + [state.running].compactMap(\.self)
        }
        for continuation in resumed { continuation.resume() }
    }

    public func receiptsAreWaiting() { state.withLock { $0.receiptNotices += 1 } }

    public func publishStatus(_ payload: [UInt8]) { state.withLock { $0.statuses.append(payload) } }

    // MARK: The broker's side

    /// Every status published so far, oldest first.
    public var statuses: [[UInt8]] { state.withLock { $0.statuses } }

    /// How often the feed was told that the outbox has grown.
    public var receiptNotices: Int { state.withLock { $0.receiptNotices } }

    /// Hands the delegate a batch, once the feed runs.
    ///
    /// - Throws: what the delegate throws: the batch is not acknowledged, and a broker would deliver it again; or
    ///   ``NotRunning``.
    public func deliver(_ batch: [FeedMessage]) async throws {
        let delegate = try await delegate()
        try call(delegate) { try $0.commit(batch) }
    }

    /// Has the delegate note a message that was too large.
    ///
    /// - Throws: as ``deliver(_:)`` does.
    public func skip(_ topic: FeedMessage.Topic, bytes: Int) async throws {
        let delegate = try await delegate()
        try call(delegate) { try $0.skipped(topic, bytes: bytes) }
    }

    /// Takes every receipt from the outbox and confirms it, as a broker would.
    public func confirmReceipts() async throws -> [OutgoingReceipt] {
        let delegate = try await delegate()
        var confirmed: [OutgoingReceipt] = []
        while true {
            let receipts = try call(delegate) { delegate in
                let receipts = try delegate.receipts(after: confirmed.last?.sequence ?? 0, limit: 32)
                if !receipts.isEmpty { try delegate.receiptsDelivered(receipts.map(\.sequence)) }
                return receipts
            }
            if receipts.isEmpty { return confirmed }
            confirmed += receipts
        }
    }

    /// Reports a change of the connection.
    public func changeConnection(to connection: FeedConnection) async throws {
        let delegate = try await delegate()
        call(delegate) { $0.connectionChanged(to: connection) }
    }

    /// Reports what being connected does not show.
    public func changeFault(to fault: String?) async throws {
        let delegate = try await delegate()
        call(delegate) { $0.faultChanged(to: fault) }
    }

    /// The feed was stopped.
    public struct NotRunning: Error {}

    private func delegate() async throws -> any PaymentFeedDelegate {
        await withCheckedContinuation { continuation in
            let isDecided = state.withLock { state in
                if state.delegate != nil || state.isStopped { return true }
                state.waitingForRun.append(continuation)
                return false
            }
            if isDecided { continuation.resume() }
        }
        guard let delegate = state.withLock({ $0.isStopped ? nil : $0.delegate }) else { throw NotRunning() }
        return delegate
    }

    private func call<Value: Sendable>(
        _ delegate: any PaymentFeedDelegate, _ body: (any PaymentFeedDelegate) throws -> Value
    ) rethrows -> Value {
        try turn.withLock { _ in try body(delegate) }
    }
}
