import SoundboxCore

/// When a payment is published, published again or given up, and what a receipt makes of it. Pure.
///
///     switch DeliveryRules.next(payment, to: recipient, listeningSince: start, at: now.running) {
///     case .publish: break
///     case .wait(let until): break
///     case .giveUp: break
///     }
///
/// Times are ``Moment/running``. docs/gateway.md, "When it publishes again", has the same rules in words.
package enum DeliveryRules {
    /// After the first publication; doubled with each one.
    static let firstWait = Duration.seconds(30)
    static let longestWait = Duration.seconds(300)
    package static let patience = Duration.seconds(72 * 3600)
    /// From the last publication after a lost session to `reconciled`: other gateways publish theirs meanwhile.
    package static let reconcilingWait = Duration.seconds(60)

    /// A payment that the box has not acknowledged.
    package struct Waiting: Sendable, Equatable {
        package var accepted: Duration
        /// When the broker acknowledged it last; `nil` before.
        package var published: Duration?
        /// How often it was published again.
        package var resends: Int
        /// The box's session when it was published; `nil` if that was not known.
        package var sessionEpoch: Int?

        package init(accepted: Duration, published: Duration?, resends: Int, sessionEpoch: Int?) {
            self.accepted = accepted
            self.published = published
            self.resends = resends
            self.sessionEpoch = sessionEpoch
        }

        package var end: Duration { accepted + DeliveryRules.patience }
    }

    package enum Step: Sendable, Equatable {
        case publish
        case wait(until: Duration)
        case giveUp
    }

    /// - Parameters:
    ///   - box: `nil` as long as nothing is known of it.
    ///   - start: since when receipts are listened to. Those that waited at the broker come first.
    package static func next(
        _ payment: Waiting, to box: KnownBox?, listeningSince start: Duration, at now: Duration
    ) -> Step {
        if now >= payment.end { return .giveUp }
        // The broker does not have it.
        guard let published = payment.published else { return .publish }
        // The broker has it, and keeps it for a box that is away. A second copy would only fill the box's queue.
        guard let box, let onlineSince = box.onlineSince, box.isOnline(at: now) else {
            return .wait(until: payment.end)
        }
        // The broker has lost it with the session.
        if let epoch = box.sessionEpoch, epoch > payment.sessionEpoch ?? .min { return .publish }
        // What waited at the broker comes first, when the box or this connection is new.
        let since = max(onlineSince, start)
        let time = since > published ? since + firstWait : published + wait(after: payment.resends)
        return now >= time ? .publish : .wait(until: min(time, payment.end))
    }

    /// How long a receipt is waited for.
    package static func wait(after resends: Int) -> Duration {
        min(longestWait, firstWait * (1 << min(max(resends, 0), 10)))
    }

    /// A receipt of a payment.
    package struct Answer: Sendable, Equatable {
        package var state: Receipt.State
        package var how: String?
        package var reason: String?
        package var number: ReceiptNumber?
        /// Of a `duplicate`: what became of the first message with this id. Older boxes do not say it.
        package var first: First?

        package init(
            state: Receipt.State, how: String? = nil, reason: String? = nil, number: ReceiptNumber? = nil,
            first: First? = nil
        ) {
            (self.state, self.how, self.reason, self.number, self.first) = (state, how, reason, number, first)
        }

        package struct First: Sendable, Equatable {
            package var state: Receipt.State
            package var money: Money

            package init(_ state: Receipt.State, _ money: Money) { (self.state, self.money) = (state, money) }
        }
    }

    package enum Outcome: Sendable, Equatable {
        /// It says nothing new: receipts may come twice.
        case nothing
        case becomes(PaymentState)
        /// The box has another amount under this id, and never speaks this one: it becomes ``PaymentState/failed``.
        case failsForAmount
        /// The box has lost it, and gets it again after a while.
        case resend
    }

    /// What a receipt makes of a payment.
    ///
    /// - Parameter hasFailedForAmount: whether it is failed since the box has another amount under its id.
    package static func outcome(
        of answer: Answer, in state: PaymentState, of money: Money, hasFailedForAmount: Bool = false
    ) -> Outcome {
        guard let first = answer.first, answer.state == .duplicate else {
            // All other receipts are of the other amount, and do not say it.
            return hasFailedForAmount ? .nothing : outcome(of: answer, in: state)
        }
        // Also when it is announced here: that was the receipt of the other amount.
        guard first.money == money else { return hasFailedForAmount ? .nothing : .failsForAmount }
        return outcome(of: Answer(state: first.state), in: state)
    }

    private static func outcome(of answer: Answer, in state: PaymentState) -> Outcome {
        switch answer.state {
        case .stored, .duplicate:
            // Also when it was given up or refused before: a copy has come through.
            switch state {
            case .accepted, .published, .failed, .givenUp: return .becomes(.stored)
            case .stored, .announced, .expired, .cancelled: return .nothing
            }
        case .announced: return state == .announced ? .nothing : .becomes(.announced)
        case .expired: return state == .announced || state == .expired ? .nothing : .becomes(.expired)
        case .cancelled: return state == .announced || state == .cancelled ? .nothing : .becomes(.cancelled)
        case .rejected:
            let isLost = answer.reason?.hasPrefix("storage:") == true
            switch state {
            case .accepted, .published: return isLost ? .resend : .becomes(.failed)
            // A later copy may be refused, as when its time is too long ago: the first one is on the disk.
            case .stored: return isLost ? .resend : .nothing
            case .announced, .expired, .cancelled, .failed, .givenUp: return .nothing
            }
        case .answered, .missed, .spoken, .failed, .ok, .refused, .unknown: return .nothing
        }
    }
}
