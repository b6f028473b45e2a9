import SoundboxCore
import SoundboxSpeech

/// Chooses what is announced next, and how it sounds. Pure: ``AnnouncerWork/announce()`` acts on it.
///
/// ```swift
/// var step = announcer.next(nil, &asked, at: now)
/// if case .read(let limit) = step { step = announcer.next(try read(limit), &asked, at: now) }
/// ```
///
/// After every wait the inbox is read again: meanwhile a payment may have been cancelled, or have become too old to be
/// news.
public struct Announcer: Sendable {
    /// What the inbox holds, as far as it was asked for.
    struct Reading: Sendable, Equatable {
        var queue: Queue
        /// How many payments were asked for.
        var limit: Int
        var moment: Moment
    }

    enum Step: Sendable, Equatable {
        /// Nothing is to be done.
        case rest
        /// Read what waits, with at most so many payments, and ask again.
        case read(limit: Int)
        /// Open the card, note in the inbox that it is being announced, play and record it.
        case announce(Announcement)
        /// Look up what was asked for, and play it.
        case answer(Request)
        case say(Announcement)
        /// Note in the inbox that these were too late, and say nothing of them.
        case expire([InboxEntry])
        /// Note in the inbox how it ended, unless it was cancelled.
        case end(CustomMessageEntry, CustomMessageEnd)
        /// Sound this ring once.
        case ring(Rings.Ring)
        /// Nothing is to be done until then, but what is asked for meanwhile.
        case wait(until: Duration)
    }

    private let freshness: FreshnessPolicy
    private let saysExpireAfter: Duration
    /// More waiting notices than this are spoken faster; `nil` never.
    private let hurryAbove: Int?
    var rings: Rings
    private var turns = Turns()
    /// A custom message has ended without a sound since the last sentence.
    private var hasEndedUnheard = false

    /// - Parameters:
    ///   - saysExpireAfter: what a command gave to say is not said later than this after it was sent.
    ///   - hurryAbove: how many notices may wait, the one being spoken included, before they are spoken faster.
    ///   - lastEarlierCustomMessage: the sequence of the last custom message that was there when the box began.
    public init(
        freshness: FreshnessPolicy, saysExpireAfter: Duration = .seconds(300), hurryAbove: Int? = nil,
        lastEarlierCustomMessage: Int64 = 0
    ) {
        self.freshness = freshness
        self.saysExpireAfter = saysExpireAfter
        self.hurryAbove = hurryAbove
        rings = Rings(lastEarlier: lastEarlierCustomMessage)
    }

    /// The most notices told in one summary.
    static let summaryLimit = 10_000

    /// Enough to see who is next, and whether too many wait.
    private var firstLimit: Int { (hurryAbove ?? 0) + 1 }

    /// How long to wait before the sound card is tried again: 0.5 s, doubling to 5 s.
    static func deviceRetryDelay(failures: Int) -> Duration {
        .milliseconds(min(500 << min(failures - 1, 4), 5000))
    }

    /// For ten minutes: then nobody stands there any more.
    static let mostAttemptsOfDay = 120

    // MARK: The choice

    /// What to do now. What is chosen is taken out of `asked`.
    /// - Parameters:
    ///   - reading: `nil` before the inbox is read.
    ///   - now: on a clock that is never set.
    mutating func next(_ reading: Reading?, _ asked: inout Asked, at now: Duration) -> Step {
        defer { asked.ring = rings.current?.id }
        guard let reading else {
            return asked.inboxChanged ? read(&asked) : ringOrChoose(Queue(), at: nil, &asked, now)
        }
        var queue = reading.queue
        turns.look(at: queue.notices)
        rings.update(queue.rings, reading.moment.clock, at: now)
        let hasPayments = !queue.notices.payments.isEmpty
        // One commit between two payments is no delay. A long row of them would be.
        if !(hasPayments && hasEndedUnheard), let (entry, end) = unheardEnd(in: queue, at: reading.moment) {
            hasEndedUnheard = true
            asked.inboxChanged = true
            return .end(entry, end)
        }
        queue.says = queue.says.filter { end(of: $0, at: reading.moment) == nil && $0.speech != .pending }
        // More may wait behind these.
        if hasPayments || !queue.notices.others.isEmpty || !queue.says.isEmpty { asked.inboxChanged = true }
        return ringOrChoose(queue, at: reading, &asked, now)
    }

    private mutating func ringOrChoose(
        _ queue: Queue, at reading: Reading?, _ asked: inout Asked, _ now: Duration
    ) -> Step {
        if let (entry, end) = rings.end(answered: asked.answered.take(), at: now) {
            asked.inboxChanged = true
            return .end(entry, end)
        }
        if rings.isEmpty { return choose(queue, at: reading, &asked) }
        guard rings.letsOneIn else { return rings.next(at: now) }
        switch choose(queue, at: reading, &asked) {
        case .rest: return rings.next(at: now)
        case .read(let limit): return .read(limit: limit)
        case let step:
            rings.letsOneIn = false
            return step
        }
    }

    private func read(_ asked: inout Asked, limit: Int? = nil) -> Step {
        asked.inboxChanged = false
        return .read(limit: limit ?? firstLimit)
    }

