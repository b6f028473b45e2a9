/// Something that happened to the inbox's file and that people must hear about.
public enum StorageIncident: Sendable, Equatable, CustomStringConvertible {
    /// It was damaged, missing, or of another version.
    case damaged(SetAsideDatabase)
    /// It was no longer at its path and was written there again. `kept` is the file that was there instead, renamed.
    case displaced(reason: String, kept: String?)

    /// One line for the status and the log.
    public var description: String {
        switch self {
        case .damaged(let damaged) where damaged.reason == SetAsideDatabase.missing:
            "\(damaged.reason), though this box had one; it goes on with a new one: payments that waited are lost, and "
                + "one that is sent again is spoken again"
        case .damaged(let damaged):
            "the payment database was put aside: \(damaged.reason); it is kept as \(damaged.path), and "
                + "\(damaged.savedWaiting) payments that wait were saved from it; some may be missing"
        case .displaced(let reason, let kept):
            "while the box ran \(reason); the payment database was written there anew, nothing is lost"
                + (kept.map { "; what stood there is kept as \($0)" } ?? "")
        }
    }
}

/// What happened to a database that was found damaged.
public struct SetAsideDatabase: Sendable, Equatable {
    /// Where the damaged file is now.
    public var path: String
    /// Why it was set aside, in SQLite's words.
    public var reason: String
    /// How many payments that nobody has heard could be read from it.
    public var savedWaiting: Int

    /// The reason where there was no file any more.
    static let missing = "the payment database is missing"
}
