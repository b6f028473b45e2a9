/// One page of a database in which any byte may be wrong. No access leaves the page, and invalid parts are skipped.
/// Format: sqlite.org/fileformat2.html, sections 1.6, "B-tree Pages", and 2.1, "Record Format".
struct BTreePage {
    enum Kind: UInt8 {
        case interiorIndex = 2
        case interiorTable = 5
        case leafIndex = 10
        case leafTable = 13
    }

    let kind: Kind
    private let bytes: [UInt8]
    private let header: Int

    /// - Parameter header: the offset of the page's header: 100 in the first page, 0 in every other.
    init?(_ bytes: [UInt8], header: Int = 0) {
        guard bytes.count >= 512, let kind = Kind(rawValue: bytes[header]) else { return nil }
        self.kind = kind
        self.bytes = bytes
        self.header = header
    }

    /// Where the cells begin, according to the page.
    var cells: [Int] {
        let first = header + (kind == .leafIndex || kind == .leafTable ? 8 : 12)
        let count = min(number(at: header + 3, bytes: 2), (bytes.count - first) / 2)
        return (0..<count).compactMap { index in
            let offset = number(at: first + 2 * index, bytes: 2)
            return offset >= first + 2 * count && offset < bytes.count - 4 ? offset : nil
        }
    }

    /// How many cells the page claims to have.
    var cellCount: Int { number(at: header + 3, bytes: 2) }

    /// The pages below an interior page, from the left.
    var children: [Int] {
        guard kind == .interiorTable || kind == .interiorIndex else { return [] }
        return cells.map { number(at: $0, bytes: 4) } + [number(at: header + 8, bytes: 4)]
    }

    /// The number of each row of a table's leaf, or the highest number below each child but the last.
    var rowNumbers: [Int64] {
        cells.compactMap { offset in
            var position = offset + (kind == .interiorTable ? 4 : 0)
            guard kind == .interiorTable || varint(in: bytes, at: &position) != nil else { return nil }
            return varint(in: bytes, at: &position)
        }
    }

    /// Whether cells, free blocks and fragments of a table's page fill it to the byte, as SQLite's own check requires.
    /// Without this, a page with a changed count of cells would look valid.
    var isFilledExactly: Bool {
        let cells = cells
        let content = number(at: header + 5, bytes: 2)
        let first = header + (kind == .leafTable ? 8 : 12)
        guard cells.count == cellCount, content >= first + 2 * cells.count, content <= bytes.count else { return false }
        var filled = number(at: header + 7, bytes: 1)
        for cell in cells {
            guard let length = cellLength(at: cell) else { return false }
            filled += length
        }
        var block = number(at: header + 1, bytes: 2)
        while block != 0 {
            let next = number(at: block, bytes: 2)
            // Free blocks are linked in the order of their positions.
            guard block >= content, next == 0 || next > block else { return false }
            filled += number(at: block + 2, bytes: 2)
            block = next
        }
        return filled == bytes.count - content
    }

    private func cellLength(at offset: Int) -> Int? {
        var position = offset + (kind == .interiorTable ? 4 : 0)
        guard let first = varint(in: bytes, at: &position) else { return nil }
        if kind == .interiorTable { return position - offset }
        guard kind == .leafTable, (0...Self.longestRow).contains(first), varint(in: bytes, at: &position) != nil else {
            return nil
        }
        let local = localLength(Int(first), largest: bytes.count - 35)
        return max(position - offset + local + (local < first ? 4 : 0), 4)
    }

    /// How many bytes of a row are in its page. The rest is on overflow pages.
    private func localLength(_ length: Int, largest: Int) -> Int {
        guard length > largest else { return length }
        let least = (bytes.count - 12) * 32 / 255 - 23
        let wanted = least + (length - least) % (bytes.count - 4)
        return wanted <= largest ? wanted : least
    }

    /// The rows of a table's leaf; empty for any other page.
    func rows(overflow: (Int) -> [UInt8]?) -> [(number: Int64, values: [Cell])] {
        kind == .leafTable ? cells.compactMap { row(at: $0, overflow: overflow) } : []
    }

