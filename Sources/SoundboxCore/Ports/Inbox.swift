/// Where a notice stands on its way from the broker to the speaker.
public enum NoticeState: String, Sendable, CaseIterable {
    /// On disk, not yet spoken to its end. After a power cut it is spoken from its start: heard twice beats never
    /// heard.
    case received
    /// Sounds now. Only told, and never on the disk, where it is ``received`` until it has been heard.
    case announcing
    case announced
    /// Waited too long; told in a summary.
    case expired
    case cancelled
}

/// One notice as the inbox keeps it.
public struct InboxEntry: Sendable, Equatable {
    /// Order of arrival: rises with every notice, never reused.
    public var sequence: Int64
    public var notice: PaymentNotice
    public var receivedAt: Timestamp
    /// How far ``receivedAt`` can be believed: a box without a clock battery boots in the past.
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
    /// - Parameter remark: stands in the receipt `stored` as its reason: what of the notice is not used, and why.
    case notice(PaymentNotice, remark: String? = nil)
    case rejection(NoticeRejection)
}

/// What became of one arrival.
public enum ArrivalOutcome: Sendable, Equatable {
    case stored(InboxEntry)
    /// The id is known. `differs` holds the stored amount when this notice names another one.
    case duplicate(PaymentNotice, differs: Money?)
    case rejected(NoticeRejection)
}

/// What waits to be spoken, by rank.
public struct NoticeQueue: Sendable, Equatable {
    /// The oldest payments, oldest first.
    public var payments: [InboxEntry]
    /// The oldest refund and the oldest notice of any other kind, as far as there are such.
    public var others: [InboxEntry]
    /// The greatest sequence of a payment that waits; `nil` when none does.
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
    /// Not yet spoken to their end.
    public var waiting: Int
    /// Announced since the inbox was made, including those that it has forgotten.
    public var announced: Int
    /// Receipts that the broker has not confirmed.
    public var receiptsWaiting: Int

    public init(waiting: Int, announced: Int, receiptsWaiting: Int) {
        self.waiting = waiting
        self.announced = announced
        self.receiptsWaiting = receiptsWaiting
    }
}

/// The durable store of notices: dedupe set, queue, history and outbox of receipts in one.
///
/// Every change is one transaction together with the receipts it causes; when a method returns, the change is on disk
/// and survives a power cut. Every method blocks for as long as the disk takes, so none may be called on Swift's
/// shared pool. Methods may be called from several threads; they take turns.
public protocol Inbox: Sendable {
    /// Stores a batch in order and writes its receipts: `stored`, `duplicate` or `rejected`.
    /// - Parameter clock: how far `now` can be believed.
    /// - Returns: one outcome for each arrival, in the same order.
    func store(
        _ arrivals: [Arrival], at now: Timestamp, clock: ClockTrust
    ) throws(InboxError) -> [ArrivalOutcome]

    /// The notices not yet spoken, oldest arrival first.
    func waiting(limit: Int) throws(InboxError) -> [InboxEntry]

    /// The notices not yet spoken, by rank.
    /// - Parameter limit: of payments.
    func queue(limit: Int) throws(InboxError) -> NoticeQueue

    /// - Returns: those that still wait. The others were cancelled in the meantime and must not be spoken.
    func stillWaiting(_ entries: [InboxEntry]) throws(InboxError) -> [InboxEntry]

    /// Notes that the notice was spoken to its last frame and writes its receipt. Changes nothing if it was cancelled
    /// in the meantime.
    /// - Parameter manner: how it was spoken; stands in the receipt.
    func markAnnounced(_ entry: InboxEntry, as audibility: Audibility, at now: Timestamp) throws(InboxError)

    /// Notes that the notices were too late to be spoken one by one and writes their receipts.
    /// - Parameter manner: how they were told together. Their receipts then carry the id of that summary. `nil` when
    ///   nothing was said about them.
    func markExpired(_ entries: [InboxEntry], told audibility: Audibility?, at now: Timestamp) throws(InboxError)

    /// Whether a notice of that id was stored, whatever has become of it.
    func knows(_ id: PaymentID) throws(InboxError) -> Bool

    /// Notes a batch of commands in order and writes their receipts, in one transaction. Of a refused one
    /// (``CommandOutcome/isRefusal``) it writes nothing, and where all are refused there is no commit.
    ///
    /// An id is forgotten once its time has passed. Beyond ``CommandID/limit`` the oldest ids are forgotten earlier. So
    /// it is with cancels that came before their custom message, beyond ``CustomMessage/mostCancelledBefore``.
    /// - Parameter reading: what is past its time is judged by ``ClockReading/earliest``: a wrong clock forgets no id.
    /// - Returns: one outcome for each command, in the same order.
    func take(_ commands: [CommandArrival], at reading: ClockReading) throws(InboxError) -> [CommandOutcome]

    /// Why ``take(_:at:)`` would not accept a custom message now; `nil` when it would, or has an answer for its id.
    func reasonNotToAccept(_ customMessage: CustomMessage, onlyWhenNoRing: Bool) throws(InboxError) -> String?

    /// Notes that the clock was set, or that the box was off, so that the arrival times of the waiting notices and
    /// custom messages can no longer be compared with it. Those that a time server had confirmed stay as they are.
    func distrustArrivalTimes() throws(InboxError)

    /// For replay: with 0 the notice announced last, with 1 the one before it. `nil` when there are no more than
    /// `count`.
    func lastAnnounced(skipping count: Int) throws(InboxError) -> InboxEntry?

    func counts() throws(InboxError) -> InboxCounts

    /// The oldest receipts with a sequence above `sequence` that have not been removed.
    func receipts(after sequence: Int64, limit: Int) throws(InboxError) -> [OutgoingReceipt]

    /// Forgets receipts that the broker has confirmed. On the disk they go with the next change, since a commit of
    /// their own would cost as much as a payment's: a kill before that brings a few of them back, which are then sent
    /// once more.
    func removeReceipts(_ sequences: [Int64]) throws(InboxError)

    /// Writes what was put off, before the box ends or rests for long.
    func settle() throws(InboxError)
}

extension Inbox {
    /// Stores a batch under a clock that a time server has confirmed.
    public func store(_ arrivals: [Arrival], at now: Timestamp) throws(InboxError) -> [ArrivalOutcome] {
        try store(arrivals, at: now, clock: .confirmed)
    }

    /// Notes a batch of commands under a clock that a time server has confirmed.
    public func take(_ commands: [CommandArrival], at now: Timestamp) throws(InboxError) -> [CommandOutcome] {
        try take(commands, at: ClockReading(now))
    }

    /// Notes that the notice was spoken aloud to its last frame.
    public func markAnnounced(_ entry: InboxEntry, at now: Timestamp) throws(InboxError) {
        try markAnnounced(entry, as: .aloud, at: now)
    }

    /// Notes that the notices were told aloud in a summary.
    public func markExpired(_ entries: [InboxEntry], at now: Timestamp) throws(InboxError) {
        try markExpired(entries, told: .aloud, at: now)
    }

    /// The notice announced last. `nil` when there is none.
    public func lastAnnounced() throws(InboxError) -> InboxEntry? { try lastAnnounced(skipping: 0) }
}

/// The disk refused. Nothing of the transaction has happened.
public enum InboxError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The database cannot be opened: no such folder, no right to it, or a schema of another program.
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
