import SoundboxCore
import SoundboxSpeech

/// What the announcer is told, and what it asks for.
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
        case say(ErrandEntry, AnnouncementScript, failure: String?)

        /// Whether it only answers a request: nothing is recorded, and nobody waits for it.
        public var isAnswer: Bool {
            switch self {
            case .notice, .summary, .say: false
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

        public init(notices: NoticeQueue = NoticeQueue(), says: [Say] = []) {
            self.notices = notices
            self.says = says
        }
    }

    /// Something that a command gave to say, and what there is to be heard of it.
    public struct Say: Sendable, Equatable {
        public var entry: ErrandEntry
        public var speech: Speech

        public init(_ entry: ErrandEntry, _ speech: Speech) {
            self.entry = entry
            self.speech = speech
        }
    }

    public enum Speech: Sendable, Equatable {
        /// Being made or fetched. ``Event/somethingMayWait`` comes when that has ended.
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
        static let patience = Duration.seconds(60)

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

        public func isDue(at now: Duration) -> Bool { now - askedAt <= Self.patience }
    }

    /// What was found when a ``Request`` was looked up.
    public enum Recollection: Sendable, Equatable {
        /// For ``Request/last``, ``Request/beforeLast`` and ``Request/notice(_:)``; `nil` when there is none.
        case announced(InboxEntry?)
        /// For ``Request/today`` and ``Request/dayEnd(_:)``.
        case takings(DayTotals)
        case network(isOnline: Bool, address: [UInt8])
        /// `nil` when it is too late for it.
        case signInCode(SignInCode?)
    }

    /// When something is to be announced.
    public struct Moment: Sendable, Equatable {
        public var clock: ClockReading
        /// Of the shop, 0–1439; `nil` while the clock is not believed.
        public var minuteOfDay: Int?
        /// Of the payments that wait, as far as the box remembers how their messages came.
        public var messages: [PaymentID: MessageAge]

        public init(clock: ClockReading, minuteOfDay: Int?, messages: [PaymentID: MessageAge] = [:]) {
            self.messages = messages
            self.clock = clock
            self.minuteOfDay = minuteOfDay
        }
    }

    public enum Event: Sendable, Equatable {
        /// The box has started, the inbox may have grown, or something to be said has become ready.
        case somethingMayWait
        /// A button or a command.
        case requested(Request)
        /// The time has come to tell what a day has brought. No other request takes its place, and a sound card that
        /// refuses is tried again for ten minutes.
        case dayEnded(BusinessDay)
        /// Something to be said between two announcements.
        case promptRequested(Prompt)
        /// It is no longer true. Makes no difference once it is being said.
        case promptWithdrawn(Prompt)
        /// Something rings that payments are to come after. Until that is taken back only prompts are spoken.
        case held(Bool)
        /// Some seconds have passed: see whether the sound card is still there, unless there is something to do.
        case lookDue
        /// Finish what is playing, then stop.
        case stopRequested
        /// Answer to ``Action/fetch(limit:)``.
        case fetched(Queue, Moment)
        /// Answer to ``Action/recall(_:)``.
        case recalled(Recollection, Moment)
        /// Answer to ``Action/prepare``: the sound card is open.
        case prepared
        /// Answer to ``Action/look``, whatever was found.
        case looked
        /// Answer to ``Action/note(_:)`` and ``Action/noteSounding(_:)``.
        case noted
        /// Answer to ``Action/note(_:)``: not all of them still wait. The rest of them was noted. Answer to
        /// ``Action/noteSounding(_:)`` and ``Action/play(_:)``, without a rest: it was cancelled before it began.
        case withdrawn(rest: [InboxEntry])
        /// Answer to ``Action/play(_:)``: drained to the last frame.
        case played(Manner)
        /// Answer to ``Action/play(_:)`` of ``Job/say(_:_:failure:)``: what was prepared cannot be played. Something else
        /// was heard in its stead, or nothing.
        case saidOtherwise(reason: String)
        /// Answer to ``Action/play(_:)``: it was cancelled, and ended with a word.
        case stoppedEarly
        /// Answer to ``Action/prepare`` and ``Action/play(_:)``: the sound card would not.
        case playFailed
        /// Answer to ``Action/record(_:_:)``, ``Action/expire(_:)`` and ``Action/end(_:_:)``.
        case recorded
        /// Answer to whatever is asked of the inbox: the disk would not.
        case inboxFailed
        /// The time asked for by ``Action/wait(_:)`` has passed.
        case waited
    }

    public enum Action: Sendable, Equatable {
        /// Read what waits, with at most so many payments.
        case fetch(limit: Int)
        /// Look up what was asked for.
        case recall(Request)
        /// Open the sound card.
        case prepare
        /// See whether the sound card is there, and open it where it was lost.
        case look
        /// Note in the inbox that these are being announced, as far as they still wait.
        case note([InboxEntry])
        /// Note in the inbox that this is being said, if it still waits.
        case noteSounding(ErrandEntry)
        /// Play it from its start.
        case play(Announcement)
        /// Note in the inbox that the job has been announced, and how.
        case record(Job, Manner)
        /// Note in the inbox that these were too late, and say nothing of them.
        case expire([InboxEntry])
        /// Note in the inbox how it ended, unless it was cancelled.
        case end(ErrandEntry, ErrandEnd)
        /// Report ``Event/waited`` after this time.
        case wait(Duration)
        /// Log and count a mistake of the program. There is no answer.
        case report(Mismatch)
        /// Nothing is left to do: end the loop.
        case finish
    }

    /// An answer to something that was not asked.
    public struct Mismatch: Error, Sendable, Equatable, CustomStringConvertible {
        /// The event's name, without what it carries.
        public var answer: String
        /// What the announcer was doing.
        public var activity: String

        public init(answer: String, activity: String) {
            self.answer = answer
            self.activity = activity
        }

        public var description: String { "the announcer was told \"\(answer)\" while \(activity)" }
    }
}

extension Announcer.Event {
    /// For messages.
    var name: String {
        switch self {
        case .somethingMayWait: "something may wait"
        case .requested: "requested"
        case .dayEnded: "day ended"
        case .promptRequested: "prompt requested"
        case .promptWithdrawn: "prompt withdrawn"
        case .held: "held"
        case .lookDue: "look due"
        case .stopRequested: "stop requested"
        case .fetched: "fetched"
        case .recalled: "recalled"
        case .prepared: "prepared"
        case .looked: "looked"
        case .noted: "noted"
        case .withdrawn: "withdrawn"
        case .played: "played"
        case .saidOtherwise: "said otherwise"
        case .stoppedEarly: "stopped early"
        case .playFailed: "play failed"
        case .recorded: "recorded"
        case .inboxFailed: "inbox failed"
        case .waited: "waited"
        }
    }
}
