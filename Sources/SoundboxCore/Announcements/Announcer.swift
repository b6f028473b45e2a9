/// Decides what is announced, when and how often: strictly one after the other, oldest first.
///
/// A state machine without a clock, a database or a card: it takes an event and returns the actions to perform, in
/// order. Whoever performs them reports back with the event named at each action. The next announcement begins only
/// after the previous one has been drained to its last frame and recorded.
public struct Announcer: Sendable {
    private enum State: Equatable {
        case idle
        case fetching(limit: Int)
        case recalling(Request)
        case waitingForDevice(Job, attempts: Int)
        case playing(Job, attempts: Int)
        case recording(Job)
        case expiring([InboxEntry])
        /// The disk failed; after a while what could not be done is tried again.
        case waitingForInbox(Retry)
        /// Meanwhile a prompt is spoken: what the box says of its trouble must not wait for the trouble to end.
        /// `isDue` tells that the time to try again has come.
        case prompting(Retry, isDue: Bool)
        case finished
    }

    private enum Retry: Equatable {
        case fetch(limit: Int)
        case recall(Request)
        case record(Job)
        case expire([InboxEntry])
    }

    private let freshness: FreshnessPolicy
    /// More waiting notices than this are spoken faster; `nil` never.
    private let hurryAbove: Int?
    private var state = State.idle
    private var noticesMayWait = false
    private var request: Request?
    /// The prompt asked for last.
    private var requestedPrompt: Prompt?
    /// The last thing played was an answer to a request, or a prompt.
    private var answerCameLast = false
    private var stopIsRequested = false

    /// Whether more notices wait than are to be spoken at leisure. Holds for the announcement that was begun last.
    public private(set) var isInAHurry = false

    /// - Parameter hurryAbove: how many notices may wait, the one being spoken included, before ``isInAHurry``.
    public init(freshness: FreshnessPolicy, hurryAbove: Int? = nil) {
        self.freshness = freshness
        self.hurryAbove = hurryAbove
    }

    /// Whether the sound card is away and an announcement waits for it.
    public var isWaitingForDevice: Bool {
        switch state {
        case .waitingForDevice: true
        case .playing(_, let attempts): attempts > 0
        default: false
        }
    }

