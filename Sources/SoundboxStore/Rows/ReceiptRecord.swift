import GRDB
import SoundboxCore

/// A row of `receipt`, whole.
struct ReceiptRecord: Sendable, Equatable {
    var sequence: Int64
    var receipt: Receipt

    init(sequence: Int64, receipt: Receipt) {
        self.sequence = sequence
        self.receipt = receipt
    }

    /// - Parameter cells: as ``CheckedTable/columns``.
    init(_ cells: [Cell]) throws(DamagedRow) {
        let sequence = cells.first?.integer ?? 0
        guard CheckedTable.receipt.fits(cells), (1...maximumSequence).contains(sequence),
            cells[1] == .null || cells[1].paymentID != nil,
            let state = cells[2].text.flatMap(Receipt.State.init(rawValue:)), let at = cells[3].timestamp,
            cells[4] == .null || cells[4].text != nil, cells[5] == .null || cells[5].text != nil
        else { throw DamagedRow(sequence: sequence) }
        self.sequence = sequence
        receipt = Receipt(
            id: cells[1].paymentID, state: state, at: at, reason: cells[4].text, summary: cells[5].text)
    }

    var cells: [Cell] {
        var cells: [Cell] = [
            .integer(sequence), Cell(receipt.id?.text), .text(receipt.state.rawValue),
            .integer(receipt.at.millisecondsSince1970), Cell(receipt.reason), Cell(receipt.summary),
        ]
        cells.append(.integer(CheckedTable.receipt.checksum(of: cells)))
        return cells
    }

    var arguments: StatementArguments { StatementArguments(cells.map(\.argument)) }

    var outgoing: OutgoingReceipt {
        OutgoingReceipt(sequence: sequence, payload: receipt.json(sequence: sequence).bytes)
    }
}
