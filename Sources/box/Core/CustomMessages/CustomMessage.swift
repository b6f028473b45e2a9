/// What a command asks the box to ring or to speak: anything but news of money.
///
///     let message = CustomMessage(id: try CommandID("c-1"), purpose: .say, content: .text("三号桌叫人"), at: now)
///
/// Like a payment it acts once per id, is on disk before it is acknowledged, and ends with one receipt.
public struct CustomMessage: Sendable, Equatable {
    public enum Purpose: Sendable, Equatable {
        /// Repeated until somebody answers, its time has passed or it is cancelled.
        case ring(timeout: Duration)
        /// Spoken once.
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

    /// What to play.
    public enum Content: Sendable, Equatable {
        /// The ring tone alone.
        case tone
        /// A sentence in the voice's language.
        case text(String)
        /// Phrases that the voice has recordings for, in order.
        case segments([String])
        /// A recording from a URL, and what to say if it cannot be fetched.
        case clip(ClipReference, otherwise: String?)
        /// The voice's words for this kind, with a number if they have a placeholder for one.
        case kind(KindName, number: Int64?)
    }

    public var isRing: Bool { if case .ring = purpose { true } else { false } }

    /// Why an inbox does not accept a further custom message; `nil` when it does.
    /// - Parameters:
    ///   - isBusy: whether there is a ring and there must be no second one.
    ///   - count: how many custom messages have not ended.
    public static func reasonNotToAccept(isBusy: Bool, waiting count: Int) -> String? {
        if isBusy { return "busy: another ring has not ended" }
        return count < mostWaiting ? nil : "too many: \(mostWaiting) rings and sentences have not ended"
    }

    /// The timeouts that a ring may ask for, and the default.
    public static let ringTimeouts = Duration.seconds(5)...Duration.seconds(600)
    public static let defaultRingTimeout = Duration.seconds(30)
    /// The most characters of a text, and of all segments together.
    public static let longestText = 200
    /// The numbers that the words of a kind may contain, with the limit of an amount.
    public static let numbers: ClosedRange<Int64> = 0...1_000_000_000_000_000
    /// In one custom message.
    public static let mostSegments = 64
    /// How many may wait at once; further ones are refused.
    public static let mostWaiting = 64
    /// For how many custom messages that have not come yet a cancel is remembered.
    public static let mostCancelledBefore = 256
}

/// A recording that is fetched when it is needed.
public struct ClipReference: Sendable, Hashable {
    /// As it was sent.
    public var url: String
    /// 64 hexadecimal digits in lower case, of the encoded file.
    public var sha256: String
    /// The size of the encoded file, if the sender says it.
    public var bytes: Int?

    public init(url: String, sha256: String, bytes: Int? = nil) {
        self.url = url
        self.sha256 = sha256
        self.bytes = bytes
    }
}

/// One custom message, as the inbox stores it until it has ended.
public struct CustomMessageEntry: Sendable, Equatable {
    /// Order of arrival: rises with every custom message, never reused.
    public var sequence: Int64
    public var customMessage: CustomMessage
    public var receivedAt: Timestamp
    /// How far to trust ``receivedAt``.
    public var clock: ClockTrust

    public init(sequence: Int64, customMessage: CustomMessage, receivedAt: Timestamp, clock: ClockTrust = .confirmed) {
        self.sequence = sequence
        self.customMessage = customMessage
        self.receivedAt = receivedAt
        self.clock = clock
    }

    public var isRing: Bool { customMessage.isRing }
}

/// How a custom message ended, for its receipt.
public enum CustomMessageEnd: Sendable, Equatable {
    /// Somebody pressed the button while it rang.
    case answered
    /// Nobody pressed the button.
    case missed
    /// Spoken to its last frame.
    case spoken(Audibility)
    /// It could not be played, or not as requested. The reason is for people.
    case failed(reason: String)
    /// It waited too long.
    case expired
}

/// The target of a cancel.
public enum CancelTarget: Sendable, Hashable {
    case payment(PaymentID)
    /// A custom message, by the id of its command.
    case customMessage(CommandID)
}

/// The state of a payment or custom message when it was cancelled. Stands in its receipt.
public enum CancelMoment: String, Sendable {
    case beforeItCame = "before it came"
    case whileItWaited = "while it waited"
    case whileItSounded = "while it sounded"

    public init(hasBegun: Bool) { self = hasBegun ? .whileItSounded : .whileItWaited }
}

/// The receipts of custom messages and of cancels.
extension Receipt {
    /// The receipt of a custom message that has ended.
    public static func ended(_ id: CommandID, as end: CustomMessageEnd, at now: Timestamp) -> Receipt {
        switch end {
        case .answered: Receipt(.command(id), state: .answered, at: now)
        case .missed: Receipt(.command(id), state: .missed, at: now)
        case .spoken(let audibility): Receipt(.command(id), state: .spoken, at: now, audibility: audibility)
        case .failed(let reason): Receipt(.command(id), state: .failed, at: now, reason: reason)
        case .expired: Receipt(.command(id), state: .expired, at: now)
        }
    }

    /// The receipt of the cancelled payment or custom message. For a payment that waited it gives no reason.
    public static func cancelled(_ target: CancelTarget, _ moment: CancelMoment, at now: Timestamp) -> Receipt {
        switch target {
        case .payment(let id):
            Receipt(
                id: id, state: .cancelled, at: now, reason: moment == .whileItWaited ? nil : moment.rawValue)
        case .customMessage(let id): Receipt(.command(id), state: .cancelled, at: now, reason: moment.rawValue)
        }
    }
}
