/// What a command asks the box to ring with or to say: anything but news of money.
///
/// Like a payment it acts once by its id, is on the disk before it is acknowledged, and ends with one receipt.
public struct CustomMessage: Sendable, Equatable {
    public enum Purpose: Sendable, Equatable {
        /// Sounds again and again until somebody answers, its time runs out or it is cancelled.
        case ring(timeout: Duration)
        /// Is said once.
        case say
    }

    public var id: CommandID
    public var purpose: Purpose
    public var content: Content
    /// When it was sent.
    public var at: Timestamp

    public init(id: CommandID, purpose: Purpose, content: Content, at: Timestamp) {
        self.id = id
        self.purpose = purpose
        self.content = content
        self.at = at
    }

    /// What is to be heard.
    public enum Content: Sendable, Equatable {
        /// The ring tone alone.
        case tone
        /// A sentence in the voice's language.
        case text(String)
        /// Phrases that the voice has recordings for, in order.
        case segments([String])
        /// A recording from elsewhere, and what is said if it cannot be had.
        case clip(ClipReference, otherwise: String?)
        /// The words that the voice has for this kind, with a number where they have a place for one.
        case kind(KindName, number: Int64?)
    }

    public var isRing: Bool { if case .ring = purpose { true } else { false } }

    /// Why an inbox does not accept a further custom message; `nil` when it does.
    /// - Parameters:
    ///   - isBusy: there is a ring where there must be no second one.
    ///   - count: how many custom messages have not ended.
    public static func reasonNotToAccept(isBusy: Bool, waiting count: Int) -> String? {
        if isBusy { return "busy: another ring has not ended" }
        return count < mostWaiting ? nil : "too many: \(mostWaiting) rings and sentences have not ended"
    }

    /// How long a ring may ask for, and what it gets when it does not say.
    public static let ringTimeouts = Duration.seconds(5)...Duration.seconds(600)
    public static let defaultRingTimeout = Duration.seconds(30)
    /// Characters of a text, and of all segments together.
    public static let longestText = 200
    /// What the words of a kind may count, as an amount.
    public static let numbers: ClosedRange<Int64> = 0...1_000_000_000_000_000
    /// Of one custom message.
    public static let mostSegments = 64
    /// How many may wait at once: further ones are refused.
    public static let mostWaiting = 64
    /// Of how many that have not come a cancel is remembered at once.
    public static let mostCancelledBefore = 256
}

/// A recording that is fetched when it is asked for.
public struct ClipReference: Sendable, Hashable {
    /// As it was sent.
    public var url: String
    /// 64 hexadecimal digits in small letters, of the encoded file.
    public var sha256: String
    /// The size of the encoded file, where the sender says so.
    public var bytes: Int?

    public init(url: String, sha256: String, bytes: Int? = nil) {
        self.url = url
        self.sha256 = sha256
        self.bytes = bytes
    }
}
