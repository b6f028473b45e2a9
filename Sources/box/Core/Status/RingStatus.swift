/// A ring that waits for an answer.
public struct RingStatus: Sendable, Equatable {
    public var id: CommandID
    /// Until its timeout; not negative.
    public var secondsLeft: Int

    public init(id: CommandID, secondsLeft: Int) {
        self.id = id
        self.secondsLeft = secondsLeft
    }

    public var json: JSONValue {
        .object([("id", .string(id.text)), ("seconds_left", .integer(secondsLeft))])
    }

    /// Reads ``json``; `nil` for anything else.
    public init?(decoding json: JSONValue) {
        guard let text = json["id"]?.string, let id = try? CommandID(text), let left = json["seconds_left"]?.integer
        else { return nil }
        self.init(id: id, secondsLeft: left)
    }

    /// In words for people.
    public var summary: String { "\(id), for \(secondsLeft) s" }
}
