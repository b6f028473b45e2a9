/// What the announcer is told, and what it answers.
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
        var isAnswer: Bool {
            switch self {
            case .notice, .summary: false
            case .replay, .today, .prompt, .network: true
            }
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

    public enum Event: Sendable, Equatable {
        /// The box has started, or the inbox may have grown.
        case noticesMayWait
        /// A button or a command.
        case requested(Request)
        /// Something to be said between two announcements.
        case promptRequested(Prompt)
        /// Finish what is playing, then stop.
        case stopRequested
        /// Answer to ``Action/fetch(limit:)``: the oldest waiting notices, oldest first; `now` is `nil` while the clock
        /// is not set.
        case fetched([InboxEntry], now: Timestamp?)
        /// Answer to ``Action/recall(_:)``: what to play.
        case recalled(Job)
        /// Answer to ``Action/begin(_:)``: the notice was cancelled meanwhile and has not been played.
        case withdrawn
        /// Answer to ``Action/begin(_:)`` and ``Action/play(_:)``: drained to the last frame.
        case played
        /// Answer to ``Action/begin(_:)`` and ``Action/play(_:)``: the sound card would not.
        case playFailed
        /// Answer to ``Action/record(_:)`` and ``Action/expire(_:)``.
        case recorded
        /// Answer to ``Action/fetch(limit:)``, ``Action/recall(_:)``, ``Action/record(_:)`` and ``Action/expire(_:)``: the
        /// disk would not.
        case inboxFailed
        /// The time asked for by ``Action/wait(_:)`` has passed.
        case waited
    }

    public enum Action: Sendable, Equatable {
        case fetch(limit: Int)
        /// Look up what was asked for.
        case recall(Request)
        /// Note in the inbox that the job is being announced, then play it. It is played even when the note fails: a
        /// payment that is on disk must be heard.
        case begin(Job)
        /// Play it (again) from its start.
        case play(Job)
        /// Note in the inbox that the job has been announced.
        case record(Job)
        /// Note in the inbox that these were too late, and say nothing of them.
        case expire([InboxEntry])
        /// Report ``Event/waited`` after this time.
        case wait(Duration)
        /// Nothing is left to do: end the loop.
        case finish
    }
}
