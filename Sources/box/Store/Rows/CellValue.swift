import SoundboxCore

/// A value that a cell holds as a whole.
protocol CellValue: SendableMetatype {
    /// - Returns: `nil` for a cell that no version of this program writes.
    init?(cell: Cell)

    var cell: Cell { get }
}

extension CellValue where Self: RawRepresentable, RawValue: CellValue {
    init?(cell: Cell) {
        guard let raw = RawValue(cell: cell) else { return nil }
        self.init(rawValue: raw)
    }

    var cell: Cell { rawValue.cell }
}

/// NULL is `nil`.
extension Optional: CellValue where Wrapped: CellValue {
    init?(cell: Cell) {
        if cell == .null {
            self = .none
        } else if let value = Wrapped(cell: cell) {
            self = .some(value)
        } else {
            return nil
        }
    }

    var cell: Cell { map(\.cell) ?? .null }
}

extension String: CellValue {
    init?(cell: Cell) {
        guard let text = cell.text else { return nil }
        self = text
    }

    var cell: Cell { .text(self) }
}

extension Int64: CellValue {
    init?(cell: Cell) {
        guard let integer = cell.integer else { return nil }
        self = integer
    }

    var cell: Cell { .integer(self) }
}

/// A count of rows.
extension Int: CellValue {
    init?(cell: Cell) {
        guard let number = cell.integer, (0...maximumSequence).contains(number) else { return nil }
        self = Int(number)
    }

    var cell: Cell { .integer(Int64(self)) }
}

extension Timestamp: CellValue {
    init?(cell: Cell) {
        guard let time = cell.timestamp else { return nil }
        self = time
    }

    var cell: Cell { .integer(millisecondsSince1970) }
}

extension NoticeState: CellValue {
    /// ``announcing`` is never stored.
    init?(cell: Cell) {
        guard let state = cell.text.flatMap(Self.init(rawValue:)), state != .announcing else { return nil }
        self = state
    }
}

extension PaymentNotice.Kind: CellValue {}
extension ClockTrust: CellValue {}
extension Audibility: CellValue {}
extension Receipt.State: CellValue {}
