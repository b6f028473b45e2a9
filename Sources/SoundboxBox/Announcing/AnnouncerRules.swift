import SoundboxCore
import SoundboxSpeech

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
    let freshness: FreshnessPolicy
    let saysExpireAfter: Duration
    /// More waiting notices than this are spoken faster; `nil` never.
    let hurryAbove: Int?
    /// Whoever runs it sets them; they count for what is decided from then on.
    public var quietHours: QuietHours?
    var state = State.idle
    var somethingMayWait = false
    var request: Request?
    /// To be said when no other request is left: whoever asks for one takes nobody else's answer away.
    var code: AskedCode?
    /// It is being said for the first time.
    private var codeBeingSaid: AskedCode?
    /// Its takings are to be told.
    var endedDay: BusinessDay?
    /// They are being told.
    private var dayBeingTold: BusinessDay?
    /// What follows the notice that is being recorded.
    private var nextText: Announcement?
    var prompts = PromptQueue()
    var turns = Turns()
    var isHeld = false
    /// An errand has ended without a sound since the last sentence.
    var hasEndedUnheard = false
    var stopIsRequested = false
    /// How often in a row the sound card refused what waits.
    var deviceFailures = 0

    /// - Parameters:
    ///   - saysExpireAfter: what a command gave to say is not said later than this after it was sent.
    ///   - hurryAbove: how many notices may wait, the one being spoken included, before they are spoken faster.
    public init(
        freshness: FreshnessPolicy, saysExpireAfter: Duration = .seconds(300), hurryAbove: Int? = nil,
        quietHours: QuietHours? = nil
    ) {
        self.freshness = freshness
        self.saysExpireAfter = saysExpireAfter
        self.hurryAbove = hurryAbove
        self.quietHours = quietHours
    }

    public mutating func handle(_ event: Event) -> [Action] {
        guard state != .finished else { return [] }
        switch event {
        case .somethingMayWait: somethingMayWait = true
        // Pressing five times asks for one answer, not for five in a row; the last word counts.
        case .requested(.signInCode(let code)): self.code = code
        case .requested(let request): self.request = request
        case .dayEnded(let day): endedDay = day
        case .promptRequested(let prompt):
            prompts.put(prompt)
            if case .waitingForInbox(let retry) = state { return promptWhileWaiting(retry) }
        case .promptWithdrawn(let prompt): prompts.withdraw(prompt)
        case .held(let isHeld): self.isHeld = isHeld
        case .lookDue:
            // Whatever else it does tells of the card by itself.
            guard state == .idle else { return [] }
            state = .looking
            return [.look]
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

    /// For ten minutes: then nobody stands there any more.
    static let mostAttemptsOfDay = 120

    /// How long to wait before the disk is tried again.
    static let inboxRetryDelay = Duration.seconds(1)

    // MARK: Answers

    /// - Returns: `nil` when the answer does not fit what was asked.
    private mutating func answered(_ event: Event) -> [Action]? {
        switch (state, event) {
        case (.looking, .looked): return becomeIdle()
        case (.fetching(let limit), .fetched(let queue, let moment)):
            return stopIsRequested ? finish() : fetched(queue, limit: limit, at: moment)
        case (.recalling(let request), .recalled(let found, let moment)):
            return stopIsRequested ? finish() : recalled(found, for: request, at: moment)
        case (.preparing(let announcement), .prepared):
            if stopIsRequested { return finish() }
            // Something began to ring meanwhile.
            return isHeld ? becomeIdle() : note(announcement)
        // It is told again when the disk is back whether it still waits: nobody is owed a sentence twice.
        case (.noting(let announcement), .inboxFailed) where announcement.job.entries.isEmpty:
            return inboxFailed(.fetch)
        // It is played even when the note fails: a payment that is on disk must be heard.
        case (.noting(let announcement), .noted), (.noting(let announcement), .inboxFailed):
            return stopIsRequested ? finish() : play(announcement)
        case (.noting(let announcement), .withdrawn(let rest)): return withdrawn(announcement, rest: rest)
        case (.expiring, .recorded), (.ending, .recorded): return becomeIdle()
        case (.recording, .recorded): return recorded()
        case (.playing(let announcement), .played(let manner)): return played(announcement, manner)
        case (.playing(let announcement), .saidOtherwise(let reason)):
            return saidOtherwise(announcement.job, because: reason)
        case (.playing(let announcement), .stoppedEarly) where !announcement.job.isAnswer:
            return stoppedEarly(announcement.job)
        case (.playing(let announcement), .withdrawn) where !announcement.job.isAnswer:
            somethingMayWait = true
            return becomeIdle()
        case (.playing, .playFailed) where dayBeingTold != nil: return deviceFailed()
        case (.playing(let announcement), .playFailed) where announcement.job.isAnswer:
            // Nobody waits at the counter for a replay that comes minutes later.
            return becomeIdle()
        case (.preparing, .playFailed), (.playing, .playFailed): return deviceFailed()
        case (.prompting(let retry, let isDue), .played), (.prompting(let retry, let isDue), .playFailed):
            return prompted(retry, isDue: isDue)
        case (.recalling(.dayEnd(let day)), .inboxFailed):
            endedDay = endedDay ?? day
            return inboxFailed(.fetch)
        // Nor for one that the disk refuses; and a history that cannot be read must not hold payments back.
        case (.recalling, .inboxFailed): return becomeIdle()
        case (.fetching, .inboxFailed), (.expiring, .inboxFailed): return inboxFailed(.fetch)
        case (.recording(let job, let manner), .inboxFailed): return inboxFailed(.record(job, manner))
        case (.ending(let entry, let end), .inboxFailed): return inboxFailed(.end(entry, end))
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
        case .recording(let job, let manner): return [report] + inboxFailed(.record(job, manner))
        case .ending(let entry, let end): return [report] + inboxFailed(.end(entry, end))
        case .looking, .recalling: return [report] + becomeIdle()
        case .playing(let announcement) where announcement.job.isAnswer: return [report] + becomeIdle()
        case .preparing, .noting, .playing: return [report] + deviceFailed()
        case .prompting(let retry, let isDue): return [report] + prompted(retry, isDue: isDue)
        }
    }

    // MARK: Steps

    private var isAwaitingTimer: Bool {
        switch state {
        case .waitingForDevice, .waitingForInbox: true
        default: false
        }
    }

    mutating func recall(_ request: Request) -> [Action] {
        state = .recalling(request)
        return [.recall(request)]
    }

    mutating func finish() -> [Action] {
        state = .finished
        return [.finish]
    }

    private mutating func recalled(_ found: Recollection, for request: Request, at moment: Moment) -> [Action]? {
        switch (request, found) {
        // With one payment so far, "none yet" would not be true.
        case (.beforeLast, .announced(nil)): recall(.last)
        case (.last, .announced(let entry)), (.beforeLast, .announced(let entry)), (.notice, .announced(let entry)):
            answer(.replay(entry), at: moment)
        case (.today, .takings(let takings)): answer(.today(takings), at: moment)
        case (.dayEnd(let day), .takings(let takings)): tell(day, takings, at: moment)
        case (.network, .network(let isOnline, let address)):
            answer(.network(isOnline: isOnline, address: address), at: moment)
        case (.signInCode(let asked), .signInCode(let code?)): say(code, asked, at: moment)
        case (.signInCode, .signInCode(nil)): becomeIdle()
        default: nil
        }
    }

    private mutating func say(_ code: SignInCode, _ asked: AskedCode, at moment: Moment) -> [Action] {
        codeBeingSaid = asked.isRepetition ? nil : asked
        return answer(.signInCode(code), at: moment)
    }

    private mutating func tell(_ day: BusinessDay, _ takings: DayTotals, at moment: Moment) -> [Action] {
        let actions = answer(.today(takings), at: moment)
        dayBeingTold = day
        return actions
    }

    mutating func expire(_ entries: [InboxEntry]) -> [Action] {
        state = .expiring
        return [.expire(entries)]
    }

    // MARK: Playing

    mutating func prepare(_ job: Job, _ delivery: Delivery) -> [Action] {
        state = .preparing(Announcement(job, delivery))
        return [.prepare]
    }

    private mutating func note(_ announcement: Announcement) -> [Action] {
        state = .noting(announcement)
        if case .say(let entry, _, _) = announcement.job { return [.noteSounding(entry)] }
        return [.note(announcement.job.entries)]
    }

    /// A summary is told without those that wait no longer. Another one that began again would be held up for as long as
    /// payments are cancelled.
    private mutating func withdrawn(_ announcement: Announcement, rest: [InboxEntry]) -> [Action] {
        guard case .summary = announcement.job, !rest.isEmpty else { return becomeIdle() }
        return stopIsRequested ? finish() : play(Announcement(.summary(rest), announcement.delivery))
    }

    private mutating func play(_ announcement: Announcement) -> [Action] {
        hasEndedUnheard = false
        if !announcement.job.isPayment { turns.lowerSounds() }
        dayBeingTold = nil
        state = .playing(announcement)
        return [.play(announcement)]
    }

    /// - Parameter moment: `nil` for a prompt, which sounds the same at every hour.
    mutating func answer(_ job: Job, at moment: Moment? = nil) -> [Action] {
        return play(Announcement(job, delivery(of: job, at: moment)))
    }

    private mutating func played(_ announcement: Announcement, _ manner: Manner) -> [Action] {
        let job = announcement.job
        deviceFailures = 0
        dayBeingTold = nil
        // Another one may have been asked for.
        if case .signInCode = job, let asked = codeBeingSaid.take() {
            code = code ?? AskedCode(asked.code, askedAt: asked.askedAt, isRepetition: true)
        }
        if job.isAnswer { return becomeIdle() }
        if case .say(let entry, _, let failure) = job {
            return end(entry, failure.map { .failed(reason: $0) } ?? .spoken(manner))
        }
        if job.isPayment { turns.paymentWasHeard() }
        if case .notice(let entry) = job, entry.notice.text != nil {
            nextText = Announcement(.text(entry), delivery(of: .text(entry), as: announcement.delivery))
        }
        state = .recording(job, manner)
        return [.record(job, manner)]
    }

    /// A notice's text follows when the notice is on the disk as heard: whatever a power cut or a stop takes, it is not
    /// the money that is told twice.
    private mutating func recorded() -> [Action] {
        guard let text = nextText.take(), !stopIsRequested else { return becomeIdle() }
        state = .playing(text)
        return [.play(text)]
    }

    /// - Returns: `nil` when it is nothing that could be said otherwise.
    private mutating func saidOtherwise(_ job: Job, because reason: String) -> [Action]? {
        guard case .say(let entry, _, _) = job else { return nil }
        deviceFailures = 0
        return end(entry, .failed(reason: reason))
    }

    /// Whoever cancels it has it written down, and it waits no more. Should that have failed, it waits and is told anew.
    ///
    /// That it was cancelled is said in the place of the rest, and delays nobody any further.
    private mutating func stoppedEarly(_ job: Job) -> [Action] {
        deviceFailures = 0
        if job.isPayment { turns.paymentWasHeard() }
        somethingMayWait = true
        // Also when the box is to stop: what was heard of it must not stand.
        let announcement = Announcement(.prompt(.cancelled), delivery(of: .prompt(.cancelled), at: nil))
        state = .playing(announcement)
        return [.play(announcement)]
    }

    mutating func end(_ entry: ErrandEntry, _ end: ErrandEnd) -> [Action] {
        state = .ending(entry, end)
        return [.end(entry, end)]
    }

    // MARK: What would not

    private mutating func deviceFailed() -> [Action] {
        if stopIsRequested { return finish() }
        deviceFailures += 1
        if let day = dayBeingTold.take(), deviceFailures <= Self.mostAttemptsOfDay { endedDay = endedDay ?? day }
        state = .waitingForDevice
        return [.wait(Self.deviceRetryDelay(failures: deviceFailures))]
    }

    private mutating func inboxFailed(_ retry: Retry) -> [Action] {
        if stopIsRequested { return finish() }
        // Nobody knows any more by then what it belongs to.
        nextText = nil
        state = .waitingForInbox(retry)
        return [.wait(Self.inboxRetryDelay)] + promptWhileWaiting(retry)
    }

    private mutating func tryAgain(_ retry: Retry) -> [Action] {
        switch retry {
        case .fetch: return fetch(limit: firstLimit)
        case .record(let job, let manner):
            // The next notice waits: a power cut now would have this one spoken again, and two in doubt would be worse
            // than one.
            state = .recording(job, manner)
            return [.record(job, manner)]
        case .end(let entry, let end): return self.end(entry, end)
        }
    }

    private mutating func promptWhileWaiting(_ retry: Retry) -> [Action] {
        guard let prompt = prompts.take() else { return [] }
        turns.lowerSounds()
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
