import SoundboxCore
import SoundboxSpeech

/// The announcer's jobs, its queue and its requests.
extension Announcer {
    /// What one announcement is about.
    public enum Job: Sendable, Equatable {
        case notice(InboxEntry)
        /// The text of a notice that was heard to its end, and is recorded.
        case text(InboxEntry)
        /// Notices that waited too long, announced as one total.
        case summary([InboxEntry])
        /// A notice announced before, once more; `nil` when nothing has been announced yet.
        case replay(InboxEntry?)
        case prompt(Prompt)
        /// The payments of the day, with their total.
        case today(DayTotals)
        /// Whether payments can arrive, and the octets of the box's address.
        case network(isOnline: Bool, address: [UInt8])
        /// The code that lets a phone onto the shop's page.
        case signInCode(SignInCode)
        /// The words of a `say` command. With a `failure`, the script is the substitute.
        case say(CustomMessageEntry, AnnouncementScript, failure: String?)
        /// One repeat of a ring: the bell and these words, which may be empty.
        case ring(CustomMessageEntry, AnnouncementScript)

        /// True if nothing about it is recorded in the inbox.
        public var isAnswer: Bool {
            switch self {
            case .notice, .summary, .say, .ring: false
            case .text, .replay, .today, .prompt, .network, .signInCode: true
            }
        }
    }

    /// A job, with its loudness, chime and gap.
    public struct Announcement: Sendable, Equatable {
        public var job: Job
        public var delivery: Delivery

        public init(_ job: Job, _ delivery: Delivery = Delivery()) {
            self.job = job
            self.delivery = delivery
        }
    }

    /// The part of the inbox that is needed to choose the next announcement.
    public struct Queue: Sendable, Equatable {
        public var notices: NoticeQueue
        /// Oldest first. Entries that are not ready are skipped.
        public var says: [Say]
        /// Oldest first.
        public var rings: [CustomMessageEntry]

        public init(notices: NoticeQueue = NoticeQueue(), says: [Say] = [], rings: [CustomMessageEntry] = []) {
            self.notices = notices
            self.says = says
            self.rings = rings
        }
    }

    /// A `say` command, with the state of its sound.
    public struct Say: Sendable, Equatable {
        public var entry: CustomMessageEntry
        public var speech: Speech

        public init(_ entry: CustomMessageEntry, _ speech: Speech) {
            self.entry = entry
            self.speech = speech
        }
    }

    public enum Speech: Sendable, Equatable {
        /// Being synthesised or fetched. ``AnnouncerRequests/inboxChanged()`` is called when that has ended.
        case pending
        case ready(AnnouncementScript)
        /// No sound can be made. `instead` is said; with `nil` nothing is said.
        case failed(reason: String, instead: AnnouncementScript?)
    }

    /// What the owner asks to hear.
    public enum Request: Sendable, Equatable {
        /// The notice announced last.
        case last
        /// The one before it; the last one when it is the only one.
        case beforeLast
        /// Count and total of the day.
        case today
        /// Count and total of a day that is being closed.
        case dayEnd(BusinessDay)
        /// Whether payments can arrive, and where the box is in the network.
        case network
        /// A notice that was announced before.
        case notice(InboxEntry)
        /// The code that lets a phone onto the shop's page.
        case signInCode(AskedCode)
    }

    /// A sign-in code that is said within ``timeout`` or dropped, because somebody waits at a phone.
    public struct AskedCode: Sendable, Equatable {
        /// A code is valid for 2 minutes (`SignIn.lifetime`). After one minute, too little time is left to hear and
        /// type it.
        static let timeout = Duration.seconds(60)

        public var code: SignInCode
        /// On the monotonic clock.
        public var askedAt: Duration
        /// The code is said twice, in case a digit was missed. The second time never comes while a payment waits.
        public var isRepetition: Bool

        public init(_ code: SignInCode, askedAt: Duration, isRepetition: Bool = false) {
            self.code = code
            self.askedAt = askedAt
            self.isRepetition = isRepetition
        }

        public func isDue(at now: Duration) -> Bool { now - askedAt <= Self.timeout }
    }

    /// The circumstances of an announcement: time, quiet hours, ages of messages.
    public struct Moment: Sendable, Equatable {
        public var clock: ClockReading
        /// The highest volume in quiet hours; `nil` outside of them.
        public var quietVolume: Volume?
        /// How the messages of waiting payments arrived, as far as the box remembers: see ``MessageAges``.
        public var messages: [PaymentID: MessageAge]

