/// Decides what is announced, when, how often and how it sounds: strictly one after the other, oldest first.
///
/// A state machine without a clock, a database or a card. It takes an event and returns the actions to perform, in
/// order. Whoever performs them answers each with one of the events named at the action, before the next one is asked
/// for; only ``Event/waited`` comes when its time has passed. The next announcement begins only after the previous one
/// has been drained to its last frame and recorded.
///
/// After every wait the inbox is read again: meanwhile a payment may have been cancelled, or have become too old to be
/// news. One that was heard to its end is never fetched again before that is recorded.
public struct Announcer: Sendable {
    fileprivate enum State: Equatable {
        case idle
        case fetching(limit: Int)
        case recalling(Request)
        /// The card is being opened. Nothing has been noted yet, so it can still be cancelled.
        case preparing(Announcement)
        case noting(Announcement)
        case playing(Announcement)
        case recording(Job)
        case expiring
        case waitingForDevice
        /// The disk failed. After a while what could not be done is tried again.
        case waitingForInbox(Retry)
        /// The same, while a prompt is spoken: what the box says of its trouble must not wait for the trouble to end.
        /// `isDue` tells that the time to try again has come.
        case prompting(Retry, isDue: Bool)
        case finished
    }

    fileprivate enum Retry: Equatable {
        case fetch
        /// It was heard to its end: only the record is missing.
        case record(Job)
    }

    private let freshness: FreshnessPolicy
    /// More waiting notices than this are spoken faster; `nil` never.
    private let hurryAbove: Int?
    let quietHours: QuietHours?
    private var state = State.idle
    private var noticesMayWait = false
    private var request: Request?
    /// The prompt asked for last.
    private var requestedPrompt: Prompt?
    /// The last thing played was an answer to a request, or a prompt.
    private var answerCameLast = false
    private var stopIsRequested = false
    /// How often in a row the sound card refused what waits.
    private var deviceFailures = 0

    /// - Parameter hurryAbove: how many notices may wait, the one being spoken included, before they are spoken faster.
    public init(freshness: FreshnessPolicy, hurryAbove: Int? = nil, quietHours: QuietHours? = nil) {
        self.freshness = freshness
        self.hurryAbove = hurryAbove
        self.quietHours = quietHours
    }

