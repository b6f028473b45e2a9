/// An incident of the inbox's file that people must hear about.
public enum StorageIncident: Sendable, Equatable, CustomStringConvertible {
    /// The file was damaged, missing, or of another version.
    case damaged(SetAsideDatabase)
    /// The file was no longer at its path and was written there again. `kept` is the file that was there instead,
    /// renamed.
    case displaced(reason: String, kept: String?)
    /// The last transaction before this start was damaged, and this many payments of it cannot be read.
    case transactionDamaged(lost: Int)

    /// One line for the status and the log.
    public var description: String {
        switch self {
        case .damaged(let damaged) where damaged.reason == SetAsideDatabase.missing:
            "\(damaged.reason), though this box had one; it goes on with a new one: payments that waited are lost, and "
                + "one that is sent again is spoken again"
        case .damaged(let damaged):
            "the payment database was put aside: \(damaged.reason); it is kept as \(damaged.path), and "
                + "\(damaged.savedWaiting) payments that wait were saved from it; some may be missing"
        case .transactionDamaged(let lost):
            "the last transaction of the payment database was damaged: \(lost) payments of it cannot be read and are not "
                + "spoken; their senders are asked to publish them again as far as their ids are known"
        case .displaced(let reason, let kept):
            "while the box ran \(reason); the payment database was written there anew, nothing is lost"
                + (kept.map { "; what stood there is kept as \($0)" } ?? "")
        }
    }
}

/// The result of setting a damaged database aside.
public struct SetAsideDatabase: Sendable, Equatable {
    /// Where the damaged file is now.
    public var path: String
    /// Why it was set aside, in SQLite's words.
    public var reason: String
    /// How many payments that were not heard could be read from it.
    public var savedWaiting: Int

    /// The reason if there was no file any more.
    static let missing = "the payment database is missing"
}
