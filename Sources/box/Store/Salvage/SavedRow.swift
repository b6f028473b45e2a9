import GRDB
import SoundboxCore

/// A row from a page of which nothing else is known. Its values show which table it belongs to.
enum SavedRow {
    case waiting(NoticeRecord)
    case notice(NoticeRecord)
    case receipt(ReceiptRecord)

    /// The table that it belongs to.
    var table: CheckedTable {
        switch self {
        case .waiting: .waiting
        case .notice: .notice
        case .receipt: .receipt
        }
    }

    /// - Parameter values: as SQLite stores them, with NULL in place of the row's number.
    /// - Returns: `nil` for a damaged row and for one of another table.
    init?(number: Int64, values: [Cell]) {
        guard values.first == .null else { return nil }
        var cells = values
        cells[0] = .integer(number)
        if let record = try? NoticeRecord(cells, of: .notice) {
            self = .notice(record)
        } else if let record = try? NoticeRecord(cells, of: .waiting) {
            self = .waiting(record)
        } else if let record = try? ReceiptRecord(cells, of: .receipt) {
            self = .receipt(record)
        } else {
            return nil
        }
    }
}

extension DamagedFile {
    func savedRows(of page: BTreePage) -> [SavedRow] {
        rows(of: page).compactMap { SavedRow(number: $0.number, values: $0.values) }
    }

    /// The rows of the table `known` that an earlier salvage has made, if the page belongs to it.
    func knownIDs(of page: BTreePage) -> [(id: PaymentID, sequence: Int64, receivedAt: Timestamp)] {
        rows(of: page).compactMap { row in
            guard row.values.count == 3, row.values[0] == .null, (1...maximumSequence).contains(row.number),
                let time = row.values[1].timestamp, let id = row.values[2].paymentID
            else { return nil }
            return (id, row.number, time)
        }
    }

    /// The ids of payments and the numbers of their rows, if the page belongs to the index of ids.
    func ids(of page: BTreePage) -> [(id: PaymentID, sequence: Int64)] {
        guard page.kind == .leafIndex || page.kind == .interiorIndex else { return [] }
        return page.cells.compactMap { offset in
            guard let entry = page.entry(at: offset), entry.count == 2, let id = entry[0].paymentID,
                let sequence = entry[1].integer, (1...maximumSequence).contains(sequence)
            else { return nil }
            return (id, sequence)
        }
    }
}
