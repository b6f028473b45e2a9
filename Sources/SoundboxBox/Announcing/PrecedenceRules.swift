import SoundboxCore

/// What waits for its turn to be said, the first one first. Cancels and rings are above.
public enum Rank: Int, Sendable, CaseIterable, Comparable {
    case payment
    case refund
    /// A notice of a kind that the voice defines.
    case other
    /// What somebody asked for with a button or a command.
    case request
    /// What the box says of itself.
    case prompt
    /// What a command gave it to say.
    case text

    public static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
}

extension Rank {
    init(_ kind: PaymentNotice.Kind) {
        self =
            switch kind {
            case .payment: .payment
            case .refund: .refund
            case .other: .other
            }
    }
}

/// Who is heard before whom: the one table, as `docs/integration.md` prints it.
public enum Precedence {
    public struct Row: Sendable, Equatable {
        public var name: String
        /// `nil` for what does not wait for a turn.
        public var rank: Rank?
        /// What stands there.
        public var what: String
        /// When it acts or sounds, and what it does to what sounds already.
        public var rule: String
    }

    /// The highest first.
    public static let table = [
        Row(
            name: "cancel", what: "a `cancel` of what sounds",
            rule:
                "at once, past every queue: a ring is silent, a sentence ends with its word and never inside an amount"),
        Row(
            name: "ring", what: "a `ring`",
            rule: "when the sentence that sounds has ended; between two repeats one other sentence is spoken"
        ),
        Row(
            name: "payment", rank: .payment, what: "payments, and the summary of late ones",
            rule: "when the sentence that sounds has ended, oldest first"),
        Row(name: "refund", rank: .refund, what: "refunds", rule: "when no payment waits, or in a turn of its own"),
        Row(name: "other", rank: .other, what: "notices of other kinds", rule: "the same"),
        Row(
            name: "request", rank: .request, what: "replay, totals, network: by button, by command, at a set time",
            rule: "the same; the last one asked for counts"),
        Row(
            name: "prompt", rank: .prompt, what: "what the box says of itself",
            rule: "the same; of the network only when no payment waits; while the disk fails at once"),
        Row(name: "text", rank: .text, what: "`say`", rule: "the same"),
    ]

    /// The table in Markdown, line by line.
    public static var lines: [String] {
        ["| | what | when it is heard |", "|---|---|---|"]
            + table.enumerated().map { index, row in "| \(index + 1). \(row.name) | \(row.what) | \(row.rule) |" }
    }
}
