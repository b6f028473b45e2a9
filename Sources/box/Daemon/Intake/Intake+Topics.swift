import Logging
import SoundboxCore
import SoundboxSystem

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
