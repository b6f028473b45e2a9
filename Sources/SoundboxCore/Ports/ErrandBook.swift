/// The durable store of errands. The inbox is one: what a command changes and its receipt are one transaction.
///
/// Every method blocks for as long as the disk takes, and may be called from several threads; they take turns.
public protocol ErrandBook: Sendable {
    /// Those that have not ended, oldest arrival first.
    func errands() throws(InboxError) -> [ErrandEntry]

    /// - Returns: `false` when it was cancelled in the meantime and must not sound.
    func stillWaits(_ entry: ErrandEntry) throws(InboxError) -> Bool

    /// Forgets the errand and writes its receipt.
    /// - Returns: `false` when it had ended already, by a cancel; nothing is written then.
    func end(_ entry: ErrandEntry, as end: ErrandEnd, at now: Timestamp) throws(InboxError) -> Bool
}
