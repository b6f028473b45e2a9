import SoundboxCore

/// A change of the quiet hours by the shop.
public enum QuietChange: Sendable, Equatable {
    /// The shop's own hours, instead of the configured ones.
    case hours(QuietHours)
    /// No quiet hours, whatever is configured.
    case off
    /// The configured hours.
    case asSetUp

    /// `{"from": "22:00", "to": "07:00", "volume": 20}`, `{"off": true}` or `{"as_set_up": true}`.
    public init(decoding json: JSONValue) throws(ControlRefusal) {
        guard case .object(let members) = json else { throw Self.refusal }
        switch (members.map(\.name), json["off"], json["as_set_up"]) {
        case (["off"], .bool(true)?, _): self = .off
        case (["as_set_up"], _, .bool(true)?): self = .asSetUp
        default:
            guard members.count == 3, let start = json["from"]?.string.flatMap(Self.minute),
                let end = json["to"]?.string.flatMap(Self.minute), start != end,
                let volume = json["volume"]?.integer, Volume.range.contains(volume)
            else { throw Self.refusal }
            self = .hours(QuietHours(start: start, end: end, volume: volume))
        }
    }

    /// The form that ``init(decoding:)`` reads.
    public var json: JSONValue {
        switch self {
        case .hours(let hours): hours.json
        case .off: .object([("off", .bool(true))])
        case .asSetUp: .object([("as_set_up", .bool(true))])
        }
    }

    private static let refusal = ControlRefusal(
        .invalid,
        "expected {\"from\": \"22:00\", \"to\": \"07:00\", \"volume\": 20} with two different times and a volume from 0 to "
            + "100, {\"off\": true} or {\"as_set_up\": true}")

    private static func minute(_ text: String) -> Int? {
        guard let match = text.wholeMatch(of: /([01][0-9]|2[0-3]):([0-5][0-9])/), let hour = Int(match.1),
            let minute = Int(match.2)
        else { return nil }
        return hour * 60 + minute
    }
}

/// The quiet hours in force, and who has set them.
public struct QuietReading: Sendable, Equatable {
    /// `nil` if there are none.
    public var hours: QuietHours?
    public var isShops: Bool

    public init(_ hours: QuietHours?, isShops: Bool) { (self.hours, self.isShops) = (hours, isShops) }

    public var json: JSONValue {
        .object([
            ("quiet_hours", hours.map(\.json) ?? .null), ("origin", .string(isShops ? "shop" : "setup")),
        ])
    }
}

extension QuietHours {
    /// The form that ``QuietChange`` reads.
    public var json: JSONValue {
        func time(_ minute: Int) -> JSONValue {
            .string([minute / 60, minute % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":"))
        }
        return .object([("from", time(start)), ("to", time(end)), ("volume", .integer(volume))])
    }
}
