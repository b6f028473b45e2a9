import SoundboxCore
import Testing

@testable import SoundboxStore

@Suite("The checksum of a row")
struct ChecksumTests {
    /// RFC 3720, appendix B.4, and the check value of the catalogue of parametrised CRC algorithms.
    static let vectors: [(bytes: [UInt8], checksum: UInt32)] = [
        (Array("123456789".utf8), 0xE306_9283), (Array(repeating: 0, count: 32), 0x8A91_36AA),
        (Array(repeating: 0xFF, count: 32), 0x62A8_AB43), (Array(0...31), 0x46DD_794E),
        ((0...31).reversed(), 0x113F_DB5C), ([], 0),
    ]

    @Test("It is the CRC-32C of the standard", arguments: vectors)
    func reference(bytes: [UInt8], checksum: UInt32) {
        var crc = CRC32C()
        crc.update(bytes)
        #expect(crc.value == checksum)
    }

    @Test("Rows whose values could run into one another have different ones")
    func injective() {
        let rows: [[Cell]] = [
            [.text("ab"), .text("c")], [.text("a"), .text("bc")], [.text("abc"), .text("")], [.text("abc")],
            [.text("ab"), .text("c"), .null], [.null, .text("ab"), .text("c")], [.integer(1), .null], [.integer(1)],
            [.text("1")], [.text("\u{1}")], [.integer(0)], [.null], [],
        ]
        for table in CheckedTable.allCases {
            #expect(Set(rows.map { table.checksum(of: $0) }).count == rows.count)
        }
        #expect(Set(CheckedTable.allCases.map { $0.checksum(of: rows[0]) }).count == CheckedTable.allCases.count)
    }

    @Test("Any one flipped bit of a stored row is found")
    func flippedBits() throws {
        let entry = InboxEntry(
            sequence: 5,
            notice: PaymentNotice(
                id: try PaymentID("T5"), money: try Money("12.5", .CNY), channel: "alipay",
                paidAt: Timestamp(millisecondsSince1970: 1_795_233_600_000)),
            receivedAt: Timestamp(millisecondsSince1970: 1_795_233_600_000), state: .received)
        let cells = NoticeRecord(entry).cells(of: .notice)
        #expect(try NoticeRecord(cells, of: .notice).entry == entry)
        for (index, cell) in cells.enumerated() {
            for changed in cell.flips {
                var damaged = cells
                damaged[index] = changed
                #expect(throws: DamagedRow.self) { try NoticeRecord(damaged, of: .notice) }
            }
        }
    }
}

extension Cell {
    /// The value with one bit changed, for each bit.
    fileprivate var flips: [Cell] {
        switch self {
        case .null: [.integer(0), .text("")]
        case .integer(let integer): (0..<64).map { .integer(integer ^ 1 << $0) }
        case .text(let text):
            Array(text.utf8).indices.flatMap { index in
                (0..<8).compactMap { bit in
                    var bytes = Array(text.utf8)
                    bytes[index] ^= 1 << bit
                    return String(validating: bytes, as: UTF8.self).map { .text($0) }
                }
            }
        case .unfit: []
        }
    }
}
