/// A topic of a box, and all that is to be known about it. The client, the access list's test and the test of
/// `docs/integration.md` read it here.
public enum Topic: String, Sendable, CaseIterable {
    /// Payment notices.
    case payments
    case commands
    /// What became of each notice and command.
    case receipts
    /// Whether the box is there, and how it is.
    case status
    /// Where a trial of the connection sends itself a message. Nobody else listens there, so that a
    /// trial is never money.
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
        case .receipts, .status: .fromBox
        case .probe: .withinBox
        }
    }

    /// Whether the broker keeps the last message for those who come later.
    public var isRetained: Bool { self == .status }

    /// At least once, on every topic: QoS 0 loses payments, and nothing that the box does needs the second round trip of
    /// QoS 2, since it knows payments and commands by their ids.
    public static let qualityOfService: UInt8 = 1
}

/// The names of one box's topics.
public struct Topics: Sendable, Equatable {
    /// Of boxes that are told no other.
    public static let defaultPrefix = "soundbox/v1"

    /// Everything up to the last slash, with it.
    private let base: String

    /// Names of the form `{prefix}/{merchant}/{device}/payments`.
    ///
    /// - Parameters:
    ///   - prefix: one or more levels, without a slash at either end.
    ///   - merchant: one level.
    ///   - device: one level.
    /// - Throws: when a level is empty or holds `+`, `#`, `/` or a control character. A merchant named `+` would
    ///   otherwise subscribe to the payments of every merchant on the broker.
    public init(prefix: String = defaultPrefix, merchant: String, device: String) throws(TopicsError) {
        for level in prefix.split(separator: "/", omittingEmptySubsequences: false) {
            try Self.check(level, .prefix, prefix)
        }
        try Self.check(merchant[...], .merchant, merchant)
        try Self.check(device[...], .device, device)
        base = "\(prefix)/\(merchant)/\(device)/"
        guard base.utf8.count <= 60_000 else {
            throw TopicsError(part: .prefix, value: "\(prefix.prefix(40))…", problem: .tooLong)
        }
    }

    /// The topic's name on the broker.
    public subscript(topic: Topic) -> String { base + topic.rawValue }

    /// - Returns: `nil` for a name that is none of this box's.
    public func topic(named name: String) -> Topic? {
        name.hasPrefix(base) ? Topic(rawValue: String(name.dropFirst(base.count))) : nil
    }

    private static func check(_ level: Substring, _ part: TopicsError.Part, _ value: String) throws(TopicsError) {
        guard !level.isEmpty else { throw TopicsError(part: part, value: value, problem: .emptyLevel) }
        for scalar in level.unicodeScalars {
            if scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) {
                throw TopicsError(part: part, value: value, problem: .controlCharacter)
            }
            if "+#/".unicodeScalars.contains(scalar) {
                throw TopicsError(part: part, value: value, problem: .reserved(Character(scalar)))
            }
        }
    }
}

/// A name that cannot be part of a topic.
public struct TopicsError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Part: String, Sendable, Equatable {
        case prefix = "topic prefix"
        case merchant = "merchant id"
        case device = "device id"
    }

    public enum Problem: Sendable, Equatable, CustomStringConvertible {
        case emptyLevel, controlCharacter, tooLong
        /// `+`, `#` or `/`.
        case reserved(Character)

        public var description: String {
            switch self {
            case .emptyLevel: "a level is empty"
            case .controlCharacter: "it holds a control character"
            case .tooLong: "it is too long"
            case .reserved(let character): "it holds \"\(character)\""
            }
        }
    }

    public var part: Part
    public var value: String
    public var problem: Problem

    public var description: String { "\(part.rawValue) \"\(value)\" cannot stand in an MQTT topic: \(problem)" }
}
