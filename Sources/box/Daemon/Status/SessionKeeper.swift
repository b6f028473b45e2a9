import Logging
import SoundboxCore
import SoundboxSystem
import Synchronization

/// Detects that the broker has lost the box's session. That is a fault until the provider says that it has sent the
/// missing payments again, or for ``SessionRecord/memory`` within one run of the box.
///
/// A loss is stored before the connection is used, so that a power cut right after it does not hide it. Any thread.
package final class SessionKeeper: Sendable {
    private struct Content {
        var record: SessionRecord?
        var isWritten = true
        /// Since when this run knows of the loss, on the monotonic clock.
        var lossKnownSince: Duration?

        /// - Returns: whether there was a loss.
        mutating func endLoss() -> Bool {
            lossKnownSince = nil
            guard record?.hasLoss == true else { return false }
            record?.hasLoss = false
            isWritten = false
            return true
        }
    }

    private let content: Mutex<Content>
    private let writing = Mutex(())
    private let store: Remembered<SessionRecord>
    private let state: BoxState
    private let clock: BoxClock
    private let logger: Logger
    private let metrics: BoxMetrics?
    private let now: @Sendable () -> Duration

    /// Blocks on the disk.
    ///
    /// - Parameter now: a monotonic clock.
    package init(
        store: Remembered<SessionRecord>, state: BoxState, clock: BoxClock, logger: Logger, metrics: BoxMetrics? = nil,
        now: @escaping @Sendable () -> Duration = { .monotonicNow }
    ) {
        self.now = now
        self.store = store
        self.state = state
        self.clock = clock
        self.logger = logger
        self.metrics = metrics
        let record = store.read()
        content = Mutex(
            Content(record: record, lossKnownSince: record?.hasLoss == true ? now() : nil))
        if let record, record.hasLoss { state.update { $0.sessionFault = record.fault } }
    }

    /// Call at each connection. Blocks on the disk if the session is a new one.
    package func began(_ session: FeedSession) {
        let (record, isNew) = content.withLock { content in
            let record = SessionRecord.after(session, content.record, at: clock.now)
            let isNew = record != content.record
            content.record = record
            if isNew {
                content.isWritten = false
                content.lossKnownSince = record.hasLoss ? now() : nil
            }
            return (record, isNew)
        }
        state.update {
            $0.session = SessionStatus(isResumed: session.isResumed, epoch: record.epoch, began: record.began)
            $0.broker = session.broker
            $0.sessionFault = record.hasLoss ? record.fault : nil
        }
        if isNew, record.hasLoss {
            metrics?.sessionLost()
            logger.error("session lost", metadata: ["reason": "\(record.fault)"])
        }
        write()
    }

    /// Call when the provider has published again what may be missing. Blocks on the disk.
    /// - Returns: why it is refused; `nil` if it is accepted.
    package func reconciled(epoch: Int) -> String? {
        let (problem, isNews): (String?, Bool) = content.withLock { content in
            guard let record = content.record, record.epoch == epoch else {
                let current = content.record.map { "\($0.epoch)" } ?? "not known yet"
                return ("session_epoch: that of the session is \(current), and this is \(epoch)", false)
            }
            return (nil, content.endLoss())
        }
        if isNews { end("reconciled") }
        return problem
    }

    /// Ends a loss that is older than ``SessionRecord/memory``, and retries a write that failed. Blocks on the disk;
    /// called with every status.
    package func look() {
        let isOver = content.withLock { content in
            guard let since = content.lossKnownSince, now() - since >= SessionRecord.memory else { return false }
            return content.endLoss()
        }
        if isOver { end("nobody has reconciled it; no longer told") } else { write() }
    }

    private func end(_ reason: String) {
        logger.notice("the loss of the session is over", metadata: ["reason": "\(reason)"])
        state.update { $0.sessionFault = nil }
        write()
    }

    private func write() {
        // Writes are serial, so that the newest is written last.
        writing.withLock { _ in
            guard let record = content.withLock({ $0.isWritten ? nil : $0.record }) else { return }
            do {
                try store.write(record)
                content.withLock { if $0.record == record { $0.isWritten = true } }
            } catch {
                // The session's fault is reported anyway, and the disk has its own fault.
                logger.warning("the session could not be noted", metadata: ["reason": "\(error)"])
            }
        }
    }
}

extension SessionKeeper: Feature {
    convenience init(in box: BoxContext) {
        self.init(
            store: box.remembered(StateFile.session), state: box.state, clock: box.clock, logger: box.logger,
            metrics: box.metrics)
    }

    func fill(_ status: inout BoxStatus) {
        look()
        let snapshot = state.snapshot
        status.session = snapshot.session
        if let broker = snapshot.broker { status.broker = broker }
    }
}
