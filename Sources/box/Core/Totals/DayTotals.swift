/// The takings of a business day, or why they are not known.
public enum DayTotals: Sendable, Equatable, CustomStringConvertible {
    case known(DayTakings)
    /// The day, or what belongs to it, is not known. The reason is for people.
    case unknown(reason: String)

    /// A notice that may belong to the day and is not counted makes the totals unknown.
    public init(_ totals: Totals) {
        if let unreadable = totals.unreadable {
            self = .unknown(
                reason: "\(unreadable.count) rows of the history cannot be read, the first is row \(unreadable.first)")
        } else if totals.timeUnknown > 0 {
            self = .unknown(reason: "\(totals.timeUnknown) payments have come whose time is not known")
        } else {
            self = .known(DayTakings(totals))
        }
    }

    /// For logs.
    public var description: String {
        switch self {
        case .known(let takings): "\(takings.payments) payments, \(takings.refunds) refunds"
        case .unknown(let reason): "unknown: \(reason)"
        }
    }
}

/// A business day's takings as they are spoken.
public struct DayTakings: Sendable, Equatable {
    /// Payments that were not cancelled.
    public var payments: Int
    /// Their total for each currency, in alphabetical order of the codes; none at all when one cannot be spoken.
    public var totals: [Money]
    public var refunds: Int
    /// See ``totals``.
    public var refundTotals: [Money]

    public init(payments: Int, totals: [Money], refunds: Int = 0, refundTotals: [Money] = []) {
        self.payments = payments
        self.totals = totals
        self.refunds = refunds
        self.refundTotals = refundTotals
    }

    public init(_ totals: Totals) {
        let takings = totals.currencies.sorted { $0.key.code < $1.key.code }
        self.init(
            payments: totals.payments,
            totals: Self.spoken(takings.filter { $0.value.payments > 0 }.map { ($0.key, $0.value.gross) }),
            refunds: totals.refunds,
            refundTotals: Self.spoken(takings.filter { $0.value.refunds > 0 }.map { ($0.key, $0.value.refunded) }))
    }

    private static func spoken(_ sums: [(currency: Currency, sum: ExactSum)]) -> [Money] {
        let amounts = sums.compactMap { currency, sum in sum.amount.map { Money($0, currency) } }
        return amounts.count == sums.count ? amounts : []
    }
}
