import SoundboxCore

/// A row that was read from a page of which nothing else is known, told by what it holds.
enum SavedRow {
    case waiting(NoticeRecord)
    case notice(NoticeRecord)
    case receipt(ReceiptRecord)

    /// Where it stood.
    var table: CheckedTable {
        switch self {
        case .waiting: .waiting
        case .notice: .notice
        case .receipt: .receipt
        }
    }

    /// - Parameter values: with NULL in the place of the row's number, as SQLite stores it.
    /// - Returns: `nil` for a row of another table and for one that is damaged.
    init?(number: Int64, values: [Cell]) {
        guard values.count >= 5, values[0] == .null else { return nil }
        var cells = values
        cells[0] = .integer(number)
        switch values.count {
        // As migrations 1, 2 and 3 have made them: ALTER TABLE leaves the rows that there are as they are.
        case 10: cells += [.integer(1), .null, .null]
        case 12: cells.append(.null)
        case 5: cells += [.null, .null, .null]
        case 6: cells += [.null, .null]
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

    /// Ids of payments and the numbers of their rows, when the page is an index of them.
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
