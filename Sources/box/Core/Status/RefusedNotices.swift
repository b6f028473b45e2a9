/// The notices of the last 24 hours that were not announced because of their content.
public struct RefusedNotices: Sendable, Equatable {
    public struct Notice: Sendable, Equatable {
        /// `nil` when it could not be read.
        public var id: PaymentID?
        /// As in its receipt.
        public var reason: String
        /// When it came, by the box's clock.
        public var at: Timestamp

        public init(id: PaymentID?, reason: String, at: Timestamp) {
            self.id = id
            self.reason = reason
            self.at = at
        }

        fileprivate var summary: String { (id.map { "\($0): " } ?? "") + reason }
    }

    /// Greater than zero.
    public var count: Int
    public var last: Notice

    public init(count: Int, last: Notice) {
        self.count = count
        self.last = last
    }

    public var json: JSONValue {
        let id = PaymentID.members(of: last.id)
        return .object([
            ("count", .integer(count)),
            ("last", .object(id + [("reason", .string(last.reason)), ("at", .string("\(last.at)"))])),
        ])
    }

    /// Reads ``json``; `nil` for anything else.
    public init?(decoding json: JSONValue) {
        guard let count = json["count"]?.integer, let last = json["last"], let reason = last["reason"]?.string,
            let at = last["at"]?.string.flatMap(Timestamp.init(rfc3339:))
        else { return nil }
        self.init(count: count, last: Notice(id: PaymentID(receipt: last), reason: reason, at: at))
    }

    /// One sentence for people.
    public var warning: String {
        let counted =
            count == 1 ? "1 notice of the last 24 hours was" : "\(count) notices of the last 24 hours were"
        return "\(counted) not announced; the last: \(last.summary)"
    }

    /// In words for people.
    var summary: String { "\(count) in 24 hours, the last at \(last.at): \(last.summary)" }
}
