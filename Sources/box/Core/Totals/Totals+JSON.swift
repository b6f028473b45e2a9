/// Totals on the control socket and in the output of `soundbox totals --json`. Every list has a fixed order, every
/// member is always there, and sums are strings, since JSON readers round numbers.
extension Totals {
    public var members: [(name: String, value: JSONValue)] {
        [
            ("currencies", .array(sortedCurrencies.map { .object([Self.member($0)] + Self.members($1)) })),
            (
                "channels",
                .array(
                    sortedChannels.map { channel, takings in
                        .object(
                            [("channel", channel.name.map { .string($0) } ?? .null), Self.member(channel.currency)]
                                + Self.members(takings))
                    })
            ),
            (
                "other_kinds",
                .array(
                    sortedOthers.map { kind, count in
                        .object([
                            ("kind", .string(kind.name)), Self.member(kind.currency), ("count", .integer(count.count)),
                            ("sum", .string("\(count.sum)")),
                        ])
                    })
            ),
            ("cancelled", .integer(cancelled)), ("time_unknown", .integer(timeUnknown)),
            (
                "unreadable",
                unreadable.map { .object([("count", .integer($0.count)), ("first", .integer($0.first))]) } ?? .null
            ),
        ]
    }

    /// With the state that is needed to continue counting.
    public var partJSON: JSONValue {
        .object(
            members + [
                ("misdated", .integer(misdated)), ("later", .integer(later)), ("saw_within", .bool(sawWithin)),
                ("saw_earlier", .bool(sawEarlier)),
            ])
    }

    /// In alphabetical order of their codes.
    public var sortedCurrencies: [(key: Currency, value: Takings)] {
        currencies.sorted { $0.key.code < $1.key.code }
    }

    /// In alphabetical order of their names, those without a name last.
    public var sortedChannels: [(key: Channel, value: Takings)] {
        channels.sorted {
            ($0.key.name == nil ? 1 : 0, $0.key.name ?? "", $0.key.currency.code)
                < ($1.key.name == nil ? 1 : 0, $1.key.name ?? "", $1.key.currency.code)
        }
    }

    public var sortedOthers: [(key: OtherKind, value: Count)] {
        others.sorted { ($0.key.name, $0.key.currency.code) < ($1.key.name, $1.key.currency.code) }
    }

    private static func member(_ currency: Currency) -> (name: String, value: JSONValue) {
        ("currency", .string(currency.code))
    }

    private static func members(_ takings: Takings) -> [(name: String, value: JSONValue)] {
        [
            ("payments", .integer(takings.payments)), ("gross", .string("\(takings.gross)")),
            ("refunds", .integer(takings.refunds)), ("refunded", .string("\(takings.refunded)")),
            ("net", .string("\(takings.net)")),
        ]
    }

    /// Reads ``partJSON``; `nil` for anything else.
    public init?(decoding json: JSONValue) {
        guard let currencies = json["currencies"]?.elements, let channels = json["channels"]?.elements,
            let others = json["other_kinds"]?.elements, let cancelled = json["cancelled"]?.integer,
            let timeUnknown = json["time_unknown"]?.integer, let misdated = json["misdated"]?.integer,
            let later = json["later"]?.integer, let sawWithin = json["saw_within"]?.bool,
            let sawEarlier = json["saw_earlier"]?.bool
        else { return nil }
        for value in currencies {
            guard let currency = value.currency, let takings = Takings(value) else { return nil }
            self.currencies[currency] = takings
        }
        for value in channels {
            guard let currency = value.currency, let takings = Takings(value), let name = value["channel"] else {
                return nil
            }
            self.channels[Channel(name: name.string, currency: currency)] = takings
        }
        for value in others {
            guard let currency = value.currency, let name = value["kind"]?.string, let count = value["count"]?.integer,
                let sum = value.sum("sum")
            else { return nil }
            var others = Count()
            (others.count, others.sum) = (count, sum)
            self.others[OtherKind(name: name, currency: currency)] = others
        }
        if let rows = json["unreadable"], rows != .null {
            guard let count = rows["count"]?.integer, let first = rows["first"]?.integer else { return nil }
            unreadable = UnreadableRows(count: count, first: Int64(first))
        }
        (self.cancelled, self.untimed, self.misdated, self.later) = (
            cancelled, timeUnknown - misdated, misdated, later
        )
        (self.sawWithin, self.sawEarlier) = (sawWithin, sawEarlier)
    }
}

extension Totals.Takings {
    fileprivate init?(_ json: JSONValue) {
        guard let payments = json["payments"]?.integer, let gross = json.sum("gross"),
            let refunds = json["refunds"]?.integer, let refunded = json.sum("refunded")
        else { return nil }
        self.init()
        (self.payments, self.gross, self.refunds, self.refunded) = (payments, gross, refunds, refunded)
    }
}

extension JSONValue {
    fileprivate var currency: Currency? { self["currency"]?.string.flatMap(Currency.init) }

    fileprivate func sum(_ name: String) -> ExactSum? { self[name]?.string.flatMap { ExactSum($0) } }
}

extension HistoryEntry {
    /// The properties of each notice, in order: members in JSON, columns in CSV.
    public static let columns = [
        "sequence", "id", "kind", "amount", "currency", "channel", "paid_at", "received_at", "time_known", "state",
        "ended_at", "how",
    ]

    /// For the control socket and for programs. Every member is always there; the amount is a string, since JSON
    /// readers round numbers.
    /// - Parameter zone: the time zone of the times.
    public func json(in zone: LocalTime) -> JSONValue {
        let notice = entry.notice
        func time(_ time: Timestamp?) -> JSONValue { time.map { .string(zone.description(of: $0)) } ?? .null }
        let values: [JSONValue] = [
            .integer(entry.sequence), .string(notice.id.text), .string(notice.kind.rawValue),
            .string(notice.money.amount.description), .string(notice.money.currency.code),
            notice.channel.map { .string($0) } ?? .null, time(notice.paidAt), time(entry.receivedAt),
            .bool(entry.isTimed), .string(entry.state.rawValue), time(endedAt),
            audibility.map { .string($0.rawValue) } ?? .null,
        ]
        return .object(zip(Self.columns, values).map { ($0, $1) })
    }
}

extension JSONValue {
    /// A member of a notice's JSON as a CSV field; text from outside cannot become a formula.
    public func csvField(_ column: String) -> String {
        switch self[column] {
        case .string(let text)?:
            column == "id" || column == "channel" || column == "kind" ? CSV.harmless(text) : text
        case .number(let digits)?: digits
        case .bool(let value)?: value ? "true" : "false"
        default: ""
        }
    }
}
