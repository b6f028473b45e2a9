import Logging
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import Synchronization

// Notices that are refused because of their content.
extension Intake {
    /// - Parameter messages: the messages of the outcomes, in the same order.
    func reportRefusals(_ outcomes: [ArrivalOutcome], of messages: [FeedMessage]) {
        let time = clock.reading.time
        let refused = zip(outcomes, messages).compactMap { outcome, message -> RefusedNotices.Notice? in
            guard let (id, reason) = outcome.refusal, isForShop(message) else { return nil }
            return RefusedNotices.Notice(id: id, reason: reason, at: time)
        }
        guard !refused.isEmpty else { return }
        var isToBeSaid = false
        state.update { isToBeSaid = $0.refusals.add(refused, at: .monotonicNow) }
        if isToBeSaid { requests.say(.paymentUnreadable) }
    }

    /// Whether the shop hears of its refusal: not for retained messages, which come at every reconnect, and not for
    /// messages that anybody could send.
    private func isForShop(_ message: FeedMessage) -> Bool {
        guard !message.isRetained else { return false }
        guard let verifier else { return message.doubtfulName == nil }
        return (try? verifier.isSigned(message)) ?? false
    }
}

extension Intake: Feature {
    func fill(_ status: inout BoxStatus) {
        state.update {
            $0.topicFault = $0.topicFault?.stillTold(at: .monotonicNow)
            $0.refusals.forget(at: .monotonicNow)
        }
        status.noticesRefused = state.snapshot.refusals.notices
    }
}

extension ArrivalOutcome {
    /// Why a notice is refused; `nil` if it is or was announced.
    fileprivate var refusal: (id: PaymentID?, reason: String)? {
        switch self {
        case .rejected(let rejection): (rejection.id, "\(rejection)")
        case .duplicate(let notice, let stored?): (notice.id, "the id is known with another amount: \(stored)")
        case .stored, .duplicate(_, nil): nil
        }
    }
}

/// Replies to refused commands, kept in memory and sent once. They cause no write to the card and delay no payment. Any
/// thread; never blocks.
final class Refusals: Sendable {
    /// The replies of one minute (``RateLimit``). If the broker is away for longer, further ones are lost.
    static let limit = 60

    private let replies = Mutex<[Receipt]>([])

    func append(_ reply: Receipt) {
        replies.withLock { if $0.count < Self.limit { $0.append(reply) } }
    }

    /// Removes and returns at most this many, the oldest first.
    func removeFirst(_ count: Int) -> [OutgoingReceipt] {
        replies.withLock { replies in
            defer { replies.removeFirst(min(count, replies.count)) }
            return replies.prefix(count).map(OutgoingReceipt.init(refusal:))
        }
    }
}

// Messages on a topic that is not the box's, for example after a broker has rewritten it.
extension Intake {
    func strayed(_ messages: [StrayMessage]) throws {
        var rejections: [Arrival] = []
        for message in messages {
            tell(TopicFault(name: message.name, isDoubtful: false, at: .monotonicNow))
            // Otherwise any client that can publish could fill the outbox.
            guard strayAnswerLimit.take() != nil else { continue }
            rejections.append(.rejection(rejection(of: message)))
        }
        if !rejections.isEmpty { try store(rejections) }
    }

    private func rejection(of message: StrayMessage) -> NoticeRejection {
        var id: PaymentID?
        // Of several in one message none is the message's own.
        if let read = try? reader.read(message.payload), read.count == 1, case .notice(let notice, _) = read[0] {
            id = notice.id
        }
        let rejection = NoticeRejection(
            id: id, field: "topic",
            problem: "\"\(String(message.name.unicodeScalars.prefix(200)))\" is none of this box's")
        guard id != nil else { return rejection }
        let message = FeedMessage(topic: .payments, payload: message.payload)
        return withoutUnverifiedID(
            rejection, Result { () throws(NoticeRejection) in try checkSignature(of: message) })
    }

    /// Why a message may not be for this box; `nil` if it is.
    func doubt(_ message: FeedMessage, isSigned: Bool) -> String? {
        guard let name = message.doubtfulName, !isSigned else { return nil }
        tell(TopicFault(name: name, isDoubtful: true, at: .monotonicNow))
        return "the broker delivers it as \"\(String(name.unicodeScalars.prefix(200)))\", which may be another box's"
    }

    private func tell(_ fault: TopicFault) {
        if state.snapshot.topicFault?.reason != fault.reason {
            logSparingly(.error, "messages refused", ["reason": "\(fault.reason)"])
        }
        state.update { $0.topicFault = fault }
    }
}
