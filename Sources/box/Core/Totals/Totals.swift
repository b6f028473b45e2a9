/// Payments and refunds of a range of time, counted and summed: exactly, and for each currency separately.
///
///     var totals = Totals()
///     totals.add(earlier: page, from: day.start, to: day.end)
///     print(totals.currencies[.CNY]?.net ?? .zero)
///
/// Payments came in, refunds were paid back; every other kind of news is counted separately and is in no total.
/// Cancelled notices are only counted as cancelled.
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

    /// One way of payment, in one currency. `name` is `nil` if the provider names none.
    public struct Channel: Sendable, Hashable {
        public var name: String?
        public var currency: Currency

        public init(name: String?, currency: Currency) {
            self.name = name
            self.currency = currency
        }
    }

    /// A kind of news that is neither payment nor refund, in one currency.
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

        package static func + (left: Count, right: Count) -> Count {
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
    /// Notices that may or may not be of this range: the clock was not trusted when they came. They are in no total.
    var untimed = 0
    /// Notices with a time that is later than that of following ones, or than now: the clock was set back. They are in
    /// no total.
    var misdated = 0
    /// Rows that cannot be read. They are in no total, which may be too small or too large then.
    public var unreadable: UnreadableRows?
    /// How many notices later than the range were read, and whether any within the range and any earlier were. Misdated
    /// notices are not counted here.
    var later = 0
    var sawWithin = false
    var sawEarlier = false

    public init() {}

    /// Notices that may or may not be of this range. They are in no total.
    public var timeUnknown: Int { untimed + misdated }

    /// Whether nothing that may be of the range is missing.
    public var isComplete: Bool { timeUnknown == 0 && unreadable == nil }

    public var payments: Int { currencies.values.reduce(0) { $0 + $1.payments } }
    public var refunds: Int { currencies.values.reduce(0) { $0 + $1.refunds } }

    /// Counts notices that arrived before all notices counted so far.
    ///
    /// Notices are in the order of their arrival. So one without a time that came after one later than the range is
    /// later as well, and one that came before an earlier one is earlier. If two times contradict that order, the clock
    /// was wrong at one of them, and it is not known on which side of the range the earlier notice is.
    /// - Parameter now: `nil` while the clock is not trusted.
    public mutating func add(
        earlier page: HistoryPage, from start: Timestamp?, to end: Timestamp?, now: Timestamp? = nil
    ) {
        let isPast = { (time: Timestamp) in end.map { time >= $0 } ?? false }
        let isAhead = { (time: Timestamp) in start.map { time < $0 } ?? false }
        for entry in page.entries.map(\.entry) {
            let isCancelled = entry.state == .cancelled
            if !entry.isTimed {
                if !isCancelled, !sawEarlier { untimed += 1 }
            } else if isPast(entry.receivedAt) {
                if sawWithin || sawEarlier || now.map({ !isPast($0) }) ?? false {
                    misdated += 1
                } else {
                    later += 1
                    untimed = 0
                }
            } else if isAhead(entry.receivedAt) {
                sawEarlier = true
            } else if !isCancelled, sawEarlier || now.map(isAhead) ?? false {
                misdated += 1
            } else {
                if !sawEarlier { sawWithin = true }
                let notice = entry.notice
                count(notice.kind, notice.money, channel: notice.channel, isCancelled: isCancelled)
            }
        }
        unreadable = Self.sum(unreadable, page.unreadable)
    }

    /// Counts one notice of the range.
    package mutating func count(_ kind: PaymentNotice.Kind, _ money: Money, channel name: String?, isCancelled: Bool) {
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

    /// Adds totals of notices that arrived before all notices counted here.
    public mutating func add(earlier other: Totals) {
        cancelled += other.cancelled
        misdated += other.misdated
        if sawEarlier {
            misdated += other.payments + other.refunds + other.others.values.reduce(0) { $0 + $1.count }
        } else {
            currencies.merge(other.currencies, uniquingKeysWith: +)
            channels.merge(other.channels, uniquingKeysWith: +)
            others.merge(other.others, uniquingKeysWith: +)
        }
        if sawWithin || sawEarlier {
            misdated += other.later
        } else {
            if other.later > 0 { untimed = 0 }
            later += other.later
        }
        if !sawEarlier {
            untimed += other.untimed
            sawWithin = sawWithin || other.sawWithin
        }
        unreadable = Self.sum(unreadable, other.unreadable)
        sawEarlier = sawEarlier || other.sawEarlier
    }

    private static func sum(_ left: UnreadableRows?, _ right: UnreadableRows?) -> UnreadableRows? {
        guard let left, let right else { return left ?? right }
        return left + right
    }
}
