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

/// A topic of a box, with its properties. The client, the test of the access list and the test of `docs/integration.md`
/// use them.
public enum Topic: String, Sendable, CaseIterable {
    /// Payment notices.
    case payments
    case commands
    /// The result of each notice, ring and sentence.
    case receipts
    /// The reply to each command.
    case replies
    /// Whether the box is online, and its state.
    case status
    /// The box, and a trial of its connection, send themselves messages here. No other client subscribes to it, and no
    /// message on it is money.
    case probe

    /// Who publishes, and who listens.
    public enum Direction: Sendable, Equatable {
        /// The provider publishes, the box listens.
        case toBox
        /// The box publishes, the provider listens.
        case fromBox
        /// The box does both.
        case withinBox
    }

    public var direction: Direction {
        switch self {
        case .payments, .commands: .toBox
        case .receipts, .replies, .status: .fromBox
        case .probe: .withinBox
        }
    }

    /// Whether the broker keeps the last message for later subscribers.
    public var isRetained: Bool { self == .status }

    /// At least once, on every topic. QoS 0 loses payments, and QoS 2 is not needed: the box recognises payments and
    /// commands by their ids.
    public static let qualityOfService: UInt8 = 1
}

/// How a box's topic names and client id are made: by templates, since some platforms prescribe them.
///
///     let layout = TopicLayout(common: "{prefix}/{merchant}/{device}/{topic}")
///     let topics = try Topics(merchant: "M1001", device: "box-01", layout: layout)
///
/// `{prefix}`, `{merchant}` and `{device}` stand for the configured values, `{topic}` for the topic's own word.
public struct TopicLayout: Sendable, Equatable {
    /// The default of ``common``.
    public static let usual = "{prefix}/{merchant}/{device}/{topic}"

    /// The template of all topics without one of their own.
    public var common: String
    public var own: [Topic: String]
    /// `nil` is ``ClientID/box(merchant:device:)``.
    public var clientID: String?

    public init(common: String = usual, own: [Topic: String] = [:], clientID: String? = nil) {
        self.common = common
        self.own = own
        self.clientID = clientID
    }

    func template(of topic: Topic) -> String { own[topic] ?? common }
}

/// One template.
struct TopicTemplate {
    let text: String
    private let part: TopicsError.Part
    /// The topic whose word replaces `{topic}`.
    private let topic: Topic?

    init(_ text: String, of part: TopicsError.Part) {
        self.text = text
        self.part = part
        topic = if case .topic(let topic) = part { topic } else { nil }
    }

    private var placeholders: [String] {
        ["{prefix}", "{merchant}", "{device}"] + (topic == nil ? [] : ["{topic}"])
    }

    func filled(prefix: String, merchant: String, device: String) -> String {
        // Replaced in the template's order: braces within a value are no placeholder.
        var (rest, result) = (text[...], "")
        let values = ["{prefix}": prefix, "{merchant}": merchant, "{device}": device, "{topic}": topic?.rawValue ?? ""]
        while let brace = rest.firstIndex(of: "{") {
            result += rest[..<brace]
            rest = rest[brace...]
            guard let placeholder = placeholders.first(where: { rest.hasPrefix($0) }) else { break }
            result += values[placeholder] ?? ""
            rest = rest.dropFirst(placeholder.count)
        }
        return result + rest
    }

    func check() throws(TopicsError) {
        var bare = text
        for placeholder in placeholders { bare = bare.replacing(placeholder, with: "") }
        try refuse(if: bare.contains { "{}".contains($0) }, .unknownPlaceholder(placeholders))
        try refuse(if: bare.unicodeScalars.contains(where: \.isControl), .controlCharacter)
        // Two boxes with one name would announce each other's payments.
        try refuse(if: !text.contains("{device}"), .withoutDevice)
        guard topic != nil else { return }
        for sign in "+#" { try refuse(if: bare.contains(sign), .reserved(sign)) }
        try refuse(if: text.hasPrefix("$share/"), .shared)
        let levels = text.split(separator: "/", omittingEmptySubsequences: false)
        try refuse(if: levels.dropFirst().contains(""), .emptyLevel)
        // The merchant a-b with the device c would have the topics of the merchant a with the device b-c.
        try refuse(
            if: levels.contains { level in
                ["{prefix}", "{merchant}", "{device}"].count(where: { level.contains($0) }) > 1
            }, .twoInOneLevel)
    }

    private func refuse(if isWrong: Bool, _ problem: TopicsError.Problem) throws(TopicsError) {
        if isWrong { throw TopicsError(part: part, value: text, problem: problem) }
    }
}

/// A name that cannot be part of a topic.
public struct TopicsError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Part: Sendable, Equatable, CustomStringConvertible {
        case prefix, merchant, device, clientID
        case topic(Topic)

        public var description: String {
            switch self {
            case .prefix: "topic prefix"
            case .merchant: "merchant id"
            case .device: "device id"
            case .clientID: "client id"
            case .topic(let topic): "topic of \(topic.rawValue)"
            }
        }
    }

    public enum Problem: Sendable, Equatable, CustomStringConvertible {
        case emptyLevel, controlCharacter, tooLong
        /// `+`, `#` or `/`.
        case reserved(Character)
        case unknownPlaceholder([String])
        case withoutDevice, twoInOneLevel, shared
        case same(as: Topic)

        public var description: String {
            switch self {
            case .emptyLevel: "a level is empty"
            case .controlCharacter: "it holds a control character"
            case .tooLong: "it is too long"
            case .reserved(let character): "it holds \"\(character)\""
            case .unknownPlaceholder(let known):
                "it holds braces around something else than \(known.joined(separator: ", "))"
            case .withoutDevice: "it holds no {device}, so that two boxes would have the same one"
            case .twoInOneLevel:
                "one level holds two of {prefix}, {merchant} and {device}, which could be parted otherwise"
            case .shared: "a shared subscription gives each payment to one of several boxes"
            case .same(let topic): "\(topic.rawValue) has the same one, or one that RabbitMQ makes the same"
            }
        }
    }

    public var part: Part
    public var value: String
    public var problem: Problem

    public var description: String { "\(part) \"\(value)\" cannot stand in an MQTT topic: \(problem)" }
}
