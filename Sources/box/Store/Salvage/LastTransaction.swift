import Glibc
import SoundboxSystem

/// What can be read of the last transaction of a write-ahead log where SQLite refuses it: a frame of it is damaged, or
/// it was cut off before its end. Nothing tells one from the other, so each row counts by its own checksum.
struct LastTransaction {
    /// Undamaged rows, also those that the transaction did not change.
    private(set) var rows: [SavedRow] = []
    /// From undamaged frames: the last number of a payment; 0 when it is unknown.
    private(set) var lastNotice: Int64 = 0
    /// Whether its last frame is there. Without it the transaction was never acknowledged, unless one bit says so.
    private(set) var hasEnd = false

    /// - Returns: `nil` when it holds no whole row.
    init?(of log: WriteAheadLog, in descriptor: Int32) {
        let pageSize = log.pageSize
        let offsets = Dictionary(log.tail.map { ($0.page, $0.offset) }) { $1 }
        func page(at offset: Int64) -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: pageSize)
            return pread(descriptor, &bytes, pageSize, off_t(offset)) == pageSize ? bytes : nil
        }
        hasEnd = log.tail.contains(where: \.endsTransaction)
        for frame in log.tail {
            guard let bytes = page(at: frame.offset),
                let leaf = BTreePage(bytes, header: frame.page == 1 ? 100 : 0)
            else { continue }
            // The pages that a new row overflows to are of its own transaction.
            for row in leaf.rows(overflow: { offsets[$0].flatMap(page(at:)) }) {
                if let saved = SavedRow(number: row.number, values: row.values) { rows.append(saved) }
                if frame.isProven, row.values.count == 2, row.values[0] == .text(CheckedTable.notice.rawValue),
                    let number = row.values[1].integer, 0..<maximumSequence ~= number
                {
                    lastNotice = max(lastNotice, number)
                }
            }
        }
        if rows.isEmpty { return nil }
    }
}

extension LastTransaction {
    /// The log's second name, until what it holds is in the database: SQLite deletes or overwrites it when it opens the
    /// database, and the process may be killed then.
    private static func kept(_ path: String) -> String { "\(path).last-log" }

    /// Looks at the log at a start, before SQLite does.
    ///
    /// - Returns: why the database has to be salvaged, and the last transaction if SQLite refuses it.
    static func examine(_ path: String) -> (problem: String?, last: LastTransaction?) {
        let kept = open(Self.kept(path), O_RDONLY | O_CLOEXEC)
        let descriptor = open(path + "-wal", O_RDONLY | O_CLOEXEC)
        defer { for file in [kept, descriptor] where file >= 0 { close(file) } }
        let log = descriptor >= 0 ? WriteAheadLog(descriptor) : nil
        if let log {
            if FileIdentity.size(path) <= 1, !log.offsets.isEmpty {
                return ("the database is empty, and its write-ahead log is not", nil)
            }
            if log.isDamaged { return ("the write-ahead log is damaged", nil) }
        }
        if kept >= 0 { return (nil, WriteAheadLog(kept).flatMap { LastTransaction(of: $0, in: kept) }) }
        guard let log, let last = LastTransaction(of: log, in: descriptor) else { return (nil, nil) }
        // Where it fails, the transaction is still read, and only a kill in the next moments loses it.
        link(path + "-wal", Self.kept(path))
        return (nil, last)
    }

    static func forget(_ path: String) { unlink(kept(path)) }
}
