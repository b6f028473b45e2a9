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
    package func runHousekeeping() {
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
        runHousekeeping()
        let snapshot = state.snapshot
        status.session = snapshot.session
        if let broker = snapshot.broker { status.broker = broker }
    }
}

/// What the box stores about its session at the broker, to notice when the broker has lost it.
///
///     record = SessionRecord.after(session, record, at: now)
///     if record.hasLoss { faults.append(record.fault) }
///
/// The broker keeps undelivered payments in the session, and has acknowledged them to their senders. If it comes back
/// without the session, they are lost, and only the box can notice: the senders were told that they are safe.
public struct SessionRecord: Sendable, Equatable {
    /// Counts the sessions from 1 on. A reader who has seen one number and sees the next knows that there was a loss,
    /// or a new box.
    public var epoch: Int
    /// The client id of the session.
    public var clientID: String
    /// When the box first saw this session, by its own clock.
    public var began: Timestamp
    /// Whether it replaced a session that the broker should have kept, and nobody has confirmed yet that the missing
    /// messages were sent again.
    public var hasLoss: Bool

    public init(epoch: Int, clientID: String, began: Timestamp, hasLoss: Bool) {
        self.epoch = epoch
        self.clientID = clientID
        self.began = began
        self.hasLoss = hasLoss
    }

    /// How long a loss is reported as a fault if nobody confirms that it was repaired.
    public static let memory = Duration.seconds(3600)

    /// The record after a connection.
    ///
    /// - Parameter known: the record before; `nil` at the first start, when nothing can be missing.
    public static func after(_ session: FeedSession, _ known: SessionRecord?, at now: Timestamp) -> SessionRecord {
        guard let known else {
            return SessionRecord(epoch: 1, clientID: session.clientID, began: now, hasLoss: false)
        }
        // Under the box's new client id nothing can have waited.
        guard known.clientID == session.clientID else {
            return SessionRecord(epoch: known.epoch + 1, clientID: session.clientID, began: now, hasLoss: false)
        }
        if session.isResumed { return known }
        return SessionRecord(epoch: known.epoch + 1, clientID: known.clientID, began: now, hasLoss: true)
    }

    /// A text for people, while ``hasLoss``.
    public var fault: String {
        "the broker has lost this box's session, noticed at \(began) (epoch \(epoch)): payments that it took for the "
            + "box before may be lost there; have whatever has no receipt published again"
    }

    public var json: JSONValue {
        .object([
            ("epoch", .integer(epoch)), ("client", .string(clientID)), ("began", .string("\(began)")),
            ("loss", .bool(hasLoss)),
        ])
    }

    /// Reads ``json``; `nil` for anything else.
    public init?(decoding json: JSONValue) {
        guard let epoch = json["epoch"]?.integer, epoch > 0, epoch < Self.mostEpochs,
            let clientID = json["client"]?.string,
            let began = json["began"]?.string.flatMap(Timestamp.init(rfc3339:)), let hasLoss = json["loss"]?.bool
        else { return nil }
        self.init(epoch: epoch, clientID: clientID, began: began, hasLoss: hasLoss)
    }

    /// A number that no box reaches, so that counting never overflows.
    private static let mostEpochs = 1 << 50
}
