/// The durable store of custom messages. The inbox is one: what a command changes and its receipt are one transaction.
///
/// Every method blocks for as long as the disk takes, and may be called from several threads; they take turns.
public protocol CustomMessageStore: Sendable {
    /// Those that have not ended, oldest arrival first.
    func customMessages() throws(InboxError) -> [CustomMessageEntry]

    /// - Returns: `false` when it was cancelled in the meantime and must not sound.
    func stillWaits(_ entry: CustomMessageEntry) throws(InboxError) -> Bool

    /// Forgets the custom message and writes its receipt.
    /// - Returns: `false` when it had ended already, by a cancel; nothing is written then.
    func end(_ entry: CustomMessageEntry, as end: CustomMessageEnd, at now: Timestamp) throws(InboxError) -> Bool
}
