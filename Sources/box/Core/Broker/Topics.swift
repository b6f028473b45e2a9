/// The topic names of one box.
///
///     let topics = try Topics(merchant: "M1001", device: "box-01")
///     topics[.payments]  // soundbox/v1/M1001/box-01/payments
///     topics.match("soundbox/v1/M1001/box-01/commands")  // .own(.commands)
public struct Topics: Sendable, Equatable {
    /// The prefix if the configuration has none.
    public static let defaultPrefix = "soundbox/v1"

    private var names: [Topic: String] = [:]
    /// Whether no other box's name can look like one of these after a broker has rewritten both.
    private let areDistinctWhenRewritten: Bool
    /// The broker keeps the box's session under it.
    public private(set) var clientID: String

    /// Names of the form `{prefix}/{merchant}/{device}/payments`, unless the layout prescribes others.
    ///
    /// - Parameters:
    ///   - prefix: one or more levels, without a slash at either end.
    ///   - merchant: one level.
    ///   - device: one level.
    /// - Throws: when a level is empty or contains `+`, `#`, `/` or a control character. A merchant named `+` would
    ///   otherwise subscribe to the payments of every merchant on the broker. Also for a template that does not
    ///   distinguish one box, or one topic, from another.
    public init(
        prefix: String = defaultPrefix, merchant: String, device: String, layout: TopicLayout = TopicLayout()
    ) throws(TopicsError) {
        for level in prefix.split(separator: "/", omittingEmptySubsequences: false) {
            try Self.check(level, .prefix, prefix)
        }
        try Self.check(merchant[...], .merchant, merchant)
        try Self.check(device[...], .device, device)
        areDistinctWhenRewritten = !"\(merchant)\(device)".contains { ".*".contains($0) }
        let template = layout.clientID.map { TopicTemplate($0, of: .clientID) }
        try template?.check()
        clientID =
            template?.filled(prefix: prefix, merchant: merchant, device: device)
            ?? ClientID.box(merchant: merchant, device: device)
        for topic in Topic.allCases {
            let template = TopicTemplate(layout.template(of: topic), of: .topic(topic))
            try template.check()
            let name = template.filled(prefix: prefix, merchant: merchant, device: device)
            // MQTT allows 65,535; the rest is room for the packet's other fields.
            guard name.utf8.count <= 60_000 else {
                throw TopicsError(part: .prefix, value: "\(prefix.prefix(40))…", problem: .tooLong)
            }
            if let twin = Topic.allCases.first(where: { names[$0].map(Self.rewritten) == Self.rewritten(name) }) {
                throw TopicsError(part: .topic(topic), value: template.text, problem: .same(as: twin))
            }
            names[topic] = name
        }
    }

    /// The topic's name on the broker.
    public subscript(topic: Topic) -> String { names[topic]! }

    /// What the topic name of a received message means.
    public enum Match: Sendable, Equatable {
        case own(Topic)
        /// The topic's name as RabbitMQ rewrites it. Unless `isCertain`, another box's name may be rewritten to the
        /// same.
        case rewritten(Topic, isCertain: Bool)
        /// Not a topic of this box.
        case foreign
    }

    public func match(_ name: String) -> Match {
        if let topic = Topic.allCases.first(where: { names[$0] == name }) { return .own(topic) }
        let rewritten = Self.rewritten(name)
        guard let topic = Topic.allCases.first(where: { names[$0].map(Self.rewritten) == rewritten }) else {
            return .foreign
        }
        return .rewritten(topic, isCertain: areDistinctWhenRewritten)
    }

    /// The name as RabbitMQ delivers it. Internally it separates levels by `.` and uses `*` as its wildcard, so both
    /// come out as MQTT's characters (`rabbit_mqtt_util:amqp2mqtt`).
    private static func rewritten(_ name: String) -> String {
        String(
            name.map { character in
                switch character {
                case ".": "/"
                case "*": "+"
                default: character
                }
            })
    }

    private static func check(_ level: Substring, _ part: TopicsError.Part, _ value: String) throws(TopicsError) {
        guard !level.isEmpty else { throw TopicsError(part: part, value: value, problem: .emptyLevel) }
        for scalar in level.unicodeScalars {
            if scalar.isControl { throw TopicsError(part: part, value: value, problem: .controlCharacter) }
            if "+#/".unicodeScalars.contains(scalar) {
                throw TopicsError(part: part, value: value, problem: .reserved(Character(scalar)))
            }
        }
    }
}
