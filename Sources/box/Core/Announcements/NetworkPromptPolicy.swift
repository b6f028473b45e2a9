/// Which network prompts the box speaks by itself, and when.
public struct NetworkPromptPolicy: Sendable, Equatable {
    /// How long the network must be away before it counts as lost.
    public var grace: Duration
    /// Whether the box says that the network was lost or found.
    public var saysNetwork: Bool
    /// Whether a box that has started says that it is ready.
    public var saysReady: Bool

    public init(grace: Duration = .seconds(30), saysNetwork: Bool = true, saysReady: Bool = true) {
        self.grace = grace
        self.saysNetwork = saysNetwork
        self.saysReady = saysReady
    }
}
