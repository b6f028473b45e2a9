import SoundboxCore

/// A payment as it is stored and answered.
package struct StoredPayment: Sendable, Equatable {
    package var box: BoxID
    package var notice: PaymentNotice
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
    package init(box: BoxID, notice: PaymentNotice, accepted: Moment) {
        (self.box, self.notice, self.accepted) = (box, notice, accepted)
        (state, stateSince, resends) = (.accepted, accepted.time, 0)
    }

    package var waiting: DeliveryRules.Waiting {
        DeliveryRules.Waiting(
            accepted: accepted.running, published: published?.running, resends: resends, sessionEpoch: sessionEpoch)
    }

    /// The members of the notice that the box gets, in the order of docs/integration.md.
    package var members: [(name: String, value: JSONValue)] {
        var members: [(name: String, value: JSONValue)] = [
            ("id", .string(notice.id.text)), ("amount", .string(writtenAmount)),
            ("currency", .string(notice.money.currency.code)),
        ]
        if let channel = notice.channel { members.append(("channel", .string(channel))) }
        members.append(("paid_at", .string("\(notice.paidAt ?? accepted.time)")))
        if notice.kind != .payment { members.append(("kind", .string(notice.kind.rawValue))) }
        // A longer one is not said, and a message that is too long would cost the payment.
        if let text = notice.text, text.utf8.count <= Self.longestText { members.append(("text", .string(text))) }
        return members
    }

    /// In bytes: more than any ``CustomMessage/longestText`` characters take.
    private static let longestText = CustomMessage.longestText * 16

    /// Three decimals of a currency with fewer are refused by boxes, since they may be thousands; four are not.
    private var writtenAmount: String {
        let amount = notice.money.amount
        return "\(amount)" + (amount.decimals.count == 3 && notice.money.currency.exponent < 3 ? "0" : "")
    }

    /// What `GET` answers.
    package var json: JSONValue {
        var members: [(name: String, value: JSONValue)] = [
            ("merchant", .string(box.merchant)), ("device", .string(box.device)),
        ]
        members += self.members.filter { $0.name != "text" }
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
