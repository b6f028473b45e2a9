import GRDB
import SoundboxCore

/// A whole row of `receipt`.
struct ReceiptRecord: Sendable, Equatable {
    var sequence: Int64
    var receipt: Receipt

    init(sequence: Int64, receipt: Receipt) {
        self.sequence = sequence
        self.receipt = receipt
    }

    /// - Parameter cells: in the order of ``CheckedTable/columns``.
    init(_ cells: [Cell]) throws(DamagedRow) {
        let sequence = cells.first?.integer ?? 0
        guard CheckedTable.receipt.fits(cells), (1...maximumSequence).contains(sequence),
            let state = cells[2].text.flatMap(Receipt.State.init(rawValue:)), let at = cells[3].timestamp,
            cells[4] == .null || cells[4].text != nil, cells[5] == .null || cells[5].text != nil,
            let subject = Receipt.Subject(payment: cells[1], command: cells[6])
        else { throw DamagedRow(sequence: sequence) }
        self.sequence = sequence
        receipt = Receipt(subject, state: state, at: at, reason: cells[4].text, summary: cells[5].text)
    }

    var cells: [Cell] {
        var cells: [Cell] = [
            .integer(sequence), Cell(receipt.subject.paymentID), .text(receipt.state.rawValue),
            .integer(receipt.at.millisecondsSince1970), Cell(receipt.reason), Cell(receipt.summary),
            Cell(receipt.subject.command),
        ]
        cells.append(.integer(CheckedTable.receipt.checksum(of: cells)))
        return cells
    }

    var arguments: StatementArguments { StatementArguments(cells.map(\.argument)) }

    var outgoing: OutgoingReceipt {
        OutgoingReceipt(sequence: sequence, payload: receipt.json(sequence: sequence).bytes)
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
        if case .payment(let id) = self { id?.text } else { nil }
    }

    /// Empty when the command has no id.
    fileprivate var command: String? {
        if case .command(let id) = self { id?.text ?? "" } else { nil }
    }
}
