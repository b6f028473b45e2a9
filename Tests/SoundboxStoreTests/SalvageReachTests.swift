import SoundboxCore
import Synchronization
import TestSupport
import Testing

@testable import SoundboxStore

@Suite("The box goes on before the history is read")
struct SalvageReachTests {
    private let inbox: DamagedInbox

    init() throws {
        inbox = try DamagedInbox(ended: 1400, waiting: 103)
        try inbox.restore()
    }

    /// Pages with rows of a table, by where the rows begin.
    private func leaves(of table: CheckedTable) throws -> [(page: Int, first: Int64)] {
        let file = try DamagedFile(path: inbox.path)
        return (1...file.pageCount).compactMap { number in
            guard let page = file.page(number), let row = file.savedRows(of: page).first, row.table == table else {
                return nil
            }
            return page.rowNumbers.first.map { (number, $0) }
        }.sorted { $0.1 < $1.1 }
    }

    /// Opens the damaged inbox.
    /// - Returns: the pages that were read before it was there.
    private func open() throws -> (inbox: SQLiteInbox, read: Set<Int>) {
        let read = Mutex<Set<Int>>([])
        let opened = try inbox.open(willRead: { page in read.withLock { _ = $0.insert(page) } })
        #expect(inbox.told.incidents.withLock { $0.count } == 1)
        return (opened, read.withLock { $0 })
    }

    private func zero(_ page: Int) throws {
        try inbox.change { bytes in for index in (page - 1) * 4096..<page * 4096 { bytes[index] = 0 } }
    }

    private func lastNumber(of opened: SQLiteInbox) throws -> Int64 {
        try opened.read { try CheckedTable.notice.lastNumber(in: $0) }
    }

    @Test("With the trees of what waits whole, pages that hold only history are left for later")
    func historyIsLeft() throws {
        let history = try leaves(of: .notice).filter { $0.first < 1200 }.map(\.page)
        #expect(history.count > 20)
        try zero(history[3])
        let (opened, read) = try open()
        #expect(read.isDisjoint(with: history))
        #expect(!read.isEmpty)
        #expect(opened.announcedTotal.load(ordering: .relaxed) == 1200)
        #expect(try opened.lastAnnounced(skipping: 0)?.notice.id.text == "T1399")
        #expect(try lastNumber(of: opened) == 1503)
        #expect(try inbox.content(of: opened).waiting == inbox.waiting)
    }

    @Test("Where the end of the history is damaged, every page is read, and no number is given again")
    func everyPage() throws {
        let history = try leaves(of: .notice)
        try zero(try #require(history.last).page)
        let (opened, read) = try open()
        #expect(read.isSuperset(of: history.dropLast().map(\.page)))
        #expect(opened.announcedTotal.load(ordering: .relaxed) == 1200)
        #expect(try lastNumber(of: opened) >= 1503)
        #expect(try inbox.content(of: opened).waiting == inbox.waiting)
    }

    @Test("A page that claims to hold fewer payments than it does costs none")
    func fewerCells() throws {
        let page = try #require(try leaves(of: .waiting).last).page
        try inbox.change { bytes in bytes[(page - 1) * 4096 + 4] &= 0x03 }
        let (opened, _) = try open()
        #expect(try inbox.content(of: opened).waiting == inbox.waiting)
    }
}
