import Glibc
import SoundboxSystem

/// A database file and its write-ahead log, read page by page without SQLite, which reads nothing more from a file
/// after a damaged page. Writes nothing. Blocks on the disk. Needs memory for one page, and a few bytes for each page
/// that is free or in the log.
final class DamagedFile {
    let pageSize: Int
    /// The number of the last page; the first is 1.
    let pageCount: Int
    private let descriptor: Int32
    private let logDescriptor: Int32
    private let log: WriteAheadLog?
    /// The free pages, as far as their list can be read. Their content is old.
    private(set) var freePages: Set<Int> = []
    private let willRead: (Int) -> Void

    /// - Parameter willRead: called before each page is read.
    init(path: String, willRead: @escaping (Int) -> Void = { _ in }) throws(SystemError) {
        self.willRead = willRead
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError.last }
        logDescriptor = open(path + "-wal", O_RDONLY | O_CLOEXEC)
        log = logDescriptor >= 0 ? WriteAheadLog(logDescriptor) : nil
        // The header is not used: with one flipped bit in it, every page would be misread.
        pageSize = log?.pageSize ?? WriteAheadLog.usualPageSize
        var attributes = stat()
        fstat(descriptor, &attributes)
        pageCount = max(Int(attributes.st_size) / pageSize, log?.offsets.keys.max() ?? 0)
        findFreePages()
    }

    deinit {
        close(descriptor)
        if logDescriptor >= 0 { close(logDescriptor) }
    }

    /// - Returns: the page's newest content; `nil` when the disk cannot read it.
    func bytes(_ page: Int) -> [UInt8]? {
        guard page >= 1, page <= pageCount else { return nil }
        willRead(page)
        return [UInt8](unsafeUninitializedCapacity: pageSize) { buffer, count in
            count = 0
            if let offset = log?.offsets[page] {
                count = max(pread(logDescriptor, buffer.baseAddress, pageSize, off_t(offset)), 0)
            } else {
                count = max(pread(descriptor, buffer.baseAddress, pageSize, off_t(page - 1) * off_t(pageSize)), 0)
            }
        }
    }

    /// `nil` for a free page, and for a page of neither a table nor an index.
    func page(_ number: Int) -> BTreePage? {
        guard !freePages.contains(number), let bytes = bytes(number), bytes.count == pageSize else { return nil }
        return BTreePage(bytes, header: number == 1 ? 100 : 0)
    }

    /// The rows of a table's page; empty for any other page.
    func rows(of page: BTreePage) -> [(number: Int64, values: [Cell])] {
        page.rows(overflow: bytes)
    }

    /// The first page of a table, according to the schema; `nil` when the schema does not name it, or names two pages.
    func root(ofTable name: String) -> Int? {
        var root: Int?
        var roots: Set<Int64> = []
        var isClear = true
        let isWhole = walk(below: 1) { page in
            for row in rows(of: page) where row.values.count == 5 {
                guard let number = row.values[3].integer, number > 0 else { continue }
                if !roots.insert(number).inserted { isClear = false }
                if row.values[0] == .text("table") && row.values[1] == .text(name) { root = Int(exactly: number) }
            }
            if rows(of: page).count != page.cellCount { isClear = false }
            return true
        }
        return isWhole && isClear ? root : nil
    }

    /// Visits the pages that hold a table's rows, those with the highest numbers first, until `visit` returns `false`.
    ///
    /// - Returns: whether every page down to there is as SQLite would write it, and none is missing.
    func walk(below root: Int, _ visit: (BTreePage) throws -> Bool) rethrows -> Bool {
        var isWhole = true
        // The rows of each page have numbers above `low`, up to `high`.
        var open: [(page: Int, low: Int64, high: Int64)] = [(root, .min, .max)]
        var seen: Set<Int> = []
        while let (number, low, high) = open.popLast() {
            guard seen.insert(number).inserted, let page = page(number),
                page.kind == .leafTable || page.kind == .interiorTable
            else {
                isWhole = false
                continue
            }
            let numbers = page.rowNumbers
            let isOrdered =
                zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 } && numbers.first.map { $0 > low } ?? true
                && numbers.last.map { $0 <= high } ?? true
            // Only a table without rows has an empty page.
            if !isOrdered || !page.isFilledExactly || numbers.isEmpty && number != root { isWhole = false }
            if page.kind == .leafTable {
                guard try visit(page) else { break }
            } else if page.children.count == numbers.count + 1 {
                for (index, child) in page.children.enumerated() {
                    open.append(
                        (child, index == 0 ? low : numbers[index - 1], index < numbers.count ? numbers[index] : high))
                }
            } else {
                isWhole = false
            }
        }
        return isWhole
    }

    /// Section 1.5, "The Freelist".
    private func findFreePages() {
        guard let first = bytes(1), first.count == pageSize else { return }
        func number(_ bytes: [UInt8], _ index: Int) -> Int {
            bytes[index * 4..<index * 4 + 4].reduce(0) { $0 << 8 | Int($1) }
        }
        var trunk = number(first, 8)
        var free: Set<Int> = []
        while trunk > 1, free.insert(trunk).inserted, let bytes = bytes(trunk), bytes.count == pageSize {
            let count = number(bytes, 1)
            // From here on the list is invalid.
            guard count <= pageSize / 4 - 2 else { return }
            for index in 0..<count { free.insert(number(bytes, index + 2)) }
            trunk = number(bytes, 0)
        }
        // A list whose length differs from the header's count is not used at all. A page wrongly considered free loses
        // payments; one that is wrongly read does no harm, since free pages hold zeros (`secure_delete`).
        if free.count == number(first, 9) { freePages = free }
    }
}
