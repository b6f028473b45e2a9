import SoundboxCore

/// A payment as it is stored and answered.
package struct StoredPayment: Sendable, Equatable {
    package var box: BoxID
    package var notice: NoticeDocument
    package var accepted: Moment
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

    /// Has just been accepted.
    package init(box: BoxID, notice: NoticeDocument, accepted: Moment) {
        (self.box, self.notice, self.accepted) = (box, notice, accepted)
        (state, stateSince, resends) = (.accepted, accepted.time, 0)
    }

    package var waiting: DeliveryRules.Waiting {
        DeliveryRules.Waiting(
            accepted: accepted.running, published: published?.running, resends: resends, sessionEpoch: sessionEpoch)
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
        if let how { members.append(("how", .string(how))) }
        if let reason { members.append(("reason", .string(reason))) }
        return .object(members)
    }
}
