import GRDB
import SoundboxCore
import Synchronization
import TestSupport
import Testing

@testable import SoundboxStore

@Suite("How far a salvage reaches")
struct SalvageReachTests {
    private let noon = Timestamp(millisecondsSince1970: 1_795_233_600_000)

    /// Pages with rows of a table, by where the rows begin.
    private func leaves(of table: CheckedTable, in inbox: DamagedInbox) throws -> [(page: Int, first: Int64)] {
        let file = try DamagedFile(path: inbox.path)
        return (1...file.pageCount).compactMap { number in
            guard let page = file.page(number), let row = file.savedRows(of: page).first, row.table == table else {
                return nil
            }
            return page.rowNumbers.first.map { (number, $0) }
        }.sorted { $0.1 < $1.1 }
    }

    private func lastNumber(of opened: SQLiteInbox) throws -> Int64 {
        try opened.read { try CheckedTable.notice.lastNumber(in: $0) }
    }

    @Test("Where the end of the history is damaged, no number is given again")
    func everyPage() throws {
        let inbox = try DamagedInbox(ended: 1400, waiting: 103)
        let page = try #require(try leaves(of: .notice, in: inbox).last).page
        try inbox.change { bytes in for index in (page - 1) * 4096..<page * 4096 { bytes[index] = 0 } }
        let opened = try inbox.open()
        #expect(opened.announcedTotal.load(ordering: .relaxed) == 1200)
        #expect(try lastNumber(of: opened) >= 1503)
        #expect(try inbox.content(of: opened).waiting == inbox.waiting)
    }

    @Test("A page that claims to hold fewer payments than it does costs none")
    func fewerCells() throws {
        let inbox = try DamagedInbox(ended: 1400, waiting: 103)
        let page = try #require(try leaves(of: .waiting, in: inbox).last).page
        try inbox.change { bytes in bytes[(page - 1) * 4096 + 4] &= 0x03 }
        #expect(try inbox.content(of: try inbox.open()).waiting == inbox.waiting)
    }

    /// An inbox with more payments than a salvage keeps.
    private func largeInbox(at path: String, count: Int) throws {
        let inbox = try SQLiteInbox(path: path)
        for start in stride(from: 1, through: count, by: 2000) {
            let ids = start...min(start + 1999, count)
            let notices = try ids.map {
                Arrival.notice(PaymentNotice(id: try PaymentID("T\($0)"), money: try Money("1", .CNY)))
            }
            let time = Timestamp(millisecondsSince1970: noon.millisecondsSince1970 + Int64(start))
            _ = try inbox.store(notices, at: time, clock: .confirmed)
            try inbox.markExpired(try inbox.waiting(limit: 2000), at: time)
        }
        try inbox.removeReceipts(try inbox.receipts(after: 0, limit: count * 2).map(\.sequence))
        try inbox.settle()
    }

    @Test("The newest 10,000 payments are saved whole, and of all before them the ids, also by a second salvage")
    func newest() throws {
        let folder = try TemporaryFolder()
        let (path, count) = (folder.file("inbox.sqlite"), Salvage.newestPayments + 3000)
        try largeInbox(at: path, count: count)
        for salvage in 1...2 {
            var bytes = try folder.read("inbox.sqlite")
            bytes[47] = 5
            try folder.write(bytes, to: "inbox.sqlite")
            let inbox = try SQLiteInbox.recovering(
                path: path, now: { [noon] in noon }, log: { _ in }, happened: { _ in })
            for id in [1, 2999, 3000, count] {
                let notice = PaymentNotice(id: try PaymentID("T\(id)"), money: try Money("1", .CNY))
                #expect(
                    try inbox.store([.notice(notice)], at: noon) == [.duplicate(notice, differs: nil)],
                    "T\(id) after salvage \(salvage)")
            }
            let (whole, known) = try inbox.read { database in
                (
                    try Int.fetchOne(database, sql: "SELECT count(*) FROM notice"),
                    try Int.fetchOne(database, sql: "SELECT count(*) FROM known")
                )
            }
            // Whole pages.
            #expect(try #require(whole) >= Salvage.newestPayments && #require(whole) < Salvage.newestPayments + 200)
            #expect(try #require(whole) + #require(known) == count)
            // A sum that goes back so far says that it lacks them.
            var page = try inbox.history(HistoryFilter(), before: nil, limit: 9000)
            var unreadable = 0
            while true {
                unreadable += page.unreadable?.count ?? 0
                guard let next = page.next else { break }
                page = try inbox.history(HistoryFilter(), before: next, limit: 9000)
            }
            #expect(unreadable == known)
            // Ids keep their age.
            let later = Timestamp(millisecondsSince1970: noon.millisecondsSince1970 + 1000)
            let step = try inbox.prune(Retention(keep: .zero, maximumBytes: 1 << 30), now: salvage == 2 ? later : nil)
            #expect(step.forgotten == (salvage == 2 ? SQLiteInbox.pruningBatch : 0))
        }
    }
}
