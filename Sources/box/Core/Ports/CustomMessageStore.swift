/// The durable store of custom messages. The inbox implements it: a command's change and its receipt are one
/// transaction.
///
///     for entry in try store.customMessages() where try store.stillWaits(entry) {
///         // … speak it
///         _ = try store.end(entry, as: end, at: now)
///     }
///
/// Every method blocks on the disk. Any thread; calls take turns.
public protocol CustomMessageStore: Sendable {
    /// The custom messages that have not ended, oldest arrival first.
    func customMessages() throws(InboxError) -> [CustomMessageEntry]

    /// - Returns: `false` when it was cancelled in the meantime and must not be played.
    func stillWaits(_ entry: CustomMessageEntry) throws(InboxError) -> Bool

    /// Removes the custom message and writes its receipt.
    /// - Returns: `false` when a cancel had ended it already; nothing is written then.
    func end(_ entry: CustomMessageEntry, as end: CustomMessageEnd, at now: Timestamp) throws(InboxError) -> Bool
}