    /// The number and the values of a table's row. The column that is the row number is NULL.
    /// - Parameter overflow: reads a page.
    func row(at offset: Int, overflow: (Int) -> [UInt8]?) -> (number: Int64, values: [Cell])? {
        var position = offset
        guard kind == .leafTable, let length = varint(in: bytes, at: &position),
            let row = varint(in: bytes, at: &position)
        else { return nil }
        guard let payload = payload(length, at: position, largestLocal: bytes.count - 35, overflow) else { return nil }
        return record(payload).map { (row, $0) }
    }

    /// The values of an index's entry.
    func entry(at offset: Int) -> [Cell]? {
        guard kind == .leafIndex || kind == .interiorIndex else { return nil }
        var position = offset + (kind == .interiorIndex ? 4 : 0)
        guard let length = varint(in: bytes, at: &position) else { return nil }
        // No entry of the inbox overflows: a key has at most 129 bytes.
        let largest = (bytes.count - 12) * 64 / 255 - 23
        guard length <= largest else { return nil }
        return payload(length, at: position, largestLocal: largest) { _ in nil }.flatMap(record)
    }

    private func payload(
        _ length: Int64, at position: Int, largestLocal: Int, _ overflow: (Int) -> [UInt8]?
    ) -> [UInt8]? {
        guard (1...Self.longestRow).contains(length) else { return nil }
        let length = Int(length)
        if length <= largestLocal {
            return position + length <= bytes.count ? Array(bytes[position..<position + length]) : nil
        }
        let local = localLength(length, largest: largestLocal)
        guard position + local + 4 <= bytes.count else { return nil }
        var payload = Array(bytes[position..<position + local])
        var next = number(at: position + local, bytes: 4)
        while payload.count < length {
            guard next > 1, let page = overflow(next), page.count == bytes.count else { return nil }
            next = page.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            payload += page.dropFirst(4).prefix(length - payload.count)
        }
        return payload
    }

    /// More than any row of the inbox needs. A damaged length must not exhaust the memory.
    private static let longestRow: Int64 = 1 << 20

    private func record(_ payload: [UInt8]) -> [Cell]? {
        var position = 0
        guard let headerLength = varint(in: payload, at: &position), headerLength <= payload.count else { return nil }
        var values: [Cell] = []
        var content = Int(headerLength)
        while position < Int(headerLength) {
            guard let type = varint(in: payload, at: &position), type >= 0, values.count < 64,
                let value = value(of: type, in: payload, at: &content)
            else { return nil }
            values.append(value)
        }
        return values
    }

    private func value(of type: Int64, in payload: [UInt8], at position: inout Int) -> Cell? {
        let length: Int
        switch type {
        case 0, 8, 9: length = 0
        case 1...4: length = Int(type)
        case 5: length = 6
        case 6, 7: length = 8
        case 12...(2 * Self.longestRow): length = Int(type - 12) / 2
        default: return nil
        }
        guard position + length <= payload.count else { return nil }
        let content = payload[position..<position + length]
        position += length
        switch type {
        case 0: return .null
        case 8, 9: return .integer(type - 8)
        case 1...6:
            let isNegative = content.first.map { $0 >= 0x80 } ?? false
            return .integer(content.reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) })
        case 7: return .unfit
        default: return type % 2 == 1 ? String(validating: content, as: UTF8.self).map { .text($0) } ?? .unfit : .unfit
        }
    }

    private func number(at offset: Int, bytes count: Int) -> Int {
        guard offset >= 0, offset + count <= bytes.count else { return 0 }
        return bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
    }
}

/// A varint: seven bits of each byte, most significant first, up to a byte below 128. A ninth byte counts with all
/// eight bits.
private func varint(in bytes: [UInt8], at position: inout Int) -> Int64? {
    var value: UInt64 = 0
    for index in 0..<9 {
        guard position < bytes.count else { return nil }
        let byte = bytes[position]
        position += 1
        if index == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
        value = value << 7 | UInt64(byte & 0x7F)
        if byte < 0x80 { return Int64(value) }
    }
    return nil
}
