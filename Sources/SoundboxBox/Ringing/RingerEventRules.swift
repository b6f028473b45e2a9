import SoundboxCore

/// What the ringer is told, and what it asks for.
extension Ringer {
    public enum Event: Sendable, Equatable {
        /// The box has started, or the book has changed: a ring came, or one was cancelled.
        case ringsMayWait
        /// Its cancel has come, and perhaps not been committed. The ring need not be known.
        case hushed(CommandID)
        /// Somebody has pressed the button while it rang.
        case answered(CommandID)
        /// Words that were not ready may be now.
        case soundsChanged
        /// The time of ``nextDue`` has come.
        case timePassed
        /// Be silent, and stop.
        case stopRequested
        /// A first part of this start has come out of the speaker.
        case began(attempt: Int)
        /// The sound card would not, at once or in the middle.
        case failed(attempt: Int, reason: String)
        /// The card would, and the words cannot be played.
        case wordsFailed(attempt: Int, reason: String)
        /// Answer to ``Action/ask(_:)``.
        case words(CommandID, areReady: Bool)
        /// Answer to ``Action/fetch``: all that have not ended, oldest first; what is no ring is passed over.
        case fetched([ErrandEntry], ClockReading)
        /// Answer to ``Action/note(_:)``.
        case noted
        /// Answer to ``Action/note(_:)``: it has been cancelled.
        case withdrawn
        /// Answer to ``Action/end(_:_:)``.
        case ended
        /// Answer to ``Action/end(_:_:)``: it has been cancelled, and nothing was written.
        case endedAlready
        /// Answer to ``Action/fetch``, ``Action/note(_:)`` and ``Action/end(_:_:)``: the disk would not.
        case inboxFailed
    }

    /// Of ``fetch``, ``note(_:)`` and ``end(_:_:)`` only one is asked for at a time.
    public enum Action: Sendable, Equatable {
        case fetch
        /// Note in the book that it begins to sound.
        case note(ErrandEntry)
        /// Note in the book how it ended.
        case end(ErrandEntry, ErrandEnd)
        /// See whether its words are ready.
        case ask(ErrandEntry)
        /// Have it sound, in place of what sounds. There is no answer but what the player says of this attempt.
        case start(ErrandEntry, withWords: Bool, attempt: Int)
        /// Silence. There is no answer.
        case stop
        /// Say that nobody has answered. There is no answer.
        case tellMissed
        /// Log and count a mistake of the program. There is no answer.
        case report(Mismatch)
        /// Nothing is left to do: end the loop.
        case finish
    }

    /// An answer to something that was not asked.
    public struct Mismatch: Error, Sendable, Equatable, CustomStringConvertible {
        /// The event's name, without what it carries.
        public var answer: String
        /// What the ringer was doing.
        public var activity: String

        public init(answer: String, activity: String) {
            self.answer = answer
            self.activity = activity
        }

        public var description: String { "the ringer was told \"\(answer)\" while \(activity)" }
    }
}

extension Ringer.Event {
    /// For messages.
    var name: String {
        switch self {
        case .ringsMayWait: "rings may wait"
        case .hushed: "hushed"
        case .answered: "answered"
        case .soundsChanged: "sounds changed"
        case .timePassed: "time passed"
        case .stopRequested: "stop requested"
        case .began: "began"
        case .failed: "failed"
        case .wordsFailed: "words failed"
        case .words: "words"
        case .fetched: "fetched"
        case .noted: "noted"
        case .withdrawn: "withdrawn"
        case .ended: "ended"
        case .endedAlready: "ended already"
        case .inboxFailed: "inbox failed"
        }
    }
}
