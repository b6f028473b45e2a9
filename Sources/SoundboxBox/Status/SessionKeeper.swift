import Logging
import SoundboxCore
import SoundboxSystem
import Synchronization

/// Notices that the broker has lost the box's session, and keeps it a fault until the sender of payments says that what
/// may be missing was sent again, or for ``SessionRecord/memory`` while the box runs.
///
/// The loss is on the disk before the connection is used: a power cut right behind it does not hide it.
package final class SessionKeeper: Sendable {
    private struct Content {
        var record: SessionRecord?
        var isWritten = true
        /// Since when this run knows of the loss, on the clock that is never set.
        var lossKnownSince: Duration?

        /// - Returns: whether there was one.
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
    /// - Parameter now: a clock that is never set.
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

    /// A connection was made. Blocks on the disk when the session is another one.
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

    /// The sender of payments has published again what may be missing.
    /// - Returns: why that is not believed; `nil` when it is.
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

    /// Ends a loss that nobody has mentioned for long enough, and writes what could not be written before. Blocks on the
    /// disk; called now and then.
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
        // One after the other, so that the newest is written last.
        writing.withLock { _ in
            guard let record = content.withLock({ $0.isWritten ? nil : $0.record }) else { return }
            do {
                try store.write(record)
                content.withLock { if $0.record == record { $0.isWritten = true } }
            } catch {
                // The fault is told meanwhile; the disk has one of its own.
                logger.warning("the session could not be noted", metadata: ["reason": "\(error)"])
            }
        }
    }
}

extension SessionKeeper: Feature {
    func fill(_ status: inout BoxStatus) {
        look()
        let snapshot = state.snapshot
        status.session = snapshot.session
        if let broker = snapshot.broker { status.broker = broker }
    }
}
