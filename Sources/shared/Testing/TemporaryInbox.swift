import SoundboxCore
import SoundboxStore
import Synchronization
import TestSupport

/// A real inbox in a temporary folder, which can fail on request:
///
///     let inbox = TemporaryInbox()
///     inbox.fail(with: error)
///     #expect(throws: InboxError.self) { try inbox.counts() }
public final class TemporaryInbox: Inbox, InboxUpkeep, CustomMessageStore, PaymentHistory {
    // Declared first, so that its file is closed before the folder is removed.
    private let inbox: Result<SQLiteInbox, InboxError>
    private let folder: TemporaryFolder?
    private let failure = Mutex<InboxError?>(nil)

    /// Makes an empty inbox. If that fails, every method throws the error.
    public init() {
        let folder = try? TemporaryFolder(inMemory: true)
        self.folder = folder
        inbox = Result { () throws(InboxError) in try SQLiteInbox(path: folder?.file("inbox.sqlite") ?? "/tmp") }
    }

    /// Makes every method throw this from now on; `nil` ends it.
    public func fail(with failure: InboxError?) { self.failure.withLock { $0 = failure } }

    private var real: SQLiteInbox {
        get throws(InboxError) {
            if let failure = failure.withLock(\.self) { throw failure }
            return try inbox.get()
        }
    }

    public func store(
        _ arrivals: [Arrival], at now: Timestamp, clock: ClockTrust
    ) throws(InboxError) -> [ArrivalOutcome] {
        try real.store(arrivals, at: now, clock: clock)
    }

    public func waiting(limit: Int) throws(InboxError) -> [InboxEntry] { try real.waiting(limit: limit) }

    public func queue(limit: Int) throws(InboxError) -> NoticeQueue { try real.queue(limit: limit) }

    public func stillWaiting(_ entries: [InboxEntry]) throws(InboxError) -> [InboxEntry] {
        try real.stillWaiting(entries)
    }

    public func markAnnounced(_ entry: InboxEntry, as audibility: Audibility, at now: Timestamp) throws(InboxError) {
        try real.markAnnounced(entry, as: audibility, at: now)
    }

    public func markExpired(_ entries: [InboxEntry], told audibility: Audibility?, at now: Timestamp) throws(InboxError)
    {
        try real.markExpired(entries, told: audibility, at: now)
    }

    public func knows(_ id: PaymentID) throws(InboxError) -> Bool { try real.knows(id) }

    public func apply(_ commands: [CommandArrival], at reading: ClockReading) throws(InboxError) -> [CommandOutcome] {
        try real.apply(commands, at: reading)
    }

    public func reasonNotToAccept(_ customMessage: CustomMessage, onlyWhenNoRing: Bool) throws(InboxError) -> String? {
        try real.reasonNotToAccept(customMessage, onlyWhenNoRing: onlyWhenNoRing)
    }

    public func distrustArrivalTimes() throws(InboxError) { try real.distrustArrivalTimes() }

    public func lastAnnounced(skipping count: Int) throws(InboxError) -> InboxEntry? {
        try real.lastAnnounced(skipping: count)
    }

    public func counts() throws(InboxError) -> InboxCounts { try real.counts() }

    public func receipts(after sequence: Int64, limit: Int) throws(InboxError) -> [OutgoingReceipt] {
        try real.receipts(after: sequence, limit: limit)
    }

    public func removeReceipts(_ sequences: [Int64]) throws(InboxError) { try real.removeReceipts(sequences) }

    public func settle() throws(InboxError) { try real.settle() }

    public func prune(_ retention: Retention, now: Timestamp?) throws(InboxError) -> PruningStep {
        try real.prune(retention, now: now)
    }

    public func salvageWasTold() throws(InboxError) { try real.salvageWasTold() }

    public func customMessages() throws(InboxError) -> [CustomMessageEntry] { try real.customMessages() }

    public func stillWaits(_ entry: CustomMessageEntry) throws(InboxError) -> Bool { try real.stillWaits(entry) }

    public func end(_ entry: CustomMessageEntry, as end: CustomMessageEnd, at now: Timestamp) throws(InboxError) -> Bool
    {
        try real.end(entry, as: end, at: now)
    }

    public func history(
        _ filter: HistoryFilter, before sequence: Int64?, limit: Int
    ) throws(InboxError) -> HistoryPage {
        try real.history(filter, before: sequence, limit: limit)
    }
}

extension Inbox {
    /// Cancels a payment like a command, and returns the outcome.
    @discardableResult
    public func cancel(
        _ id: PaymentID, hasBegun: Bool = false, at now: Timestamp
    ) throws(InboxError) -> CommandOutcome? {
        try apply([.cancel(.payment(id), expiry: now, hasBegun: hasBegun)], at: now).first
    }
}
