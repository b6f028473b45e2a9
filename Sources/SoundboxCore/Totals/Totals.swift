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
    var untimed = 0
    /// Likewise notices with a time that is later than what came after them, or than now: the clock was set back.
    var misdated = 0
    /// Rows that cannot be read. They are in no total, which is too small then, or too large.
    public var unreadable: UnreadableRows?
    /// How many notices later than the range were among what was looked at, and whether something of it and something
    /// earlier was. Misdated ones are not meant.
    var later = 0
    var sawWithin = false
    var sawEarlier = false

    public init() {}

    /// Notices that may be of this range or not. They are in no total.
    public var timeUnknown: Int { untimed + misdated }

    /// Whether nothing that may be of the range is missing.
    public var isComplete: Bool { timeUnknown == 0 && unreadable == nil }

    public var payments: Int { currencies.values.reduce(0) { $0 + $1.payments } }
    public var refunds: Int { currencies.values.reduce(0) { $0 + $1.refunds } }

    /// Counts what arrived before everything counted so far.
    ///
    /// Notices are in the order in which they came. So what has no time and came after something later than the range is
    /// later as well, and what came before something earlier is earlier. Where two times contradict that order the clock
    /// was wrong at one of them: which side of the range the earlier notice is on is not known then.
    /// - Parameter now: `nil` while the clock is not believed.
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
