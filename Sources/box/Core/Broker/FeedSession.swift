/// What the broker says about the box's session at the beginning of a connection.
public struct FeedSession: Sendable, Equatable {
    /// The client id of the session.
    public var clientID: String
    /// The broker's address.
    public var broker: String
    /// The subscriptions still exist, and messages for them that came while the box was away are delivered now.
    /// Otherwise the broker has begun a new session, and undelivered messages of an earlier one are lost.
    public var isResumed: Bool

    public init(clientID: String, broker: String, isResumed: Bool) {
        self.clientID = clientID
        self.broker = broker
        self.isResumed = isResumed
    }
}
