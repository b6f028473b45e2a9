/// What the broker has kept for the box, as it says at the beginning of a connection.
public struct FeedSession: Sendable, Equatable {
    /// The broker keeps it under this name.
    public var clientID: String
    /// The broker's address.
    public var broker: String
    /// The subscriptions are still there, and what came for them while the box was away is delivered now. Otherwise the
    /// broker has begun a new session, and whatever waited in an earlier one is gone.
    public var isResumed: Bool

    public init(clientID: String, broker: String, isResumed: Bool) {
        self.clientID = clientID
        self.broker = broker
        self.isResumed = isResumed
    }
}
