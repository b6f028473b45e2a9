import SoundboxCore

/// A query of the history, as a person writes it: which days, and which notices.
///
///     let query = try HistoryQuery([(name: "day", value: "today"), (name: "channel", value: "alipay")])
///     let filter = try query.filter(calendar, today: calendar.day(at: now))
public struct HistoryQuery: Sendable, Equatable {
    /// One end of a range of time.
    public enum Point: Sendable, Equatable {
        case time(Timestamp)
        case date(CivilDate)
        /// A number of business days before the current one: 0 is today.
        case daysAgo(Int64)

        /// Reads `today`, `yesterday`, `7d`, `2026-11-22` and RFC 3339.
        init?(_ text: String) {
            switch text {
            case "today": self = .daysAgo(0)
            case "yesterday": self = .daysAgo(1)
            default:
                if let date = CivilDate(text) {
                    self = .date(date)
                } else if let time = Timestamp(rfc3339: text) {
                    self = .time(time)
                } else if text.utf8.last == UInt8(ascii: "d"), text.utf8.dropLast().allSatisfy(\.isDigit),
                    let days = Int64(text.dropLast()), (1...36_500).contains(days)
                {
                    // Today is one of them.
                    self = .daysAgo(days - 1)
                } else {
                    return nil
                }
            }
        }

        static let expected =
            "today, yesterday, a number of days such as 7d, a date such as 2026-11-22 or a time such as "
            + "2026-11-22T10:15:00+08:00"
    }

    /// The parameters of a query, as options and on the control socket.
    public enum Parameter: String, Sendable, CaseIterable {
        case from, to, day, channel, currency, kind, state, amount
        case idEnds = "id_ends"
        case before, limit
    }

    /// The most characters of an id's end. An end that is longer than half of the longest id is a pasted text.
    static let longestEnding = 64

    public var from: Point?
    public var to: Point?
    /// Without times and days, which are in ``from`` and ``to``.
    private var filter = HistoryFilter()
    /// Only notices that arrived before this sequence.
    public var before: Int64?
    /// The most notices to return; `nil` for as many as an answer holds.
    public var limit: Int?

    public init() {}

    /// - Parameter parameters: names and values, in any order. Channels, currencies, kinds and states may occur several
    ///   times.
    public init(_ parameters: [(name: String, value: String)]) throws(ControlRefusal) {
        var hasDay = false
        for (name, value) in parameters {
            guard let parameter = Parameter(rawValue: name) else {
                let known = Parameter.allCases.map(\.rawValue).joined(separator: ", ")
                throw ControlRefusal(.invalid, "\(name.excerpt) is unknown; expected \(known)")
            }
            func refusal(_ expected: String) -> ControlRefusal {
                ControlRefusal(.invalid, "\(name): expected \(expected), found \(value.excerpt)")
            }
            switch parameter {
            case .from, .to, .day:
                guard let point = Point(value) else { throw refusal(Point.expected) }
                if parameter == .day, case .time = point { throw refusal("a day, and no time") }
                hasDay = hasDay || parameter == .day
                if parameter != .to { from = point }
                if parameter != .from { to = point }
            case .channel: filter.channels.append(value)
            case .currency:
                guard let currency = Currency(value) else { throw refusal("a currency code of ISO 4217 such as CNY") }
                filter.currencies.append(currency)
            case .kind:
                guard let kind = PaymentNotice.Kind(rawValue: value) else {
                    throw refusal("payment, refund or the name of another kind")
                }
                filter.kinds.append(kind)
            case .state:
                // A notice that is playing is reported as announcing, but is stored, and found, among those that wait.
                guard let state = NoticeState(rawValue: value), state != .announcing else {
                    let stored = NoticeState.allCases.filter { $0 != .announcing }
                    throw refusal(stored.map(\.rawValue).joined(separator: ", "))
                }
                filter.states.append(state)
            case .amount:
                guard let amount = try? DecimalNumber(value) else { throw refusal("an amount such as 12.50") }
                filter.amount = amount
            case .idEnds:
                guard (1...Self.longestEnding).contains(value.unicodeScalars.count),
                    value.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
                else {
                    throw refusal(
                        "the last characters of an id, 1 to \(Self.longestEnding) of them and no control characters")
                }
                filter.idEnding = value
            case .before:
                guard let sequence = Int64(value), sequence > 0 else { throw refusal("a sequence number") }
                before = sequence
            case .limit:
                guard let limit = Int(value), limit > 0 else { throw refusal("a number greater than 0") }
                self.limit = limit
            }
        }
        let names = Set(parameters.map(\.name))
        if hasDay, names.contains("from") || names.contains("to") {
            throw ControlRefusal(.invalid, "day goes without from and to")
        }
    }

    /// Whether it names days relative to the current one.
    private var isRelative: Bool {
        [from, to].contains { if case .daysAgo? = $0 { true } else { false } }
    }

    /// The filter of the query.
    /// - Parameter today: `nil` while the current day is not known.
    public func filter(_ calendar: BusinessCalendar, today: BusinessDay?) throws(ControlRefusal) -> HistoryFilter {
        guard today != nil || !isRelative else {
            throw ControlRefusal(
                .undated,
                "the box does not know which day it is, since its clock is not set; give dates, such as --day 2026-11-22"
            )
        }
        var filter = filter
        filter.from = from.flatMap { Self.moment($0, calendar, today) { $0.start } }
        filter.to = to.flatMap { Self.moment($0, calendar, today) { $0.end } }
        if let from = filter.from, let to = filter.to, from >= to {
            throw ControlRefusal(
                .invalid, "from \(from) to \(to) is no time at all: expected from to be the earlier one")
        }
        return filter
    }

    private static func moment(
        _ point: Point, _ calendar: BusinessCalendar, _ today: BusinessDay?, edge: (BusinessDay) -> Timestamp
    ) -> Timestamp? {
        switch point {
        case .time(let time): time
        case .date(let date): edge(calendar.day(of: date))
        case .daysAgo(let days): today.map { edge(calendar.day(of: $0.date - days)) }
        }
    }
}
