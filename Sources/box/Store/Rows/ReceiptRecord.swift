import GRDB
import SoundboxCore

/// A whole row of `receipt`.
struct ReceiptRecord: CheckedRecord, Equatable {
    var sequence: Int64
    var epoch: String
    var receipt: Receipt

    init(sequence: Int64, epoch: String, receipt: Receipt) {
        self.sequence = sequence
        self.epoch = epoch
        self.receipt = receipt
    }

    static let columns: Columns<ReceiptRecord> = [
        .sequence(\.sequence),
        .part("payment_id", \.receipt.subject.paymentID),
        .field("state", \.receipt.state),
        .field("at", \.receipt.at),
        .field("reason", \.receipt.reason),
        .field("summary", \.receipt.summary),
        .part("command", \.receipt.subject.command),
        .field("epoch", \.epoch),
        .field("how", \.receipt.audibility),
        .checksum,
    ]

    init?(parts cells: [Cell]) {
        guard let subject = Receipt.Subject(payment: cells[1], command: cells[6]) else { return nil }
        self.init(
            sequence: 0, epoch: "",
            receipt: Receipt(subject, state: .stored, at: Timestamp(millisecondsSince1970: 0)))
    }

    var outgoing: OutgoingReceipt { OutgoingReceipt(receipt, sequence: sequence, epoch: epoch) }
}

extension ReceiptRecord {
    static func insert(_ receipt: Receipt, into database: Database) throws {
        let last = try CheckedTable.receipt.lastNumber(in: database)
        // Receipts of a new file begin above all numbers of a file before it, if the clock is right. If it is wrong, or
        // if a backup was restored, only the epoch distinguishes the receipts.
        let floor = last == 0 ? max(0, min(receipt.at.millisecondsSince1970, maximumSequence / 2)) : last
        let epoch = try String.fetchOne(database.cachedStatement(sql: "SELECT \(epochFunction)()")) ?? ""
        let record = ReceiptRecord(sequence: floor + 1, epoch: epoch, receipt: receipt)
        try database.cachedStatement(sql: CheckedTable.receipt.upsert).execute(
            arguments: record.arguments(for: .receipt))
    }

    static func askAgain(for id: PaymentID, at now: Timestamp, in database: Database) throws {
        let reason = "storage: the stored notice was damaged on the box's disk; publish it again"
        try insert(Receipt(id: id, state: .rejected, at: now, reason: reason), into: database)
    }

    /// The SQL function that returns the epoch of the file's opening, which new receipts get.
    private static let epochFunction = "receipt_epoch"

    /// Every connection that writes receipts needs it.
    static func addEpoch(to configuration: inout Configuration) {
        let epoch = ReceiptEpoch.new()
        configuration.prepareDatabase { database in
            database.add(function: DatabaseFunction(epochFunction, argumentCount: 0, pure: true) { _ in epoch })
        }
    }
}

extension Receipt.Subject {
    /// - Returns: `nil` for values that no version of this program writes.
    fileprivate init?(payment: Cell, command: Cell) {
        switch (payment, command) {
        case (.null, .null): self = .payment(nil)
        case (_, .null):
            guard let id = payment.paymentID else { return nil }
            self = .payment(id)
        case (.null, .text("")): self = .command(nil)
        case (.null, .text(let text)):
            guard let id = try? CommandID(text) else { return nil }
            self = .command(id)
        default: return nil
        }
    }

    fileprivate var paymentID: String? {
        if case .payment(let id) = self { id?.key } else { nil }
    }

    /// Empty when the command has no id.
    fileprivate var command: String? {
        if case .command(let id) = self { id?.text ?? "" } else { nil }
    }
}
