/// What the inbox forgets, and when.
public struct Retention: Sendable, Equatable {
    /// How long an id is known after its payment arrived: a notice that comes again within this time is a duplicate.
    public var keepIDs: Duration
    /// Beyond this many bytes the oldest payments that have ended are forgotten before their time.
    public var maximumBytes: Int

    public init(keepIDs: Duration, maximumBytes: Int) {
        self.keepIDs = keepIDs
        self.maximumBytes = maximumBytes
    }
}

/// What one step of pruning did.
public struct PruningStep: Sendable, Equatable {
    /// Forgotten because they were old enough.
    public var forgotten = 0
    /// Forgotten although they were not, because the file had outgrown its limit.
    public var forgottenEarly = 0

    public init(forgotten: Int = 0, forgottenEarly: Int = 0) {
        self.forgotten = forgotten
        self.forgottenEarly = forgottenEarly
    }

    /// There may be more to do.
    public var isWorthRepeating: Bool { forgotten + forgottenEarly > 0 }
}

/// What an inbox needs done from time to time. Every call blocks on the disk.
public protocol InboxUpkeep: Sendable {
    /// Gives some rows behind `sequence` that an older version wrote their checksums.
    /// - Returns: where to go on; `nil` when every row has one.
    func seal(after sequence: Int64) throws(InboxError) -> Int64?

    /// Forgets some of what has ended. Waiting payments and receipts are never forgotten.
    /// - Parameter now: by a clock that is set; `nil` while it is not, and then only the limit of bytes counts.
    func prune(_ retention: Retention, now: Timestamp?) throws(InboxError) -> PruningStep

    /// Notes that people had time to hear of the last salvage: a start need no longer tell of it.
    func salvageWasTold() throws(InboxError)
}