    /// - Parameters:
    ///   - queue: without anything that cannot be said now.
    ///   - reading: `nil` where the inbox was not read, and the queue is empty.
    private mutating func choose(_ queue: Queue, at reading: Reading?, _ asked: inout Asked) -> Step {
        let waiting = ranks(in: queue, asked)
        let oldestPayment = queue.notices.payments.map(\.sequence).min()
        guard let rank = turns.next(of: waiting, oldestPayment: oldestPayment) else { return .rest }
        turns.choose(rank, of: waiting)
        let paymentsWait = oldestPayment != nil
        switch rank {
        case .payment:
            if let reading { return announcePayments(queue, reading, &asked) }
        case .refund, .other:
            if let entry = queue.notices.others.first(where: { Rank($0.notice.kind) == rank }) {
                return announce(entry, in: queue, at: reading?.moment)
            }
        case .request:
            if let request = asked.request.take() ?? asked.endedDay.take().map(Request.dayEnd) {
                return .answer(request)
            }
            if let code = asked.code.take() { return .answer(.signInCode(code)) }
        case .prompt:
            if let prompt = asked.prompts.take(whilePaymentsWait: paymentsWait) {
                guard prompt.concern == .refusal else { return .say(announcement(of: .prompt(prompt))) }
                // As loud as the payment would have been. The hour is read with the queue.
                if let moment = reading?.moment { return .say(announcement(of: .prompt(prompt), at: moment)) }
                asked.prompts.put(prompt)
                return read(&asked)
            }
        case .text:
            if let say = queue.says.first, let job = Job(say) {
                return .announce(announcement(of: job, at: reading?.moment))
            }
        }
        return .rest
    }

    private func ranks(in queue: Queue, _ asked: Asked) -> Set<Rank> {
        var ranks = Set(queue.notices.others.map { Rank($0.notice.kind) })
        let paymentsWait = !queue.notices.payments.isEmpty
        if paymentsWait { ranks.insert(.payment) }
        let codeIsDue = asked.code.map { !$0.isRepetition || !paymentsWait } ?? false
        if asked.request != nil || asked.endedDay != nil || codeIsDue { ranks.insert(.request) }
        if asked.prompts.hasDue(whilePaymentsWait: paymentsWait) { ranks.insert(.prompt) }
        if !queue.says.isEmpty { ranks.insert(.text) }
        return ranks
    }

    // MARK: What waits in the inbox

    /// The first that ends without a sound.
    private func unheardEnd(in queue: Queue, at moment: Moment) -> (CustomMessageEntry, CustomMessageEnd)? {
        for say in queue.says {
            if let end = end(of: say, at: moment) { return (say.entry, end) }
        }
        return nil
    }

    /// - Returns: `nil` for what is to be said, or may be once it is ready.
    private func end(of say: Say, at moment: Moment) -> CustomMessageEnd? {
        if say.entry.isTooOld(after: saysExpireAfter, at: moment.clock) { return .expired }
        if case .failed(let reason, instead: nil) = say.speech { return .failed(reason: reason) }
        return nil
    }

    private func announcePayments(_ queue: Queue, _ reading: Reading, _ asked: inout Asked) -> Step {
        let (payments, moment) = (queue.notices.payments, reading.moment)
        let late = Array(
            payments.prefix { !freshness.isFresh($0, moment.messages[$0.notice.id], at: moment.clock) })
        if late.isEmpty { return announce(payments[0], in: queue, at: moment) }
        // The oldest is no longer news: see how many more belong into one summary with it.
        if reading.limit < Self.summaryLimit { return read(&asked, limit: Self.summaryLimit) }
        if freshness.late == .silent { return .expire(late) }
        return .announce(announcement(of: .summary(late), at: moment))
    }

    private func announce(_ entry: InboxEntry, in queue: Queue, at moment: Moment?) -> Step {
        let count = queue.notices.payments.count + queue.notices.others.count
        let isInAHurry = hurryAbove.map { count > $0 } ?? false
        let job = Job.notice(entry)
        return .announce(Announcement(job, delivery(of: job, at: moment, isInAHurry: isInAHurry)))
    }

    /// - Parameter moment: `nil` for a prompt, which sounds the same at every hour.
    func announcement(of job: Job, at moment: Moment? = nil) -> Announcement {
        Announcement(job, delivery(of: job, at: moment))
    }

    // MARK: What was heard

    mutating func begins(_ job: Job) {
        hasEndedUnheard = false
        if !job.isPayment { turns.lowerSounds() }
    }

    /// To its end, or until it was cancelled.
    mutating func wasHeard(_ job: Job) {
        if job.isPayment { turns.paymentWasHeard() }
    }
}

extension Announcer.Job {
    /// `nil` where there is nothing to be heard.
    fileprivate init?(_ say: Announcer.Say) {
        switch say.speech {
        case .ready(let script): self = .say(say.entry, script, failure: nil)
        case .failed(let reason, let script?): self = .say(say.entry, script, failure: reason)
        case .failed(_, nil), .pending: return nil
        }
    }
}
