import GRDB
import SoundboxCore

/// A row from a page about which nothing else is known. Its values tell which table it belongs to.
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
        guard values.count >= 5, values[0] == .null else { return nil }
        var cells = values
        cells[0] = .integer(number)
        switch values.count {
        // Rows as the migrations have left them: ALTER TABLE does not change existing rows, and puts new columns behind
        // the checksum. A receipt has a time where a payment has its currency.
        case 10 where values[3].text != nil: cells += [.integer(1), .null, .null, .null, .null]
        case 12: cells += [.null, .null, .null]
        case 13: cells = cells[..<12] + [.null, .null, cells[12]]
        case 15: cells = cells[..<12] + [cells[13], cells[14], cells[12]]
        case 5: cells += [.null, .null, .null, .null, .null]
        case 6: cells += [.null, .null, .null, .null]
        case 8: cells = cells[..<7] + [.null, .null, cells[7]]
        case 10: cells = cells[..<7] + [cells[8], cells[9], cells[7]]
        default: break
        }
        switch cells.count {
        case CheckedTable.notice.columns.count:
            if let record = try? NoticeRecord(cells, of: .notice) {
                self = .notice(record)
            } else if let record = try? NoticeRecord(cells, of: .waiting) {
                self = .waiting(record)
            } else {
                return nil
            }
        case CheckedTable.receipt.columns.count:
            guard let record = try? ReceiptRecord(cells) else { return nil }
            self = .receipt(record)
        default: return nil
        }
    }
}

extension DamagedFile {
    func savedRows(of page: BTreePage) -> [SavedRow] {
        rows(of: page).compactMap { SavedRow(number: $0.number, values: $0.values) }
    }

    /// The ids of payments and the numbers of their rows, if the page belongs to the index of ids.
    func ids(of page: BTreePage) -> [(id: PaymentID, sequence: Int64)] {
        guard page.kind == .leafIndex || page.kind == .interiorIndex else { return [] }
        return page.cells.compactMap { offset in
            guard let entry = page.entry(at: offset), entry.count == 2, let id = entry[0].paymentID,
                let sequence = entry[1].integer, (1...maximumSequence).contains(sequence),
                // The index of migrations looks the same.
                !Migrations.all.migrations.contains(id.key)
            else { return nil }
            return (id, sequence)
        }
    }
}
