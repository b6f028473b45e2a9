import Glibc
import SoundboxSystem

/// The committed content of a write-ahead log, including what follows a damaged frame.
///
/// SQLite reads the log up to the first frame whose checksum does not match, and takes that for the end, so every
/// commit after a damaged frame is lost. But each frame's checksum continues that of the frame before, so the frames
/// after a damaged one can still be distinguished from garbage. Format: sqlite.org/fileformat2.html, section 4, "The
/// Write-Ahead Log".
struct WriteAheadLog {
    /// Where the newest committed content of each page is in the file.
    private(set) var offsets: [Int: Int64] = [:]
    private(set) var pageSize: Int
    /// Whether there are damaged frames before a later transaction. Such frames were complete once: a transaction
    /// begins only when everything before it is on the disk.
    private(set) var isDamaged = false
    /// The frames behind the last commit that SQLite accepts, if no transaction begins behind a damaged one: the last
    /// transaction, damaged or cut off, or nothing.
    private(set) var tail: [TailFrame] = []

    struct TailFrame {
        /// Where its page is in the file.
        var offset: Int64
        /// As its header says.
        var page: Int
        var endsTransaction: Bool
        /// Whether its checksum continues that of the frame before: it is as it was written.
        var isProven: Bool
    }

    private static let headerBytes = 32
    private static let frameHeaderBytes = 24

    /// SQLite's default. The inbox has never asked for another size.
    static let usualPageSize = 4096

    /// - Returns: `nil` when nothing in it can be read.
    init?(_ descriptor: Int32) {
        guard let header = read(descriptor, Self.headerBytes, at: 0) else { return nil }
        let isBigEndian: Bool
        let salts: ArraySlice<UInt8>
        var previous: (UInt32, UInt32)?
        let headerFits = Self.fits(header)
        if headerFits {
            pageSize = Int(word(header, 8))
            isBigEndian = word(header, 0) & 1 == 1
            salts = header[16..<24]
            previous = (word(header, 24), word(header, 28))
        } else {
            // One flipped bit here is enough for SQLite to start a new log and overwrite this one.
            guard let found = Self.firstSalts(descriptor) else { return nil }
            pageSize = Self.usualPageSize
            isBigEndian = false
            salts = found
        }
        var offset = Int64(Self.headerBytes)
        var frames = Frames()
        // Not verified yet. If the next frame continues its checksum, its header is as it was written.
        var unproven: (frame: Frame, isReadable: Bool)?
        // After a damaged header, nothing verifies the first frame. Its rows have checksums of their own.
        var isFirst = true
        while var frame = read(descriptor, Self.frameHeaderBytes + pageSize, at: offset) {
            defer { offset += Int64(frame.count) }
            let stored = (word(frame, 16), word(frame, 20))
            var isProven = previous.map { checksum(frame[...], from: $0, isBigEndian) == stored } ?? false
            if let previous, !isProven, word(frame, 4) != 0 {
                // A flipped bit may have made an end of a transaction out of a frame in its middle.
                var other = frame
                other.replaceSubrange(4..<8, with: [0, 0, 0, 0])
                if checksum(other[...], from: previous, isBigEndian) == stored {
                    (frame, isProven) = (other, true)
                    frames.hasHole = true
                }
            }
            let fits = isProven || (previous == nil && !headerFits && isFirst)
            let hasSalts = frame[8..<16].elementsEqual(salts)
            // The checksum does not cover the salts: with a flipped bit in them, SQLite stops here as well.
            let isOurs = hasSalts || isProven
            if !hasSalts { frames.hasHole = true }
            // After a missing frame nothing verifies the next one. Its rows have checksums of their own.
            let isReadable = previous == nil
            isFirst = false
            previous = isOurs ? stored : nil
            let found = Frame(
                page: Int(word(frame, 0)), offset: offset + Int64(Self.frameHeaderBytes),
                endsTransaction: word(frame, 4) != 0)
            if isOurs {
                tail.append(
                    TailFrame(
                        offset: found.offset, page: found.page, endsTransaction: found.endsTransaction,
                        isProven: isProven))
            }
            if fits, found.endsTransaction, !frames.hasHole { tail = [] }
            // Either a damaged frame, or a remnant of an earlier use of the file.
            guard isOurs, fits else {
                frames.hasHole = true
                unproven = isOurs ? (found, isReadable) : nil
                continue
            }
            if let (frame, isReadable) = unproven {
                if isReadable {
                    frames.add(frame)
                } else if frame.endsTransaction {
                    frames.endTransaction()
                }
            }
            unproven = nil
            frames.add(found)
        }
        offsets = frames.offsets
        isDamaged = frames.countBehindCommit > 0 || !headerFits
        if isDamaged { tail = [] }
    }

