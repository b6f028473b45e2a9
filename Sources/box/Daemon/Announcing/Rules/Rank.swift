import SoundboxCore

/// The order of announcements, the most urgent first; `docs/integration.md` has the same list. Cancels and rings rank
/// above.
enum Rank: Int, Sendable, CaseIterable, Comparable {
    case payment
    case refund
    /// A notice of a kind that the voice defines.
    case other
    /// The answer to a button or a command.
    case request
    /// A message of the box about itself.
    case prompt
    /// The words of a `say` command.
    case text

    static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
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
