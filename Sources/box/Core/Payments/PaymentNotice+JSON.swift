extension PaymentNotice {
    /// The notice in the box's own format, in the order of docs/integration.md and without signature:
    /// ``PaymentNoticeDecoder`` reads it.
    ///
    ///     let notice = PaymentNotice(id: id, money: try Money("12.50", .CNY))
    ///     print(notice.json.text)  // {"id":"A-1","amount":"12.5","currency":"CNY"}
    public var json: JSONValue {
        var members: [(name: String, value: JSONValue)] = [
            ("id", .string(id.text)), ("amount", .string(writtenAmount)), ("currency", .string(money.currency.code)),
        ]
        if let channel { members.append(("channel", .string(channel))) }
        if let paidAt { members.append(("paid_at", .string("\(paidAt)"))) }
        if kind != .payment { members.append(("kind", .string(kind.rawValue))) }
        if let text, text.utf8.count <= Self.longestText { members.append(("text", .string(text))) }
        return .object(members)
    }

    /// In bytes: more than any text takes that a box says. A longer one is left out, since a message that is too long
    /// would cost the payment.
    static let longestText = 3200

    /// Three decimals of a currency with fewer are refused by boxes, since they may be thousands; four are not.
    private var writtenAmount: String {
        let amount = money.amount
        return "\(amount)" + (amount.decimals.count == 3 && money.currency.exponent < 3 ? "0" : "")
    }
}
