/// A topic of a box, and all that is to be known about it. The client, the access list's test and the test of
/// `docs/integration.md` read it here.
public enum Topic: String, Sendable, CaseIterable {
    /// Payment notices.
    case payments
    case commands
    /// What became of each notice, and of each ring and sentence.
    case receipts
    /// What became of each command.
    case replies
    /// Whether the box is there, and how it is.
    case status
    /// Where the box, and a trial of its connection, send themselves messages. Nobody else listens there, so that
    /// they are never money.
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

    /// Whether the broker keeps the last message for those who come later.
    public var isRetained: Bool { self == .status }

    /// At least once, on every topic: QoS 0 loses payments, and nothing that the box does needs the second round trip of
    /// QoS 2, since it knows payments and commands by their ids.
    public static let qualityOfService: UInt8 = 1
}
