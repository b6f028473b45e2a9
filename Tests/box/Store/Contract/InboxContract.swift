import SoundboxCore
import TestSupport

@testable import SoundboxStore

/// What the tests of ``Inbox``, ``CustomMessageStore`` and ``PaymentHistory`` are written with.
protocol InboxContract {}

extension InboxContract {
    var noon: Timestamp { Timestamp(millisecondsSince1970: 1_795_233_600_000) }
    var later: Timestamp { Timestamp(millisecondsSince1970: 1_795_233_601_234) }
    var evening: Timestamp { Timestamp(millisecondsSince1970: noon.millisecondsSince1970 + 3_600_000) }

    func money(_ amount: String) throws -> Money { try Money(amount, .CNY) }

    func notice(
        _ id: String, _ amount: String = "1", _ kind: PaymentNotice.Kind = .payment
    ) throws -> PaymentNotice {
        PaymentNotice(id: try PaymentID(id), money: try money(amount), kind: kind)
    }

    func store(_ ids: [String], in inbox: SQLiteInbox) throws -> [InboxEntry] {
        _ = try inbox.store(try ids.map { .notice(try notice($0)) }, at: noon)
        return try inbox.waiting(limit: ids.count)
    }

    func receipts(of inbox: SQLiteInbox) throws -> [StoredReceipt] { try sent(to: .receipts, of: inbox) }

    /// The replies to commands; `state` is their result.
    func replies(of inbox: SQLiteInbox) throws -> [StoredReceipt] { try sent(to: .replies, of: inbox) }

    private func sent(to topic: Topic, of inbox: SQLiteInbox) throws -> [StoredReceipt] {
        try inbox.receipts(after: 0, limit: 1000).filter { $0.topic == topic }.map { receipt in
            let json = try JSONValue(parsing: receipt.payload)
            return StoredReceipt(
                id: json["id"]?.string, kind: json["kind"]?.string,
                state: json[topic == .replies ? "result" : "state"]?.string,
                reason: json["reason"]?.string, summary: json["summary"]?.string, command: json["command"]?.text)
        }
    }

    func only<Element>(_ elements: [Element]) throws -> Element {
        guard elements.count == 1 else { throw TestFailure("expected one element, found \(elements)") }
        return elements[0]
    }
}

/// One receipt of an inbox, read back from its JSON.
struct StoredReceipt: Sendable, Equatable {
    var id: String?
    var kind: String?
    var state: String?
    var reason: String?
    var summary: String?
    /// The JSON text of the member, `null` included.
    var command: String?
}
