import SoundboxCore

/// A notice as it is stored and published: one JSON object, without signature.
///
///     let document = NoticeDocument(notice, accepted: now.time)
///     let stored = NoticeDocument(document.text)
///
/// The gateway reads the fields by which it decides and lists. All others are between the sender and the box, so a new
/// field of a notice changes nothing here.
package struct NoticeDocument: Sendable, Equatable {
    private let json: JSONValue
    package let id: PaymentID
    package let money: Money
    package let kind: PaymentNotice.Kind

    /// - Parameter accepted: counts as the time of payment where the notice has none.
    package init(_ notice: PaymentNotice, accepted: Timestamp) {
        var notice = notice
        notice.paidAt = notice.paidAt ?? accepted
        (json, id, money, kind) = (notice.json, notice.id, notice.money, notice.kind)
    }

    /// - Returns: `nil` for a text that ``text`` cannot have returned.
    package init?(_ text: String) {
        guard let json = try? JSONValue(parsing: Array(text.utf8)),
            let kind = PaymentNotice.Kind(rawValue: json["kind"]?.string ?? PaymentNotice.Kind.payment.rawValue),
            let id = json["id"]?.string.flatMap({ try? PaymentID($0) }),
            let currency = json["currency"]?.string.flatMap(Currency.init),
            let money = json["amount"]?.string.flatMap({ try? Money($0, currency) })
        else { return nil }
        (self.json, self.id, self.money, self.kind) = (json, id.of(kind), money, kind)
    }

    package var text: String { json.text }

    /// What the box gets.
    package var members: [(name: String, value: JSONValue)] {
        guard case .object(let members) = json else { return [] }
        return members
    }
}
