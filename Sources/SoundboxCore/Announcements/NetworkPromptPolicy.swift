/// Which prompts about the network are said, and when.
public struct NetworkPromptPolicy: Sendable, Equatable {
    /// How long the network has to be away.
    public var grace: Duration
    /// Whether lost and found are said.
    public var saysNetwork: Bool
    /// Whether a box that has started says that it is ready.
    public var saysReady: Bool

    public init(grace: Duration = .seconds(30), saysNetwork: Bool = true, saysReady: Bool = true) {
        self.grace = grace
        self.saysNetwork = saysNetwork
        self.saysReady = saysReady
    }
}
