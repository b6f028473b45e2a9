import SoundboxCore
import SoundboxSpeech

/// Chooses the next announcement, and its delivery:
///
///     var step = announcer.next(nil, &asked, at: now)
///     if case .read(let limit) = step { step = announcer.next(try read(limit), &asked, at: now) }
///
/// Pure: ``AnnouncerWork/announce()`` carries out the steps. The inbox is read again after every wait, because a
/// payment may have been cancelled or become too old meanwhile.
public struct Announcer: Sendable {
    /// One reading of the inbox.
    struct Reading: Sendable, Equatable {
        var queue: Queue
        /// The limit of payments that was passed to the read.
        var limit: Int
        var moment: Moment
    }

    enum Step: Sendable, Equatable {
        /// Nothing to do.
        case rest
        /// Read the inbox, with at most `limit` payments, and call `next` again.
        case read(limit: Int)
        /// Open the card, check in the inbox that it still waits, play it and record it.
        case announce(Announcement)
        /// Look up the answer and play it.
        case answer(Request)
        case say(Announcement)
        /// Record in the inbox that these were too late; say nothing.
        case expire([InboxEntry])
        /// Record in the inbox how it ended, unless it was cancelled.
        case end(CustomMessageEntry, CustomMessageEnd)
        /// Play one repeat of this ring.
        case ring(Rings.Ring)
        /// Wait until then, or for the next request.
        case wait(until: Duration)
    }

    private let settings: AnnouncementSettings
    private let says: SaySettings
    var rings: Rings
    private var turns = Turns()
    /// A custom message has ended without a sound since the last announcement.
    private var hasEndedUnheard = false

    /// - Parameters:
    ///   - settings: of payments and of `say` commands.
    ///   - lastEarlierCustomMessage: the sequence of the last custom message that was there when the box began.
    package init(_ settings: BoxSettings = BoxSettings(), lastEarlierCustomMessage: Int64 = 0) {
        self.settings = settings.announcements
        says = settings.say
        rings = Rings(lastEarlier: lastEarlierCustomMessage)
    }

    /// The most notices in one summary.
    static let summaryLimit = 10_000

    /// Enough to choose the next one, and to see whether too many wait.
    private var firstLimit: Int { (settings.hurryAbove ?? 0) + 1 }

    /// How long to wait before the next attempt to open the sound card: 0.5 s, doubling to 5 s.
    static func deviceRetryDelay(failures: Int) -> Duration {
        .milliseconds(min(500 << min(failures - 1, 4), 5000))
    }

    /// Ten minutes, at 5 s an attempt. Nobody waits for the takings longer.
    static let mostAttemptsOfDay = 120

    // MARK: The choice

    /// The next step. A request that is chosen is removed from `asked`.
    /// - Parameters:
    ///   - reading: `nil` before the inbox is read.
    ///   - now: on the monotonic clock.
    mutating func next(_ reading: Reading?, _ asked: inout Asked, at now: Duration) -> Step {
        defer { asked.ring = rings.current?.id }
        guard let reading else {
            return asked.inboxChanged ? read(&asked) : ringOrChoose(Queue(), at: nil, &asked, now)
        }
        var queue = reading.queue
        turns.observe(queue.notices)
        rings.update(queue.rings, reading.moment.clock, at: now)
        let hasPayments = !queue.notices.payments.isEmpty
        // One commit between two payments is short. Several in a row would delay the second payment.
        if !(hasPayments && hasEndedUnheard), let (entry, end) = unheardEnd(in: queue, at: reading.moment) {
            hasEndedUnheard = true
            asked.inboxChanged = true
            return .end(entry, end)
        }
        queue.says = queue.says.filter { end(of: $0, at: reading.moment) == nil && $0.speech != .pending }
        // More may wait than were read.
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
        let paymentsWait = !queue.notices.payments.isEmpty
        guard rings.letsIn(paymentsWait: paymentsWait, at: now) else { return rings.next(at: now) }
        switch choose(queue, at: reading, &asked) {
        case .rest: return rings.next(at: now)
        case .read(let limit): return .read(limit: limit)
        case let step:
            rings.oneWasLetIn()
            return step
        }
    }

    private func read(_ asked: inout Asked, limit: Int? = nil) -> Step {
        asked.inboxChanged = false
        return .read(limit: limit ?? firstLimit)
    }

