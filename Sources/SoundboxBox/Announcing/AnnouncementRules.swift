import SoundboxCore
import SoundboxSpeech

/// What is announced, what waits for that, and what is asked for.
extension Announcer {
    /// What one announcement is about.
    public enum Job: Sendable, Equatable {
        case notice(InboxEntry)
        /// The text of a notice that was heard to its end, and is recorded.
        case text(InboxEntry)
        /// Notices that waited too long, told together.
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
        /// What a command gave to say. With a `failure` the script is what is said in its stead.
        case say(CustomMessageEntry, AnnouncementScript, failure: String?)
        /// The bell and these words, once. There may be no words.
        case ring(CustomMessageEntry, AnnouncementScript)

        /// Whether it only answers a request: nothing is recorded, and nobody waits for it.
        public var isAnswer: Bool {
            switch self {
            case .notice, .summary, .say, .ring: false
            case .text, .replay, .today, .prompt, .network, .signInCode: true
            }
        }
    }

    /// A job, and how it is to sound.
    public struct Announcement: Sendable, Equatable {
        public var job: Job
        public var delivery: Delivery

        public init(_ job: Job, _ delivery: Delivery = Delivery()) {
            self.job = job
            self.delivery = delivery
        }
    }

    /// What waits, as far as it must be known to see whose turn it is.
    public struct Queue: Sendable, Equatable {
        public var notices: NoticeQueue
        /// Oldest first. Those that are not ready are passed by.
        public var says: [Say]
        /// Oldest first.
        public var rings: [CustomMessageEntry]

        public init(notices: NoticeQueue = NoticeQueue(), says: [Say] = [], rings: [CustomMessageEntry] = []) {
            self.notices = notices
            self.says = says
            self.rings = rings
        }
    }

    /// Something that a command gave to say, and what there is to be heard of it.
    public struct Say: Sendable, Equatable {
        public var entry: CustomMessageEntry
        public var speech: Speech

        public init(_ entry: CustomMessageEntry, _ speech: Speech) {
            self.entry = entry
            self.speech = speech
        }
    }

    public enum Speech: Sendable, Equatable {
        /// Being made or fetched. ``AnnouncerRequests/inboxChanged()`` is called when that has ended.
        case pending
        case ready(AnnouncementScript)
        /// It cannot be had. `instead` is said in its stead; with `nil` nothing is.
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
        /// The same of a day that is being closed.
        case dayEnd(BusinessDay)
        /// Whether payments can arrive, and where the box is in the network.
        case network
        /// This notice, which has been told before.
        case notice(InboxEntry)
        /// The code that lets a phone onto the shop's page.
        case signInCode(AskedCode)
    }

    /// A code that is to be said soon or not at all: a phone waits for it.
    public struct AskedCode: Sendable, Equatable {
        /// Where payments kept it waiting for longer, the minute that is left of its two would not do to hear it and to
        /// type it.
        static let timeout = Duration.seconds(60)

        public var code: SignInCode
        /// On a clock that is never set.
        public var askedAt: Duration
        /// Said before: once more for whoever has missed a digit, and never while a payment waits.
        public var isRepetition: Bool

        public init(_ code: SignInCode, askedAt: Duration, isRepetition: Bool = false) {
            self.code = code
            self.askedAt = askedAt
            self.isRepetition = isRepetition
        }

        public func isDue(at now: Duration) -> Bool { now - askedAt <= Self.timeout }
    }

    /// When something is to be announced.
    public struct Moment: Sendable, Equatable {
        public var clock: ClockReading
        /// In quiet hours the most that the volume counts for.
        public var quietVolume: Volume?
        /// Of the payments that wait, as far as the box remembers how their messages came.
        public var messages: [PaymentID: MessageAge]

        public init(clock: ClockReading, quietVolume: Volume? = nil, messages: [PaymentID: MessageAge] = [:]) {
            self.clock = clock
            self.quietVolume = quietVolume
            self.messages = messages
        }
    }

    /// What has been asked for and is not done yet.
    struct Asked: Sendable {
        /// The inbox is to be read.
        var inboxChanged = false
        var prompts = PromptQueue()
        var request: Request?
        /// Said when no other request is left.
        var code: AskedCode?
        /// Its takings are to be told.
        var endedDay: BusinessDay?
        /// The ring whose turn it is.
        var ring: CommandID?
        /// Somebody has pressed the button for this ring.
        var answered: CommandID?
        var deviceCheckIsDue = false
        var isStopping = false
    }

    /// How playing an announcement ended.
    enum Outcome: Sendable, Equatable {
        /// Drained to the last frame.
        case played(Audibility)
        /// Of ``Job/say(_:_:failure:)`` and ``Job/ring(_:_:)`` only: its words cannot be played. Something else was
        /// heard in their stead, or nothing.
        case saidOtherwise(reason: String)
        /// It was cancelled while it sounded, and ended with a word; a ring, also an answered one, at once.
        case stoppedEarly
        /// It was cancelled before it began.
        case withdrawn
        /// The sound card failed.
        case failed
    }
}
