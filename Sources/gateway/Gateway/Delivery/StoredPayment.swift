import SoundboxCore

/// Who has brought a payment, by a name in the gateway's files.
package enum PaymentSender: Sendable, Equatable {
    case hook(String)
    case token(String)

    var hook: String? { if case .hook(let name) = self { name } else { nil } }
    var token: String? { if case .token(let name) = self { name } else { nil } }
}

/// A payment as it is stored and answered.
package struct StoredPayment: Sendable, Equatable {
    package var box: BoxID
    package var notice: NoticeDocument
    package var accepted: Moment
    /// `nil` for one that an earlier version has stored.
    package var sender: PaymentSender?
    package var state: PaymentState
    /// When it got its state.
    package var stateSince: Timestamp
    /// What could be heard, as in the receipt.
    package var how: String?
    /// Of the receipt, or of the broker.
    package var reason: String?
    /// The last one of it, or of the copy that it corrects.
    package var lastReceipt: ReceiptNumber?
    package var published: Moment?
    package var resends: Int
    package var sessionEpoch: Int?
    /// Failed since the box has its id with another amount. Receipts of that amount say nothing of this payment.
    package var hasFailedForAmount = false

    /// Has just been accepted.
    package init(box: BoxID, notice: NoticeDocument, accepted: Moment) {
        (self.box, self.notice, self.accepted) = (box, notice, accepted)
        (state, stateSince, resends) = (.accepted, accepted.time, 0)
    }

    package var waiting: DeliveryRules.Waiting {
        DeliveryRules.Waiting(
            accepted: accepted.running, published: published?.running, resends: resends, sessionEpoch: sessionEpoch)
    }

    // MARK: What happens to it

    /// The broker has taken it.
    ///
    /// - Returns: whether it was published again.
    mutating func acknowledge(inSession epoch: Int?, at now: Moment) -> Bool {
        let isResend = published != nil
        // Before, the broker had refused it so often.
        resends = isResend ? resends + 1 : 0
        if state == .accepted { (state, stateSince) = (.published, now.time) }
        (published, sessionEpoch, reason) = (now, epoch, nil)
        return isResend
    }

    /// The broker has refused it.
    ///
    /// - Returns: when it is due again, as ``Moment/running``.
    mutating func refuse(_ reason: String, at now: Moment) -> Duration {
        self.reason = "the broker refuses it: \(reason)"
        resends += 1
        return now.running + DeliveryRules.wait(after: resends - 1)
    }

    /// Applies a receipt.
    ///
    /// - Returns: `nil` for one that came before, which is ignored.
    mutating func apply(_ answer: DeliveryRules.Answer, at now: Moment) -> DeliveryRules.Outcome? {
        // Receipts may come twice, also one that has refused a payment which was posted again since, corrected.
        if let number = answer.number {
            if let last = lastReceipt, !number.isNewer(than: last) { return nil }
            lastReceipt = number
        }
        let outcome = DeliveryRules.outcome(
            of: answer, in: state, of: notice.money, hasFailedForAmount: hasFailedForAmount)
        switch outcome {
        case .nothing:
            // Such as a copy with another amount, of a payment that another sender has published.
            if answer.state == .duplicate, !hasFailedForAmount, let reason = answer.reason { self.reason = reason }
        case .becomes(let state):
            // What was said of it as it was stored stays.
            reason = answer.reason ?? (state == .stored || hasFailedForAmount ? nil : reason)
            (self.state, stateSince, how) = (state, now.time, state == .stored ? nil : answer.how)
            hasFailedForAmount = false
        case .failsForAmount:
            (state, stateSince, how, hasFailedForAmount) = (.failed, now.time, nil, true)
            reason = answer.first.map { "the box has this id with another amount: \($0.money), \($0.state.rawValue)" }
        case .resend:
            (state, stateSince, published, reason) = (.published, now.time, now, answer.reason)
        }
        return outcome
    }

    /// It has been open for too long.
    mutating func giveUp(at now: Moment) {
        (state, stateSince) = (.givenUp, now.time)
        reason = reason ?? "the box has not stored it within 72 hours"
    }

    /// What `GET` answers.
    package var json: JSONValue {
        var members: [(name: String, value: JSONValue)] = [
            ("merchant", .string(box.merchant)), ("device", .string(box.device)),
        ]
        members += notice.members.filter { $0.name != "text" }
        members += [
            ("state", .string(state.rawValue)), ("since", .string("\(stateSince)")),
            ("accepted_at", .string("\(accepted.time)")),
        ]
        if let published { members.append(("published_at", .string("\(published.time)"))) }
        members.append(("resends", .integer(resends)))
        switch sender {
        case .hook(let name): members.append(("hook", .string(name)))
        case .token(let name): members.append(("token", .string(name)))
        case nil: break
        }
        if let how { members.append(("how", .string(how))) }
        if let reason { members.append(("reason", .string(reason))) }
        return .object(members)
    }
}
