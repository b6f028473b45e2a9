import SoundboxCore

extension Announcer {
    enum State: Equatable {
        case idle
        case looking
        case fetching(limit: Int)
        case recalling(Request)
        /// The card is being opened. Nothing has been noted yet, so it can still be cancelled.
        case preparing(Announcement)
        case noting(Announcement)
        case playing(Announcement)
        case recording(Job, Manner)
        case expiring
        case ending(ErrandEntry, ErrandEnd)
        case waitingForDevice
        /// The disk failed. After a while what could not be done is tried again.
        case waitingForInbox(Retry)
        /// The same, while a prompt is spoken: what the box says of its trouble must not wait for the trouble to end.
        /// `isDue` tells that the time to try again has come.
        case prompting(Retry, isDue: Bool)
        case finished
    }

    enum Retry: Equatable {
        case fetch
        /// It was heard to its end: only the record is missing.
        case record(Job, Manner)
        /// The same, or nothing is to be heard of it.
        case end(ErrandEntry, ErrandEnd)
    }
}

extension Announcer.State: CustomStringConvertible {
    /// For messages, after "while".
    var description: String {
        switch self {
        case .idle: "idle"
        case .looking: "looking after the sound card"
        case .fetching: "fetching"
        case .recalling: "looking up a request"
        case .preparing: "opening the sound card"
        case .noting: "noting"
        case .playing: "playing"
        case .recording: "recording"
        case .expiring: "passing over late payments"
        case .ending: "ending an errand"
        case .waitingForDevice: "waiting for the sound card"
        case .waitingForInbox: "waiting for the disk"
        case .prompting: "speaking a prompt"
        case .finished: "finished"
        }
    }
}
