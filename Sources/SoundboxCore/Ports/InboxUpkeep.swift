/// What the inbox forgets, and when.
public struct Retention: Sendable, Equatable {
    /// How long a payment is kept after it arrived, with its id and for the history. A notice with this id is a duplicate
    /// until then.
    public var keep: Duration
    /// Beyond this many bytes, the oldest payments that have ended are forgotten before their time.
    public var maximumBytes: Int

    public init(keep: Duration, maximumBytes: Int) {
        self.keep = keep
        self.maximumBytes = maximumBytes
    }
}

/// What one step of pruning did.
public struct PruningStep: Sendable, Equatable {
    /// Payments forgotten because they were old enough.
    public var forgotten = 0
    /// Payments forgotten before that, because the file had outgrown its limit.
    public var forgottenEarly = 0
    /// Nothing was forgotten so far, and the rows behind those that were looked at may be old enough.
    public var looksFurther = false

    public init(forgotten: Int = 0, forgottenEarly: Int = 0) {
        self.forgotten = forgotten
        self.forgottenEarly = forgottenEarly
    }

    /// Whether there may be more to do.
    public var isWorthRepeating: Bool { forgotten + forgottenEarly > 0 || looksFurther }
}

/// The housekeeping of an inbox. Every call blocks on the disk.
public protocol InboxUpkeep: Sendable {
    /// Writes what was put off; see ``Inbox/settle()``.
    func settle() throws(InboxError)

    /// Forgets some payments that have ended. Never forgets waiting payments or receipts.
    /// - Parameter now: the time by a clock that a time server has confirmed; `nil` without. Then only the limit of bytes
    ///   counts.
    func prune(_ retention: Retention, now: Timestamp?) throws(InboxError) -> PruningStep

    /// Notes that people had time to hear about the last salvage, so that a start need not report it again.
    func salvageWasTold() throws(InboxError)
}