    public mutating func handle(_ event: Event) -> [Action] {
        guard state != .finished else { return [] }
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
        default: return answered(event) ?? outOfStep(event)
        }
        return continueWhenIdle()
    }

    /// How long to wait before the sound card is tried again: 0.5 s, doubling to 5 s.
    static func deviceRetryDelay(failures: Int) -> Duration {
        .milliseconds(min(500 << min(failures - 1, 4), 5000))
    }

    /// The most notices told in one summary.
    static let summaryLimit = 10_000

    /// How long to wait before the disk is tried again.
    static let inboxRetryDelay = Duration.seconds(1)

    // MARK: Answers

    /// - Returns: `nil` when the answer does not fit what was asked.
    private mutating func answered(_ event: Event) -> [Action]? {
        switch (state, event) {
        case (.fetching(let limit), .fetched(let entries, let moment)):
            return stopIsRequested ? finish() : fetched(entries, limit: limit, at: moment)
        case (.recalling(let request), .recalled(let found, let moment)):
            return stopIsRequested ? finish() : recalled(found, for: request, at: moment)
        case (.preparing(let announcement), .prepared):
            return stopIsRequested ? finish() : note(announcement)
        // It is played even when the note fails: a payment that is on disk must be heard.
        case (.noting(let announcement), .noted), (.noting(let announcement), .inboxFailed):
            return stopIsRequested ? finish() : play(announcement)
        case (.noting(let announcement), .withdrawn(let rest)): return withdrawn(announcement, rest: rest)
        case (.expiring, .recorded), (.recording, .recorded): return becomeIdle()
        case (.playing(let announcement), .played): return played(announcement.job)
        case (.playing(let announcement), .playFailed) where announcement.job.isAnswer:
            // Nobody waits at the counter for a replay that comes minutes later.
            return becomeIdle()
        case (.preparing, .playFailed), (.playing, .playFailed): return deviceFailed()
        case (.prompting(let retry, let isDue), .played), (.prompting(let retry, let isDue), .playFailed):
            return prompted(retry, isDue: isDue)
        // Nor for one that the disk refuses; and a history that cannot be read must not hold payments back.
        case (.recalling, .inboxFailed): return becomeIdle()
        case (.fetching, .inboxFailed), (.expiring, .inboxFailed): return inboxFailed(.fetch)
        case (.recording(let job), .inboxFailed): return inboxFailed(.record(job))
        case (.waitingForDevice, .waited): return fetch(limit: firstLimit)
        case (.waitingForInbox(let retry), .waited): return tryAgain(retry)
        case (.prompting(let retry, isDue: false), .waited):
            state = .prompting(retry, isDue: true)
            return []
        default: return nil
        }
    }

    /// Whoever performs the actions has made a mistake. It is told of, and must not silence the box.
    ///
    /// A timer stands for nothing that is outstanding. Every other answer is the one to what was asked last, and nobody
    /// knows how that went, so that it counts as failed: heard twice beats never heard.
    private mutating func outOfStep(_ event: Event) -> [Action] {
        let report = Action.report(Mismatch(answer: event.name, activity: state.description))
        if event == .waited { return [report] }
        switch state {
        case .idle, .waitingForDevice, .waitingForInbox, .finished: return [report]
        case .fetching, .expiring: return [report] + inboxFailed(.fetch)
        case .recording(let job): return [report] + inboxFailed(.record(job))
        case .recalling: return [report] + becomeIdle()
        case .playing(let announcement) where announcement.job.isAnswer: return [report] + becomeIdle()
        case .preparing, .noting, .playing: return [report] + deviceFailed()
        case .prompting(let retry, let isDue): return [report] + prompted(retry, isDue: isDue)
        }
    }

    // MARK: What comes next

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
            if let prompt = requestedPrompt.take() { return answer(.prompt(prompt)) }
            if let request = request.take() { return recall(request) }
        }
        guard noticesMayWait else { return [] }
        return fetch(limit: firstLimit)
    }

    private mutating func becomeIdle() -> [Action] {
        state = .idle
        return continueWhenIdle()
    }

    /// Enough to see who is next, and whether too many wait.
    private var firstLimit: Int { (hurryAbove ?? 0) + 1 }

    private mutating func fetch(limit: Int) -> [Action] {
        noticesMayWait = false
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

    private mutating func fetched(_ entries: [InboxEntry], limit: Int, at moment: Moment) -> [Action] {
        guard let oldest = entries.first else {
            deviceFailures = 0
            return becomeIdle()
        }
        // More may wait behind these.
        noticesMayWait = true
        // A refund is never folded into a total of payments.
        let late = Array(entries.prefix { !freshness.isFresh($0, at: moment.clock) && $0.notice.kind == .payment })
        if late.isEmpty {
            let isInAHurry = hurryAbove.map { entries.count > $0 } ?? false
            return prepare(.notice(oldest), delivery(of: .notice(oldest), at: moment, isInAHurry: isInAHurry))
        }
        // The oldest is no longer news: see how many more belong into one summary with it.
        if limit < Self.summaryLimit { return fetch(limit: Self.summaryLimit) }
        if freshness.late == .silent { return expire(late) }
        return prepare(.summary(late), delivery(of: .summary(late), at: moment))
    }

    private mutating func recalled(_ found: Recollection, for request: Request, at moment: Moment) -> [Action]? {
        switch (request, found) {
        // With one payment so far, "none yet" would not be true.
        case (.beforeLast, .announced(nil)): recall(.last)
        case (.last, .announced(let entry)), (.beforeLast, .announced(let entry)): answer(.replay(entry), at: moment)
        case (.today, .payments(let payments)): answer(.today(payments), at: moment)
        case (.network, .network(let isOnline, let address)):
            answer(.network(isOnline: isOnline, address: address), at: moment)
        default: nil
        }
    }

    private mutating func expire(_ entries: [InboxEntry]) -> [Action] {
        state = .expiring
        return [.expire(entries)]
    }

    // MARK: Playing

    private mutating func prepare(_ job: Job, _ delivery: Delivery) -> [Action] {
        answerCameLast = false
        state = .preparing(Announcement(job, delivery))
        return [.prepare]
    }

    private mutating func note(_ announcement: Announcement) -> [Action] {
        state = .noting(announcement)
        return [.note(announcement.job.entries)]
    }

    /// A summary is told without those that wait no longer. Another one that began again would be held up for as long as
    /// payments are cancelled.
    private mutating func withdrawn(_ announcement: Announcement, rest: [InboxEntry]) -> [Action] {
        guard case .summary = announcement.job, !rest.isEmpty else { return becomeIdle() }
        return stopIsRequested ? finish() : play(Announcement(.summary(rest), announcement.delivery))
    }

    private mutating func play(_ announcement: Announcement) -> [Action] {
        state = .playing(announcement)
        return [.play(announcement)]
    }

    /// - Parameter moment: `nil` for a prompt, which sounds the same at every hour.
    private mutating func answer(_ job: Job, at moment: Moment? = nil) -> [Action] {
        answerCameLast = true
        return play(Announcement(job, delivery(of: job, at: moment)))
    }

    private mutating func played(_ job: Job) -> [Action] {
        deviceFailures = 0
        if job.isAnswer { return becomeIdle() }
        state = .recording(job)
        return [.record(job)]
    }

    // MARK: What would not

    private mutating func deviceFailed() -> [Action] {
        if stopIsRequested { return finish() }
        deviceFailures += 1
        state = .waitingForDevice
        return [.wait(Self.deviceRetryDelay(failures: deviceFailures))]
    }

    private mutating func inboxFailed(_ retry: Retry) -> [Action] {
        if stopIsRequested { return finish() }
        state = .waitingForInbox(retry)
        return [.wait(Self.inboxRetryDelay)] + promptWhileWaiting(retry)
    }

    private mutating func tryAgain(_ retry: Retry) -> [Action] {
        switch retry {
        case .fetch: return fetch(limit: firstLimit)
        case .record(let job):
            // The next notice waits: a power cut now would have this one spoken again, and two in doubt would be worse
            // than one.
            state = .recording(job)
            return [.record(job)]
        }
    }

    private mutating func promptWhileWaiting(_ retry: Retry) -> [Action] {
        guard let prompt = requestedPrompt.take() else { return [] }
        state = .prompting(retry, isDue: false)
        return [.play(Announcement(.prompt(prompt), delivery(of: .prompt(prompt), at: nil)))]
    }

    /// A prompt was spoken, or was not, while the disk would not.
    private mutating func prompted(_ retry: Retry, isDue: Bool) -> [Action] {
        if stopIsRequested { return finish() }
        if isDue { return tryAgain(retry) }
        state = .waitingForInbox(retry)
        return promptWhileWaiting(retry)
    }
}

extension Announcer.State: CustomStringConvertible {
    /// For messages, after "while".
    fileprivate var description: String {
        switch self {
        case .idle: "idle"
        case .fetching: "fetching"
        case .recalling: "looking up a request"
        case .preparing: "opening the sound card"
        case .noting: "noting"
        case .playing: "playing"
        case .recording: "recording"
        case .expiring: "passing over late payments"
        case .waitingForDevice: "waiting for the sound card"
        case .waitingForInbox: "waiting for the disk"
        case .prompting: "speaking a prompt"
        case .finished: "finished"
        }
    }
}
