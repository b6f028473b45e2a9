/// What came in and went out in a range of time, counted and summed: exact, and for each currency by itself.
///
/// Payments are what came in, refunds what went out; every other kind of news is counted apart and is in no total. What
/// was cancelled counts as nothing but cancelled.
public struct Totals: Sendable, Equatable {
    /// Payments and refunds of one currency.
    public struct Takings: Sendable, Equatable {
        public var payments = 0
        public var gross = ExactSum.zero
        public var refunds = 0
        public var refunded = ExactSum.zero

        public var net: ExactSum { gross - refunded }

        public init() {}

        static func + (left: Takings, right: Takings) -> Takings {
            var sum = left
            sum.payments += right.payments
            sum.gross += right.gross
            sum.refunds += right.refunds
            sum.refunded += right.refunded
            return sum
        }
    }

    /// One way to pay, in one currency. `name` is `nil` where the provider names none.
    public struct Channel: Sendable, Hashable {
        public var name: String?
        public var currency: Currency

        public init(name: String?, currency: Currency) {
            self.name = name
            self.currency = currency
        }
    }

    /// A kind of news that is neither, in one currency.
    public struct OtherKind: Sendable, Hashable {
        public var name: String
        public var currency: Currency

        public init(name: String, currency: Currency) {
            self.name = name
            self.currency = currency
        }
    }

    public struct Count: Sendable, Equatable {
        public var count = 0
        public var sum = ExactSum.zero

        public init() {}

        static func + (left: Count, right: Count) -> Count {
            var sum = left
            sum.count += right.count
            sum.sum += right.sum
            return sum
        }
    }

    public var currencies: [Currency: Takings] = [:]
    public var channels: [Channel: Takings] = [:]
    public var others: [OtherKind: Count] = [:]
    public var cancelled = 0
    /// Notices that may be of this range or not: the clock could not be believed when they came. They are in no total.
    public var untimed = 0
    /// Rows that cannot be read. They are in no total, which is too small then, or too large.
    public var unreadable: UnreadableRows?
    /// Whether something later than the range, or earlier, was among what was looked at.
    var sawLater = false
    var sawEarlier = false

    public init() {}

    public var payments: Int { currencies.values.reduce(0) { $0 + $1.payments } }
    public var refunds: Int { currencies.values.reduce(0) { $0 + $1.refunds } }

    /// Counts what arrived before everything counted so far.
    ///
    /// Notices are in the order in which they came. So what has no time and came after something later than the range is
    /// later as well, and what came before something earlier is earlier.
    public mutating func add(earlier page: HistoryPage, from start: Timestamp?, to end: Timestamp?) {
        for entry in page.entries { add(earlier: entry.entry, from: start, to: end) }
        unreadable = Self.sum(unreadable, page.unreadable)
    }

    private mutating func add(earlier entry: InboxEntry, from start: Timestamp?, to end: Timestamp?) {
        guard entry.isTimed else {
            if entry.state != .cancelled, !sawEarlier { untimed += 1 }
            return
        }
        if let end, entry.receivedAt >= end {
            sawLater = true
            untimed = 0
            return
        }
        if let start, entry.receivedAt < start {
            sawEarlier = true
            return
        }
        let notice = entry.notice
        count(notice.kind, notice.money, channel: notice.channel, isCancelled: entry.state == .cancelled)
    }

    /// Counts one notice that is of the range.
    mutating func count(_ kind: PaymentNotice.Kind, _ money: Money, channel name: String?, isCancelled: Bool) {
        guard !isCancelled else {
            cancelled += 1
            return
        }
        let (currency, amount) = (money.currency, ExactSum(money.amount))
        if kind == .payment || kind == .refund {
            var takings = Takings()
            if kind == .payment {
                (takings.payments, takings.gross) = (1, amount)
            } else {
                (takings.refunds, takings.refunded) = (1, amount)
            }
            currencies[currency, default: .init()] = currencies[currency, default: .init()] + takings
            let channel = Channel(name: name, currency: currency)
            channels[channel, default: .init()] = channels[channel, default: .init()] + takings
        } else {
            let kind = OtherKind(name: kind.rawValue, currency: currency)
            others[kind, default: .init()].count += 1
            others[kind, default: .init()].sum += amount
        }
    }

    /// Counts in what somebody else has counted of what arrived before everything counted here.
    public mutating func add(earlier other: Totals) {
        currencies.merge(other.currencies, uniquingKeysWith: +)
        channels.merge(other.channels, uniquingKeysWith: +)
        others.merge(other.others, uniquingKeysWith: +)
        cancelled += other.cancelled
        untimed = (other.sawLater ? 0 : untimed) + (sawEarlier ? 0 : other.untimed)
        unreadable = Self.sum(unreadable, other.unreadable)
        sawLater = sawLater || other.sawLater
        sawEarlier = sawEarlier || other.sawEarlier
    }

    private static func sum(_ left: UnreadableRows?, _ right: UnreadableRows?) -> UnreadableRows? {
        guard let left, let right else { return left ?? right }
        return left + right
    }
}
