import SoundboxCore

/// What comes next.
extension Announcer {
    /// The most notices told in one summary.
    static let summaryLimit = 10_000

    mutating func continueWhenIdle() -> [Action] {
        guard state == .idle else { return [] }
        if stopIsRequested { return finish() }
        if isHeld { return promptWhileHeld() }
        if somethingMayWait { return fetch(limit: firstLimit) }
        return choose(from: Queue(), limit: firstLimit, at: nil)
    }

    mutating func becomeIdle() -> [Action] {
        state = .idle
        return continueWhenIdle()
    }

    /// Enough to see who is next, and whether too many wait.
    var firstLimit: Int { (hurryAbove ?? 0) + 1 }

    mutating func fetch(limit: Int) -> [Action] {
        somethingMayWait = false
        state = .fetching(limit: limit)
        return [.fetch(limit: limit)]
    }

    mutating func fetched(_ queue: Queue, limit: Int, at moment: Moment) -> [Action] {
        turns.look(at: queue.notices)
        let hasPayments = !queue.notices.payments.isEmpty
        // One commit between two payments is no delay. A long row of them would be.
        if !(hasPayments && hasEndedUnheard), let (entry, end) = unheardEnd(in: queue, at: moment) {
            hasEndedUnheard = true
            somethingMayWait = true
            return self.end(entry, end)
        }
        let mayBeSaid = queue.says.filter { end(of: $0, at: moment) == nil && $0.speech != .pending }
        // More may wait behind these.
        if hasPayments || !queue.notices.others.isEmpty || !mayBeSaid.isEmpty { somethingMayWait = true }
        if isHeld { return becomeIdle() }
        return choose(from: Queue(notices: queue.notices, says: mayBeSaid), limit: limit, at: moment)
    }

    /// The first that ends without a sound.
    private func unheardEnd(in queue: Queue, at moment: Moment) -> (ErrandEntry, ErrandEnd)? {
        for say in queue.says {
            if let end = end(of: say, at: moment) { return (say.entry, end) }
        }
        return nil
    }

    /// - Returns: `nil` for what is to be said, or may be once it is ready.
    private func end(of say: Say, at moment: Moment) -> ErrandEnd? {
        if say.entry.isTooOld(after: saysExpireAfter, at: moment.clock) { return .expired }
        if case .failed(let reason, instead: nil) = say.speech { return .failed(reason: reason) }
        return nil
    }

    /// - Parameters:
    ///   - queue: without anything that cannot be said now.
    ///   - moment: `nil` where the queue is empty.
    private mutating func choose(from queue: Queue, limit: Int, at moment: Moment?) -> [Action] {
        let waiting = ranks(in: queue)
        let oldestPayment = queue.notices.payments.map(\.sequence).min()
        guard let rank = turns.next(of: waiting, oldestPayment: oldestPayment) else {
            deviceFailures = 0
            state = .idle
            // Something has come since the inbox was read.
            return somethingMayWait ? fetch(limit: firstLimit) : []
        }
        turns.choose(rank, of: waiting)
        switch rank {
        case .payment: return announcePayments(queue, limit: limit, at: moment)
        case .refund, .other:
            guard let entry = queue.notices.others.first(where: { Rank($0.notice.kind) == rank }) else { break }
            return announce(entry, in: queue, at: moment)
        case .request:
            guard
                let request = request.take() ?? endedDay.take().map(Request.dayEnd)
                    ?? takeCode(whilePaymentsWait: oldestPayment != nil).map(Request.signInCode)
            else { break }
            return recall(request)
        case .prompt:
            guard let prompt = prompts.take(whilePaymentsWait: oldestPayment != nil) else { break }
            guard prompt.concern == .refusal else { return answer(.prompt(prompt)) }
            // As loud as the payment would have been. The hour is read with the queue.
            if let moment { return answer(.prompt(prompt), at: moment) }
            prompts.put(prompt)
            return fetch(limit: firstLimit)
        case .text:
            guard let say = queue.says.first, let job = Job(say) else { break }
            return prepare(job, delivery(of: job, at: moment))
        }
        state = .idle
        return []
    }

    private func ranks(in queue: Queue) -> Set<Rank> {
        var ranks = Set(queue.notices.others.map { Rank($0.notice.kind) })
        let paymentsWait = !queue.notices.payments.isEmpty
        if paymentsWait { ranks.insert(.payment) }
        if request != nil || endedDay != nil || hasCode(whilePaymentsWait: paymentsWait) { ranks.insert(.request) }
        if prompts.hasDue(whilePaymentsWait: paymentsWait) { ranks.insert(.prompt) }
        if !queue.says.isEmpty { ranks.insert(.text) }
        return ranks
    }

    private func hasCode(whilePaymentsWait paymentsWait: Bool) -> Bool {
        code.map { !$0.isRepetition || !paymentsWait } ?? false
    }

    private mutating func takeCode(whilePaymentsWait paymentsWait: Bool) -> AskedCode? {
        hasCode(whilePaymentsWait: paymentsWait) ? code.take() : nil
    }

    private func isLate(_ entry: InboxEntry, at moment: Moment) -> Bool {
        !freshness.isFresh(entry, moment.messages[entry.notice.id], at: moment.clock)
    }

    private mutating func announcePayments(_ queue: Queue, limit: Int, at moment: Moment?) -> [Action] {
        let payments = queue.notices.payments
        guard let oldest = payments.first, let moment else {
            state = .idle
            return []
        }
        let late = Array(payments.prefix { isLate($0, at: moment) })
        if late.isEmpty { return announce(oldest, in: queue, at: moment) }
        // The oldest is no longer news: see how many more belong into one summary with it.
        if limit < Self.summaryLimit { return fetch(limit: Self.summaryLimit) }
        if freshness.late == .silent { return expire(late) }
        return prepare(.summary(late), delivery(of: .summary(late), at: moment))
    }

    private mutating func announce(_ entry: InboxEntry, in queue: Queue, at moment: Moment?) -> [Action] {
        let count = queue.notices.payments.count + queue.notices.others.count
        let isInAHurry = hurryAbove.map { count > $0 } ?? false
        return prepare(.notice(entry), delivery(of: .notice(entry), at: moment, isInAHurry: isInAHurry))
    }

    private mutating func promptWhileHeld() -> [Action] {
        guard let prompt = prompts.take(whilePaymentsWait: true) else { return [] }
        return answer(.prompt(prompt))
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
