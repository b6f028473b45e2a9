/// A topic of a box, with its properties. The client, the test of the access list and the test of `docs/integration.md`
/// use them.
public enum Topic: String, Sendable, CaseIterable {
    /// Payment notices.
    case payments
    case commands
    /// The result of each notice, ring and sentence.
    case receipts
    /// The reply to each command.
    case replies
    /// Whether the box is online, and its state.
    case status
    /// The box, and a trial of its connection, send themselves messages here. No other client subscribes to it, and no
    /// message on it is money.
    case probe

    /// Who publishes, and who listens.
    public enum Direction: Sendable, Equatable {
        /// The provider publishes, the box listens.
        case toBox
        /// The box publishes, the provider listens.
        case fromBox
        /// The box does both.
        case withinBox
    }

    public var direction: Direction {
        switch self {
        case .payments, .commands: .toBox
        case .receipts, .replies, .status: .fromBox
        case .probe: .withinBox
        }
    }

    /// Whether the broker keeps the last message for later subscribers.
    public var isRetained: Bool { self == .status }

    /// At least once, on every topic. QoS 0 loses payments, and QoS 2 is not needed: the box recognises payments and
    /// commands by their ids.
    public static let qualityOfService: UInt8 = 1
}
