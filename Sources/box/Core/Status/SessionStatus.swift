/// What the box reports about its session at the broker.
public struct SessionStatus: Sendable, Equatable {
    /// Whether the broker still knew the session at the last connection.
    public var isResumed: Bool
    /// Counts the sessions: see ``SessionRecord/epoch``.
    public var epoch: Int
    /// When the box first saw this session.
    public var began: Timestamp

    public init(isResumed: Bool, epoch: Int, began: Timestamp) {
        self.isResumed = isResumed
        self.epoch = epoch
        self.began = began
    }

    static let resumed = "resumed"

    /// Reads `session`, `session_epoch` and `session_since` of a status.
    init?(decoding status: JSONValue) {
        guard let session = status["session"]?.string, let epoch = status["session_epoch"]?.integer,
            let began = status["session_since"]?.string.flatMap(Timestamp.init(rfc3339:))
        else { return nil }
        self.init(isResumed: session == Self.resumed, epoch: epoch, began: began)
    }

    var summary: String { "\(isResumed ? Self.resumed : "new"), the box's number \(epoch), since \(began)" }
}
