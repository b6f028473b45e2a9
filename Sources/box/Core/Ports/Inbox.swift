/// The state of a notice, from its arrival to its announcement.
public enum NoticeState: String, Sendable, CaseIterable {
    /// On disk, not yet spoken to its end. After a power cut it is spoken from its start: heard twice is better than
    /// never heard.
    case received
    /// Plays now. Only reported, never stored: on disk it is ``received`` until it has been heard.
    case announcing
    case announced
    /// Waited too long to be spoken by itself; counted in a summary.
    case expired
    case cancelled
}

/// One notice as the inbox keeps it.
public struct InboxEntry: Sendable, Equatable {
    /// Order of arrival: rises with every notice, never reused.
    public var sequence: Int64
    public var notice: PaymentNotice
    public var receivedAt: Timestamp
    /// How far to trust ``receivedAt``: a box without a clock battery boots in the past.
    public var clock: ClockTrust
    public var state: NoticeState

    public init(
        sequence: Int64, notice: PaymentNotice, receivedAt: Timestamp, clock: ClockTrust = .confirmed,
        state: NoticeState
    ) {
        self.sequence = sequence
        self.notice = notice
        self.receivedAt = receivedAt
        self.clock = clock
        self.state = state
    }
}

/// One message of a batch, decoded.
public enum Arrival: Sendable, Equatable {
    /// - Parameter remark: the reason in the receipt `stored`: which part of the notice is not used, and why.
    case notice(PaymentNotice, remark: String? = nil)
    case rejection(NoticeRejection)
}

/// The outcome of one arrival.
public enum ArrivalOutcome: Sendable, Equatable {
    case stored(InboxEntry)
    /// The id is known. `differs` holds the stored amount if this notice names another one.
    case duplicate(PaymentNotice, differs: Money?)
    case rejected(NoticeRejection)
}

/// The notices that wait to be spoken, by rank.
public struct NoticeQueue: Sendable, Equatable {
    /// The oldest payments, oldest first.
    public var payments: [InboxEntry]
    /// The oldest refund and the oldest notice of any other kind, if there are such.
    public var others: [InboxEntry]
    /// The highest sequence of a waiting payment; `nil` when none waits.
    public var lastPayment: Int64?

    public init(payments: [InboxEntry] = [], others: [InboxEntry] = [], lastPayment: Int64? = nil) {
        self.payments = payments
        self.others = others
        self.lastPayment = lastPayment
    }

    public var isEmpty: Bool { payments.isEmpty && others.isEmpty }
}

/// How full the inbox is.
public struct InboxCounts: Sendable, Equatable {
    /// Notices not yet spoken to their end.
    public var waiting: Int
    /// Announced since the inbox was made, including those that it has deleted since.
    public var announced: Int
    /// Receipts that the broker has not confirmed.
    public var receiptsWaiting: Int

    public init(waiting: Int, announced: Int, receiptsWaiting: Int) {
        self.waiting = waiting
        self.announced = announced
        self.receiptsWaiting = receiptsWaiting
    }
}

/// The durable store of notices: known ids, queue, history and outbox of receipts in one.
///
///     let outcomes = try inbox.store([.notice(notice)], at: now)
///     if let entry = try inbox.waiting(limit: 1).first {
///         try inbox.markAnnounced(entry, at: now)
///     }
///
/// Each change and the receipts it causes are one transaction. When a method returns, the change is on disk and
/// survives a power cut. Every method blocks on the disk, so call none on Swift's shared pool. Any thread; calls take
/// turns.
public protocol Inbox: Sendable {
    /// Stores a batch in order and writes its receipts: `stored`, `duplicate` or `rejected`.
    /// - Parameter clock: how far to trust `now`.
    /// - Returns: one outcome for each arrival, in the same order.
    func store(
        _ arrivals: [Arrival], at now: Timestamp, clock: ClockTrust
    ) throws(InboxError) -> [ArrivalOutcome]

    /// The notices not yet spoken, oldest arrival first.
    func waiting(limit: Int) throws(InboxError) -> [InboxEntry]

    /// The notices not yet spoken, by rank.
    /// - Parameter limit: the most payments to return.
    func queue(limit: Int) throws(InboxError) -> NoticeQueue

    /// - Returns: the entries that still wait. The others were cancelled in the meantime and must not be spoken.
    func stillWaiting(_ entries: [InboxEntry]) throws(InboxError) -> [InboxEntry]

    /// Notes that the notice was spoken to its last frame and writes its receipt. Changes nothing if it was cancelled
    /// in the meantime.
    /// - Parameter audibility: how it was spoken; stands in the receipt.
    func markAnnounced(_ entry: InboxEntry, as audibility: Audibility, at now: Timestamp) throws(InboxError)

    /// Notes that the notices were too late to be spoken one by one and writes their receipts.
    /// - Parameter audibility: how their summary was spoken. Their receipts then carry the id of that summary. `nil`
    ///   when nothing was said about them.
    func markExpired(_ entries: [InboxEntry], told audibility: Audibility?, at now: Timestamp) throws(InboxError)

    /// Whether a notice with this id was stored, whatever its state is now.
    func knows(_ id: PaymentID) throws(InboxError) -> Bool

