import SoundboxCore
import SoundboxSystem

/// A row of a result, of either database: both have columns of the same names and meanings.
///
///     let row: any StoredRow = result[0]
///     let attempts = row.integer("attempts")
///
/// `nil` is NULL.
protocol StoredRow {
    /// As it stands there; use ``integer(_:)``.
    func anyInteger(_ column: String) -> Int64?
    func text(_ column: String) -> String?
    func bytes(_ column: String) -> [UInt8]?
}

extension StoredRow {
    /// A number that was changed by hand may be so large that a sum with it would end the program.
    func integer(_ column: String) -> Int64? { anyInteger(column).map { min(max($0, -1 << 53), 1 << 53) } }

    func time(_ column: String) -> Timestamp? { integer(column).map(Timestamp.init(millisecondsSince1970:)) }

    /// Of the columns `NAME_at` and `NAME_after`.
    func moment(_ name: String) -> Moment? {
        guard let time = time("\(name)_at"), let after = integer("\(name)_after") else { return nil }
        return Moment(time: time, running: .milliseconds(after))
    }

    /// Of the columns `merchant` and `device`; `nil` if a hand has changed them.
    var box: BoxID? {
        guard let merchant = text("merchant"), let device = text("device") else { return nil }
        return try? BoxID(merchant: merchant, device: device)
    }
}

/// A value that is written into a column; `nil` is NULL.
enum StoredValue: Equatable {
    case integer(Int64?)
    case text(String?)
    case bytes([UInt8])

    static func number(_ number: Int?) -> StoredValue { .integer(number.map(Int64.init)) }
    static func time(_ time: Timestamp?) -> StoredValue { .integer(time?.millisecondsSince1970) }
    static func span(_ span: Duration?) -> StoredValue { .integer(span?.inMilliseconds) }
    static func flag(_ flag: Bool) -> StoredValue { .integer(flag ? 1 : 0) }
}

/// The columns of a row with their values, in the order of the table.
typealias StoredColumns = [(name: String, value: StoredValue)]

extension KnownBox {
    /// A row of the table `box`.
    init(_ row: some StoredRow) {
        self.init()
        sessionEpoch = row.integer("session_epoch").map { Int($0) }
        seenAt = row.time("seen_at")
        said = row.time("said_at")
        let faults = row.text("faults").flatMap { try? JSONValue(parsing: Array($0.utf8)) }
        self.faults = faults?.elements?.compactMap(\.string) ?? []
        if let epoch = row.integer("reconciled_epoch") {
            reconciling = .init(epoch: Int(epoch), due: row.integer("reconciled_after").map { .milliseconds($0) })
        }
    }

    /// What of the table `box` is written again and again.
    var columns: StoredColumns {
        [
            ("session_epoch", .number(sessionEpoch)),
            ("faults", .text(JSONValue.array(faults.map { .string($0) }).text)),
            ("seen_at", .time(seenAt)), ("said_at", .time(said)),
            ("reconciled_epoch", .number(reconciling?.epoch)), ("reconciled_after", .span(reconciling?.due)),
        ]
    }
}

extension Callback {
    /// A row of the table `callback`.
    init(_ row: some StoredRow) {
        self.init(
            number: row.integer("number") ?? 0, receiver: row.text("receiver") ?? "",
            eventID: row.text("event_id") ?? "", body: row.text("body") ?? "",
            created: row.moment("created") ?? Moment(time: Timestamp(millisecondsSince1970: 0), running: .zero),
            attempts: Int(row.integer("attempts") ?? 0), answer: row.text("answer"), givenUpAt: row.time("given_up_at"))
    }

    /// New rows of the table `callback`: what receivers are to be told of a payment that has just got its state.
    static func columns(
        of payment: StoredPayment, for receivers: [String: Set<PaymentState>], at now: Moment
    ) -> [StoredColumns] {
        let names = receivers.filter { $0.value.contains(payment.state) }.keys.sorted()
        guard !names.isEmpty else { return [] }
        let event = CallbackEvent(of: payment)
        return names.map { name in
            [
                ("receiver", .text(name)), ("event_id", .text(event.id)), ("body", .text(event.body)),
                ("created_at", .time(now.time)), ("created_after", .span(now.running)), ("attempts", .integer(0)),
                ("due_after", .span(now.running)),
            ]
        }
    }
}

extension UnreadWebhook {
    /// A row of the table `unread`.
    init?(_ row: some StoredRow) {
        guard let number = row.integer("number"), let hook = row.text("hook"), let path = row.text("path"),
            let form = row.text("form"), let document = row.bytes("document"), let came = row.time("came_at"),
            let count = row.integer("count"), let reason = row.text("reason")
        else { return nil }
        self.init(
            number: number,
            webhook: GenuineWebhook(
                // Another word was written by hand.
                hook: hook, path: path, form: .init(rawValue: form) ?? .json, signed: row.text("signed"),
                document: document), came: came, count: Int(count), reason: reason)
    }
}

extension GenuineWebhook {
    /// A new row of the table `unread`.
    func columns(reason: String, at now: Moment) -> StoredColumns {
        [
            ("hook", .text(hook)), ("path", .text(path)), ("form", .text(form.rawValue)), ("signed", .text(signed)),
            ("hash", .bytes(hash)), ("size", .number(document.count)), ("document", .bytes(document)),
            ("came_at", .time(now.time)), ("came_after", .span(now.running)), ("count", .integer(1)),
            ("reason", .text(reason)),
        ]
    }
}
