import SoundboxCore

extension CancelTarget {
    /// Reads `payment_id` or `command_id`: one of the two. With `payment_id`, `kind` may be the notice's kind.
    /// - Parameter kinds: the kinds of notices, besides payments and refunds.
    public init(decoding json: JSONValue, kinds: Set<KindName>) throws(CommandError) {
        let members = ["payment_id", "command_id"].filter { (json[$0] ?? .null) != .null }
        guard members.count == 1, let text = json[members[0]]?.string else {
            let field = members.first ?? "payment_id"
            let found = members.count > 1 ? "; found both" : ""
            throw CommandError(
                reason:
                    "\(field): expected either payment_id, the id of a payment, or command_id, that of a ring or say\(found)"
            )
        }
        do {
            self = members == ["payment_id"] ? .payment(try PaymentID(text)) : .customMessage(try CommandID(text))
        } catch { throw CommandError(reason: "\(members[0]): \(error)") }
        guard case .payment(let id) = self, let kind = json["kind"], kind != .null else { return }
        let checks = NoticeChecks(id: id, kinds: kinds)
        do { self = .payment(id.of(try checks.kind(kind.string ?? "", field: "kind"))) } catch {
            throw CommandError(reason: error.description)
        }
    }
}