    /// Notes a batch of commands in order and writes their receipts, in one transaction. For a refused command
    /// (``CommandOutcome/isRefusal``) it writes nothing; if all are refused, there is no commit.
    ///
    /// An id is deleted when its time has passed. Beyond ``CommandID/limit`` the oldest ids are deleted earlier;
    /// likewise cancels that came before their custom message, beyond ``CustomMessage/mostCancelledBefore``.
    /// - Parameter reading: ids expire by ``ClockReading/confirmed``, so neither a wrong clock nor a message deletes an id.
    /// - Returns: one outcome for each command, in the same order.
    func apply(_ commands: [CommandArrival], at reading: ClockReading) throws(InboxError) -> [CommandOutcome]

    /// Why ``apply(_:at:)`` would refuse a custom message now; `nil` when it would accept it, or has another answer for
    /// its id.
    func reasonNotToAccept(_ customMessage: CustomMessage, onlyWhenNoRing: Bool) throws(InboxError) -> String?

    /// Notes that the clock was set, or that the box was off. The arrival times of waiting notices and custom messages
    /// can then no longer be compared with the clock. Times that a time server had confirmed stay trusted.
    func distrustArrivalTimes() throws(InboxError)

    /// For replay: with 0 the notice announced last, with 1 the one before it. `nil` when there are no more than
    /// `count`.
    func lastAnnounced(skipping count: Int) throws(InboxError) -> InboxEntry?

    func counts() throws(InboxError) -> InboxCounts

    /// The oldest receipts with a sequence above `sequence` that have not been removed.
    func receipts(after sequence: Int64, limit: Int) throws(InboxError) -> [OutgoingReceipt]

    /// Deletes receipts that the broker has confirmed. The file is changed with the next commit, since a commit of
    /// their own would cost as much as a payment's. A kill before that brings a few of them back, which are then sent
    /// once more.
    func removeReceipts(_ sequences: [Int64]) throws(InboxError)

    /// Writes what was deferred. Call it before the box stops or idles for long.
    func settle() throws(InboxError)
}

extension Inbox {
    /// Stores a batch; a time server has confirmed the clock.
    public func store(_ arrivals: [Arrival], at now: Timestamp) throws(InboxError) -> [ArrivalOutcome] {
        try store(arrivals, at: now, clock: .confirmed)
    }

    /// Notes a batch of commands; a time server has confirmed the clock.
    public func apply(_ commands: [CommandArrival], at now: Timestamp) throws(InboxError) -> [CommandOutcome] {
        try apply(commands, at: ClockReading(now))
    }

    /// Notes that the notice was spoken aloud to its last frame.
    public func markAnnounced(_ entry: InboxEntry, at now: Timestamp) throws(InboxError) {
        try markAnnounced(entry, as: .aloud, at: now)
    }

    /// Notes that a summary of the notices was spoken aloud.
    public func markExpired(_ entries: [InboxEntry], at now: Timestamp) throws(InboxError) {
        try markExpired(entries, told: .aloud, at: now)
    }

    /// The notice announced last. `nil` when there is none.
    public func lastAnnounced() throws(InboxError) -> InboxEntry? { try lastAnnounced(skipping: 0) }
}

/// Why the disk refused. Nothing of the transaction has happened.
public enum InboxError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The database cannot be opened: no such folder, no permission, or another program's schema.
    case cannotOpen(path: String, reason: String)
    /// The file is no database, or its pages contradict each other.
    case corrupt(path: String, reason: String)
    /// A read or a commit failed: disk full, read-only, I/O error.
    case failed(path: String, reason: String)

    public var description: String {
        switch self {
        case .cannotOpen(let path, let reason): "cannot open the inbox \(path): \(reason)"
        case .corrupt(let path, let reason):
            "the inbox \(path) is damaged: \(reason); a restart sets it aside and saves what can be read"
        case .failed(let path, let reason): "the inbox \(path) failed: \(reason)"
        }
    }
}

/// What the inbox deletes, and when.
public struct Retention: Sendable, Equatable {
    /// How long a payment is kept after it arrived, with its id and for the history. Until then a notice with the same
    /// id is a duplicate.
    public var keep: Duration
    /// Beyond this many bytes, the oldest ended payments are deleted before ``keep`` has passed.
    public var maximumBytes: Int

    public init(keep: Duration, maximumBytes: Int) {
        self.keep = keep
        self.maximumBytes = maximumBytes
    }
}

/// The result of one step of pruning.
public struct PruningStep: Sendable, Equatable {
    /// Payments deleted because they were old enough.
    public var forgotten = 0
    /// Payments deleted earlier, because the file had outgrown its limit.
    public var forgottenEarly = 0
    /// Nothing was deleted yet, and later rows may be old enough.
    public var looksFurther = false

    public init(forgotten: Int = 0, forgottenEarly: Int = 0) {
        self.forgotten = forgotten
        self.forgottenEarly = forgottenEarly
    }

    /// Whether there may be more to do.
    public var isWorthRepeating: Bool { forgotten + forgottenEarly > 0 || looksFurther }
}

/// The housekeeping of an inbox. Every call blocks on the disk. Any thread.
///
///     while try inbox.prune(retention, now: now).isWorthRepeating {}
///     try inbox.settle()
public protocol InboxUpkeep: Sendable {
    /// Writes what was deferred; see ``Inbox/settle()``.
    func settle() throws(InboxError)

    /// Deletes some ended payments. Never deletes waiting payments or receipts.
    /// - Parameter now: the time by a clock that a time server has confirmed; `nil` if none has. Then only the limit of
    ///   bytes counts.
    func prune(_ retention: Retention, now: Timestamp?) throws(InboxError) -> PruningStep

    /// Notes that people had time to hear about the last salvage, so that the next start need not report it again.
    func salvageWasTold() throws(InboxError)
}