    /// - Parameters:
    ///   - queue: only entries that can be said now.
    ///   - reading: `nil` if the inbox was not read and the queue is empty.
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
            if let prompt = asked.prompts.popFirst(whilePaymentsWait: paymentsWait) {
                guard prompt.concern == .refusal else { return .say(announcement(of: .prompt(prompt))) }
                // As loud as the payment would have been. Quiet hours are read together with the queue.
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

    /// The first custom message that ends without a sound.
    private func unheardEnd(in queue: Queue, at moment: Moment) -> (CustomMessageEntry, CustomMessageEnd)? {
        for say in queue.says {
            if let end = end(of: say, at: moment) { return (say.entry, end) }
        }
        return nil
    }

    /// - Returns: `nil` if it can be said now or later.
    private func end(of say: Say, at moment: Moment) -> CustomMessageEnd? {
        if say.entry.isTooOld(after: says.expireAfter, at: moment.clock) { return .expired }
        if case .failed(let reason, instead: nil) = say.speech { return .failed(reason: reason) }
        return nil
    }

    private func announcePayments(_ queue: Queue, _ reading: Reading, _ asked: inout Asked) -> Step {
        let (payments, moment) = (queue.notices.payments, reading.moment)
        let late = Array(
            payments.prefix { !settings.freshness.isFresh($0, moment.messages[$0.notice.id], at: moment.clock) })
        if late.isEmpty { return announce(payments[0], in: queue, at: moment) }
        // The oldest is late. Read how many more belong in one summary.
        if reading.limit < Self.summaryLimit { return read(&asked, limit: Self.summaryLimit) }
        guard settings.freshness.late == .silent else { return .announce(announcement(of: .summary(late), at: moment)) }
        // What came live is told in any case, the rest is recorded.
        let isLive = { (entry: InboxEntry) in moment.messages[entry.notice.id]?.isLive == true }
        let silent = Array(late.prefix { !isLive($0) })
        if !silent.isEmpty { return .expire(silent) }
        return .announce(announcement(of: .summary(Array(late.prefix(while: isLive))), at: moment))
    }

    private func announce(_ entry: InboxEntry, in queue: Queue, at moment: Moment?) -> Step {
        let count = queue.notices.payments.count + queue.notices.others.count
        let isInAHurry = settings.hurryAbove.map { count > $0 } ?? false
        let job = Job.notice(entry)
        return .announce(Announcement(job, delivery(of: job, at: moment, isInAHurry: isInAHurry)))
    }

    /// - Parameter moment: `nil` if quiet hours make no difference.
    func announcement(of job: Job, at moment: Moment? = nil) -> Announcement {
        Announcement(job, delivery(of: job, at: moment))
    }

    // MARK: What was heard

    mutating func begins(_ job: Job) {
        hasEndedUnheard = false
        if !job.isPayment { turns.lowerSounds() }
    }

    /// Call when a job was heard to its end, or until it was cancelled.
    mutating func wasHeard(_ job: Job) {
        if job.isPayment { turns.paymentWasHeard() }
    }
}

extension Announcer.Job {
    /// `nil` if there is no sound.
    fileprivate init?(_ say: Announcer.Say) {
        switch say.speech {
        case .ready(let script): self = .say(say.entry, script, failure: nil)
        case .failed(let reason, let script?): self = .say(say.entry, script, failure: reason)
        case .failed(_, nil), .pending: return nil
        }
    }
}

/// The order of announcements, the most urgent first; `docs/integration.md` has the same list. Cancels and rings rank
/// above.
enum Rank: Int, Sendable, CaseIterable, Comparable {
    case payment
    case refund
    /// A notice of a kind that the voice defines.
    case other
    /// The answer to a button or a command.
    case request
    /// A message of the box about itself.
    case prompt
    /// The words of a `say` command.
    case text

    static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
}

extension Rank {
    init(_ kind: PaymentNotice.Kind) {
        self =
            switch kind {
            case .payment: .payment
            case .refund: .refund
            case .other: .other
            }
    }
}

/// Whose turn it is: payments come first, and nothing starves.
///
/// While payments wait, the oldest is next. A sentence of a lower rank is let in between two payments only if no
/// waiting payment was held up by such a sentence before, so that none is held up twice. Of the lower ranks the highest
/// is next; a rank that was passed over ``timeout`` times goes first.
///
/// A payment is held up if it waits while a lower sentence plays, whether it came before or after that began.
struct Turns: Sendable, Equatable {
    /// How many times a waiting lower rank may be passed over by other lower ranks.
    static let timeout = 4

    /// Payments up to this sequence were held up; `nil` if no waiting payment was.
    private var heldUp: Int64?
    /// A lower sentence was played since the queue was read.
    private var lowerHasSounded = false
    /// A payment was heard since the last lower sentence, and since payments began to wait.
    private var paymentHadTurn = false
    private var passedOver: [Rank: Int] = [:]

    /// Call with the queue after each reading, before ``next(of:oldestPayment:)``.
    mutating func observe(_ queue: NoticeQueue) {
        if queue.payments.isEmpty {
            heldUp = nil
            paymentHadTurn = false
        } else if lowerHasSounded {
            heldUp = [heldUp, queue.lastPayment].compactMap(\.self).max()
        }
        lowerHasSounded = false
    }

    /// - Parameter oldestPayment: the sequence of the oldest payment that waits.
    /// - Returns: `nil` when nothing waits.
    func next(of waiting: Set<Rank>, oldestPayment: Int64?) -> Rank? {
        let lower = nextLower(of: waiting)
        guard waiting.contains(.payment), let oldestPayment else { return lower }
        let isLetIn = paymentHadTurn && heldUp.map { oldestPayment > $0 } ?? true
        return isLetIn ? lower ?? .payment : .payment
    }

    private func nextLower(of waiting: Set<Rank>) -> Rank? {
        let lower = waiting.subtracting([.payment])
        let longest = lower.map { passedOver[$0, default: 0] }.max() ?? 0
        return longest < Self.timeout ? lower.min() : lower.filter { passedOver[$0] == longest }.min()
    }

    /// Records that a rank was chosen. `waiting` is all ranks that waited, `rank` included.
    mutating func choose(_ rank: Rank, of waiting: Set<Rank>) {
        guard rank != .payment else { return }
        passedOver = passedOver.filter { waiting.contains($0.key) }
        passedOver[rank] = nil
        for other in waiting where other != rank && other != .payment { passedOver[other, default: 0] += 1 }
    }

    mutating func lowerSounds() {
        lowerHasSounded = true
        paymentHadTurn = false
    }

    mutating func paymentWasHeard() { paymentHadTurn = true }
}
