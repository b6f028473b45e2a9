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
