/// What the announcer is told, and what it asks for.
extension Announcer {
    /// What one announcement is about.
    public enum Job: Sendable, Equatable {
        case notice(InboxEntry)
        /// Notices that waited too long, told together.
        case summary([InboxEntry])
        /// A notice announced before, once more; `nil` when nothing has been announced yet.
        case replay(InboxEntry?)
        case prompt(Prompt)
        /// The payments of the day, with their total.
        case today([Money])
        /// Whether payments can arrive, and the octets of the box's address.
        case network(isOnline: Bool, address: [UInt8])

        /// Whether it only answers a request: nothing is recorded, and nobody waits for it.
        public var isAnswer: Bool {
            switch self {
            case .notice, .summary: false
            case .replay, .today, .prompt, .network: true
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

    /// What the owner asks to hear.
    public enum Request: Sendable, Equatable {
        /// The notice announced last.
        case last
        /// The one before it; the last one when it is the only one.
        case beforeLast
        /// Count and total of the day.
        case today
        /// Whether payments can arrive, and where the box is in the network.
        case network
    }

    /// What was found when a ``Request`` was looked up.
    public enum Recollection: Sendable, Equatable {
        /// For ``Request/last`` and ``Request/beforeLast``; `nil` when there is none.
        case announced(InboxEntry?)
        case payments([Money])
        case network(isOnline: Bool, address: [UInt8])
    }

    /// When something is to be announced.
    public struct Moment: Sendable, Equatable {
        public var clock: ClockReading
        /// Local time, 0–1439, as the clock shows it.
        public var minuteOfDay: Int

        public init(clock: ClockReading, minuteOfDay: Int) {
            self.clock = clock
            self.minuteOfDay = minuteOfDay
        }
    }

    public enum Event: Sendable, Equatable {
        /// The box has started, or the inbox may have grown.
        case noticesMayWait
        /// A button or a command.
        case requested(Request)
        /// Something to be said between two announcements.
        case promptRequested(Prompt)
        /// Finish what is playing, then stop.
        case stopRequested
        /// Answer to ``Action/fetch(limit:)``: the oldest waiting notices, oldest first.
        case fetched([InboxEntry], Moment)
        /// Answer to ``Action/recall(_:)``.
        case recalled(Recollection, Moment)
        /// Answer to ``Action/prepare``: the sound card is open.
        case prepared
        /// Answer to ``Action/note(_:)``.
        case noted
        /// Answer to ``Action/note(_:)``: not all of them still wait. The rest of them was noted.
        case withdrawn(rest: [InboxEntry])
        /// Answer to ``Action/play(_:)``: drained to the last frame.
        case played
        /// Answer to ``Action/prepare`` and ``Action/play(_:)``: the sound card would not.
        case playFailed
        /// Answer to ``Action/record(_:)`` and ``Action/expire(_:)``.
        case recorded
        /// Answer to ``Action/fetch(limit:)``, ``Action/recall(_:)``, ``Action/note(_:)``, ``Action/record(_:)`` and
        /// ``Action/expire(_:)``: the disk would not.
        case inboxFailed
        /// The time asked for by ``Action/wait(_:)`` has passed.
        case waited
    }

    public enum Action: Sendable, Equatable {
        case fetch(limit: Int)
        /// Look up what was asked for.
        case recall(Request)
        /// Open the sound card.
        case prepare
        /// Note in the inbox that these are being announced, as far as they still wait.
        case note([InboxEntry])
        /// Play it from its start.
        case play(Announcement)
        /// Note in the inbox that the job has been announced.
        case record(Job)
        /// Note in the inbox that these were too late, and say nothing of them.
        case expire([InboxEntry])
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
        case .noticesMayWait: "notices may wait"
        case .requested: "requested"
        case .promptRequested: "prompt requested"
        case .stopRequested: "stop requested"
        case .fetched: "fetched"
        case .recalled: "recalled"
        case .prepared: "prepared"
        case .noted: "noted"
        case .withdrawn: "withdrawn"
        case .played: "played"
        case .playFailed: "play failed"
        case .recorded: "recorded"
        case .inboxFailed: "inbox failed"
        case .waited: "waited"
        }
    }
}
