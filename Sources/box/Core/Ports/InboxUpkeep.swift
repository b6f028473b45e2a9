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