    private struct Frame {
        var page: Int
        var offset: Int64
        var endsTransaction: Bool
    }

    /// What has been read of the log.
    private struct Frames {
        private(set) var offsets: [Int: Int64] = [:]
        var hasHole = false
        /// Frames of a transaction that began after the gap.
        private(set) var countBehindCommit = 0
        private var commitsBehindHole = 0
        private var transaction: [Frame] = []

        mutating func add(_ frame: Frame) {
            if commitsBehindHole > 0 { countBehindCommit += 1 }
            transaction.append(frame)
            if frame.endsTransaction { endTransaction() }
        }

        mutating func endTransaction() {
            for frame in transaction { offsets[frame.page] = frame.offset }
            transaction = []
            if hasHole { commitsBehindHole += 1 }
        }
    }

    private static func fits(_ header: [UInt8]) -> Bool {
        let pageSize = Int(word(header, 8))
        return word(header, 0) & ~1 == 0x377F_0682 && pageSize.nonzeroBitCount == 1 && 512...65536 ~= pageSize
            && checksum(header[..<24], of: [0..<24], from: (0, 0), word(header, 0) & 1 == 1)
                == (word(header, 24), word(header, 28))
    }

    /// The salts of the first two frames that belong together. Later frames may be remnants of an earlier use.
    private static func firstSalts(_ descriptor: Int32) -> ArraySlice<UInt8>? {
        let size = frameHeaderBytes + usualPageSize
        var offset = Int64(headerBytes)
        var last: [UInt8]?
        while let frame = read(descriptor, size, at: offset) {
            offset += Int64(size)
            if let last, last[8..<16].elementsEqual(frame[8..<16]),
                checksum(frame[...], from: (word(last, 16), word(last, 20)), false) == (
                    word(frame, 16), word(frame, 20)
                )
            {
                return frame[8..<16]
            }
            last = frame
        }
        // A log of one frame.
        return last.flatMap { offset == Int64(headerBytes + size) ? $0[8..<16] : nil }
    }
}

/// - Returns: `nil` when there are fewer bytes.
private func read(_ descriptor: Int32, _ count: Int, at offset: Int64) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    return pread(descriptor, &bytes, count, off_t(offset)) == count ? bytes : nil
}

private func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
}

/// Covers the first eight bytes of a frame's header, and its page.
private func checksum(
    _ frame: ArraySlice<UInt8>, from start: (UInt32, UInt32), _ isBigEndian: Bool
) -> (UInt32, UInt32) {
    checksum(frame, of: [0..<8, 24..<frame.count], from: start, isBigEndian)
}

/// - Parameter ranges: of multiples of eight bytes, from the beginning of `bytes`.
private func checksum(
    _ bytes: ArraySlice<UInt8>, of ranges: [Range<Int>], from start: (UInt32, UInt32), _ isBigEndian: Bool
) -> (UInt32, UInt32) {
    var (first, second) = start
    bytes.withUnsafeBytes { bytes in
        func add(_ range: Range<Int>) {
            for offset in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
                let words = (
                    bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self),
                    bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
                )
                first &+= (isBigEndian ? UInt32(bigEndian: words.0) : UInt32(littleEndian: words.0)) &+ second
                second &+= (isBigEndian ? UInt32(bigEndian: words.1) : UInt32(littleEndian: words.1)) &+ first
            }
        }
        for range in ranges { add(range) }
    }
    return (first, second)
}

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
