import SoundboxCore

/// One line of a check-up: what was looked at, how it is, and what to do about it.
public struct Finding: Sendable, Equatable {
    public enum Level: String, Sendable, Comparable {
        /// In order.
        case green
        /// The box works, and somebody should look at this.
        case amber
        /// The box does not do its job.
        case red

        public static func < (left: Level, right: Level) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .green: 0
            case .amber: 1
            case .red: 2
            }
        }
    }

    /// One or two words: `broker`, `sound card`.
    public var area: String
    public var level: Level
    /// What was found, in one line.
    public var detail: String
    /// What to do next, where something is to be done.
    public var advice: String?

    public init(_ area: String, _ level: Level, _ detail: String, advice: String? = nil) {
        self.area = area
        self.level = level
        self.detail = detail
        self.advice = advice
    }

    public var json: JSONValue {
        .object([
            ("area", .string(area)), ("level", .string(level.rawValue)), ("detail", .string(detail)),
            ("advice", advice.map { .string($0) } ?? .null),
        ])
    }
}