        public init(clock: ClockReading, quietVolume: Volume? = nil, messages: [PaymentID: MessageAge] = [:]) {
            self.clock = clock
            self.quietVolume = quietVolume
            self.messages = messages
        }
    }

    /// Open requests.
    struct Asked: Sendable {
        /// The inbox must be read.
        var inboxChanged = false
        var prompts = PromptQueue()
        var request: Request?
        /// Said after all other requests.
        var code: AskedCode?
        /// A closed day whose takings are not announced yet.
        var endedDay: BusinessDay?
        /// The ring whose turn it is.
        var ring: CommandID?
        /// The ring that was answered with the button.
        var answered: CommandID?
        var deviceCheckIsDue = false
        var isStopping = false
    }

    /// How playing an announcement ended.
    enum Outcome: Sendable, Equatable {
        /// Played to its last frame.
        case played(Audibility)
        /// Only for ``Job/say(_:_:failure:)`` and ``Job/ring(_:_:)``: the words cannot be played. A substitute was
        /// heard, or nothing.
        case saidOtherwise(reason: String)
        /// Cancelled while it played. A sentence ends after the current word; a ring, also an answered one, ends at
        /// once.
        case stoppedEarly
        /// Cancelled before it began.
        case withdrawn
        /// The sound card failed.
        case failed
    }
}

/// Prompts to speak, at most one for each ``Prompt/Concern``:
///
///     prompts.put(.networkLost)
///     prompts.put(.networkRestored)  // replaces it: the same concern
///     prompts.popFirst()  // .networkRestored
package struct PromptQueue: Sendable, Equatable {
    private var prompts: [Prompt.Concern: Prompt] = [:]

    package init() {}

    /// Replaces an earlier prompt of the same concern, which is no longer true.
    package mutating func put(_ prompt: Prompt) { prompts[prompt.concern] = prompt }

    /// Removes a prompt that is no longer true, if it waits.
    package mutating func withdraw(_ prompt: Prompt) {
        if prompts[prompt.concern] == prompt { prompts[prompt.concern] = nil }
    }

    /// Whether a prompt can be spoken.
    ///
    /// - Parameter paymentsWait: leaves out prompts that wait for payments to end.
    package func hasDue(whilePaymentsWait paymentsWait: Bool) -> Bool {
        prompts.keys.contains { !paymentsWait || !$0.waitsForPayments }
    }

    /// Removes and returns the next prompt.
    ///
    /// - Parameter paymentsWait: leaves out prompts that wait for payments to end.
    package mutating func popFirst(whilePaymentsWait paymentsWait: Bool = false) -> Prompt? {
        let due = prompts.keys.filter { !paymentsWait || !$0.waitsForPayments }
        return due.min().flatMap { prompts.removeValue(forKey: $0) }
    }
}

extension Prompt {
    /// What a prompt is about. Of two prompts with the same concern, only the later one is true. Two prompts with
    /// different concerns are both spoken: a key at the end of its range says nothing about the disk.
    package enum Concern: Int, Sendable, Comparable {
        // In the order of speaking.
        /// A warning about the buttons that are being held.
        case warning
        /// A fault that stops the box from working.
        case fault
        /// A payment that cannot be announced.
        case refusal
        /// Whether payments can arrive.
        case network
        /// The end of a ring.
        case ring
        /// The outcome of another command, or a part of its announcement.
        case customMessage
        /// The effect of a key.
        case key

        package static func < (left: Concern, right: Concern) -> Bool { left.rawValue < right.rawValue }

        /// True if it is spoken only while no payment waits. The others take turns with payments.
        var waitsForPayments: Bool { self == .network }
    }

    package var concern: Concern {
        switch self {
        case .unprovisionWarning: .warning
        case .storageFault, .setupFault, .notProvisioned: .fault
        case .paymentUnreadable: .refusal
        case .greeting, .networkLost, .networkRestored: .network
        case .ringMissed: .ring
        case .cancelled, .message, .signInCode, .marker: .customMessage
        case .volumeUp, .volumeDown, .volumeMaximum, .volumeMinimum, .muted, .noPaymentYet: .key
        }
    }
}