    public mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .noticesMayWait: noticesMayWait = true
        // Pressing five times asks for one answer, not for five in a row; the last word counts.
        case .requested(let request): self.request = request
        // The last one tells how things are now.
        case .promptRequested(let prompt):
            requestedPrompt = prompt
            if case .waitingForInbox(let retry) = state { return promptWhileWaiting(retry) }
        case .stopRequested:
            stopIsRequested = true
            // Nothing is sounding, so nothing needs to be finished: the notice stays in the inbox.
            if isAwaitingTimer { return finish() }
        case .fetched(let entries, let now):
            guard case .fetching(let limit) = state else { return [] }
            if stopIsRequested { return finish() }
            return fetched(entries, limit: limit, now: now)
        case .recalled(let job):
            guard case .recalling = state else { return [] }
            if stopIsRequested { return finish() }
            return begin(job)
        case .withdrawn: if case .playing = state { state = .idle }
        case .played: return played()
        case .playFailed: return playFailed()
        case .recorded: if isRecording { state = .idle }
        case .inboxFailed: return inboxFailed()
        case .waited: return waited()
        }
        return continueWhenIdle()
    }

    /// How long to wait before the sound card is tried again: 0.5 s, doubling to 5 s.
    static func deviceRetryDelay(attempts: Int) -> Duration {
        .milliseconds(min(500 << min(attempts, 4), 5000))
    }

    /// The most notices told in one summary.
    static let summaryLimit = 10_000

    /// How long to wait before the disk is tried again.
    static let inboxRetryDelay = Duration.seconds(1)

    private var isRecording: Bool {
        switch state {
        case .recording, .expiring: true
        default: false
        }
    }

    private var isAwaitingTimer: Bool {
        switch state {
        case .waitingForDevice, .waitingForInbox: true
        default: false
        }
    }

    private mutating func continueWhenIdle() -> [Action] {
        guard state == .idle else { return [] }
        if stopIsRequested { return finish() }
        // A button pressed again and again must not hold payments back: they take turns.
        if !(answerCameLast && noticesMayWait) {
            if let prompt = requestedPrompt.take() { return begin(.prompt(prompt)) }
            if let request = request.take() { return recall(request) }
        }
        guard noticesMayWait else { return [] }
        noticesMayWait = false
        return fetch(limit: firstLimit)
    }

    /// Enough to see who is next, and whether too many wait.
    private var firstLimit: Int { (hurryAbove ?? 0) + 1 }

    private mutating func fetch(limit: Int) -> [Action] {
        state = .fetching(limit: limit)
        return [.fetch(limit: limit)]
    }

    private mutating func recall(_ request: Request) -> [Action] {
        state = .recalling(request)
        return [.recall(request)]
    }

    private mutating func finish() -> [Action] {
        state = .finished
        return [.finish]
    }

    private mutating func fetched(_ entries: [InboxEntry], limit: Int, now: Timestamp?) -> [Action] {
        guard let oldest = entries.first else {
            state = .idle
            return continueWhenIdle()
        }
        isInAHurry = hurryAbove.map { entries.count > $0 } ?? false
        // A refund is never folded into a total of payments.
        let late = entries.prefix { !freshness.isFresh($0, at: now) && $0.notice.kind == .payment }
        if late.isEmpty { return begin(.notice(oldest)) }
        // The oldest is no longer news: see how many more belong into one summary with it.
        if limit < Self.summaryLimit { return fetch(limit: Self.summaryLimit) }
        return freshness.late == .silent ? expire(Array(late)) : begin(.summary(Array(late)))
    }

    private mutating func expire(_ entries: [InboxEntry]) -> [Action] {
        state = .expiring(entries)
        // More may wait behind these.
        noticesMayWait = true
        return [.expire(entries)]
    }

    private mutating func begin(_ job: Job) -> [Action] {
        state = .playing(job, attempts: 0)
        answerCameLast = job.isAnswer
        if job.isAnswer { return [.play(job)] }
        // More may wait behind this one.
        noticesMayWait = true
        return [.begin(job)]
    }

    private mutating func promptWhileWaiting(_ retry: Retry) -> [Action] {
        guard let prompt = requestedPrompt.take() else { return [] }
        state = .prompting(retry, isDue: false)
        return [.play(.prompt(prompt))]
    }

    /// A prompt that was spoken, or was not, while the disk would not.
    private mutating func prompted(_ retry: Retry, isDue: Bool) -> [Action] {
        if stopIsRequested { return finish() }
        state = .waitingForInbox(retry)
        if isDue { return waited() }
        return promptWhileWaiting(retry)
    }

    private mutating func played() -> [Action] {
        if case .prompting(let retry, let isDue) = state { return prompted(retry, isDue: isDue) }
        guard case .playing(let job, _) = state else { return [] }
        if job.isAnswer {
            state = .idle
            return continueWhenIdle()
        }
        state = .recording(job)
        return [.record(job)]
    }

    private mutating func playFailed() -> [Action] {
        if case .prompting(let retry, let isDue) = state { return prompted(retry, isDue: isDue) }
        guard case .playing(let job, let attempts) = state else { return [] }
        if stopIsRequested { return finish() }
        if job.isAnswer {
            // Nobody waits at the counter for a replay that comes minutes later.
            state = .idle
            return continueWhenIdle()
        }
        state = .waitingForDevice(job, attempts: attempts + 1)
        return [.wait(Self.deviceRetryDelay(attempts: attempts))]
    }

    private mutating func inboxFailed() -> [Action] {
        let retry: Retry
        switch state {
        case .fetching(let limit): retry = .fetch(limit: limit)
        case .recalling(let request): retry = .recall(request)
        case .recording(let job): retry = .record(job)
        case .expiring(let entries): retry = .expire(entries)
        default: return []
        }
        if stopIsRequested { return finish() }
        state = .waitingForInbox(retry)
        return [.wait(Self.inboxRetryDelay)] + promptWhileWaiting(retry)
    }

    private mutating func waited() -> [Action] {
        switch state {
        case .waitingForDevice(let job, let attempts):
            state = .playing(job, attempts: attempts)
            return [.play(job)]
        case .waitingForInbox(.fetch(let limit)):
            return fetch(limit: limit)
        case .waitingForInbox(.recall(let request)):
            return recall(request)
        case .waitingForInbox(.record(let job)):
            // Spoken already: only the record is missing. The next notice waits, since a power cut now would have
            // this one spoken again, and two in doubt would be worse than one.
            state = .recording(job)
            return [.record(job)]
        case .waitingForInbox(.expire(let entries)): return expire(entries)
        case .prompting(let retry, _):
            state = .prompting(retry, isDue: true)
            return []
        default: return []
        }
    }
}
