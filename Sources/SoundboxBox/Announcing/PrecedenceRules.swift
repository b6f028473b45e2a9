import SoundboxCore

/// What waits for its turn to be said, the first one first, as `docs/integration.md` prints it. Cancels and rings are
/// above.
public enum Rank: Int, Sendable, CaseIterable, Comparable {
    case payment
    case refund
    /// A notice of a kind that the voice defines.
    case other
    /// What somebody asked for with a button or a command.
    case request
    /// What the box says of itself.
    case prompt
    /// What a command gave it to say.
    case text

    public static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
}

extension Rank {
    init(_ kind: PaymentNotice.Kind) {
        self =
            switch kind {
            case .payment: .payment
            case .refund: .refund
            case .other: .other
            }
    }
}
