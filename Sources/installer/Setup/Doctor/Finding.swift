import SoundboxCore

/// One result of a check: what was checked, its state, and what to do about it.
public struct Finding: Sendable, Equatable {
    public enum Level: String, Sendable, Comparable {
        /// It works.
        case green
        /// The box works, but this needs attention.
        case amber
        /// The box does not work.
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
    /// The result, in one line.
    public var detail: String
    /// What to do; `nil` for nothing.
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
