import GRDB
import SoundboxCore
import TestSupport
import Testing

@testable import SoundboxStore

@Suite("The inbox forgets what is old, and nothing else")
struct PruningTests {
    private let folder: TemporaryFolder
    private let inbox: SQLiteInbox
    private let noon = Timestamp(millisecondsSince1970: 1_795_233_600_000)
    private let retention = Retention(keep: .seconds(90 * 86_400), maximumBytes: 1 << 30)

    init() throws {
        folder = try TemporaryFolder(inMemory: true)
        inbox = try SQLiteInbox(path: "\(folder.path)/inbox.sqlite")
    }

    private func day(_ number: Int) -> Timestamp {
        Timestamp(millisecondsSince1970: noon.millisecondsSince1970 + Int64(number) * 86_400_000)
    }

    private enum Fate {
        /// Thousands in one commit. A commit for each announcement takes half a minute.
        case expired
        case announced, waiting
    }

    private func store(
        _ ids: ClosedRange<Int>, on day: Timestamp, clock: ClockTrust = .confirmed, _ fate: Fate = .announced,
        paidAt: Timestamp? = nil
    ) throws {
        let notices = try ids.map {
            Arrival.notice(PaymentNotice(id: try PaymentID("T\($0)"), money: try Money("1", .CNY), paidAt: paidAt))
        }
        _ = try inbox.store(notices, at: day, clock: clock)
        switch fate {
        case .expired: try inbox.markExpired(try inbox.waiting(limit: 9999), at: day)
        case .announced: for entry in try inbox.waiting(limit: 9999) { try inbox.markAnnounced(entry, at: day) }
        case .waiting: break
        }
    }

    private func known(_ id: Int) throws -> Bool {
        let notice = PaymentNotice(id: try PaymentID("T\(id)"), money: try Money("1", .CNY))
        guard case .duplicate = try inbox.store([.notice(notice)], at: day(1000)).first else { return false }
        return true
    }

    private func pruneAll(at now: Timestamp?, _ retention: Retention? = nil) throws -> PruningStep {
        var total = PruningStep()
        while case let step = try inbox.prune(retention ?? self.retention, now: now), step.isWorthRepeating {
            total.forgotten += step.forgotten
            total.forgottenEarly += step.forgottenEarly
        }
        return total
    }

    @Test("An id is known for 90 days and not for much longer; the count of announcements stays")
    func horizon() throws {
        try store(1...500, on: day(0))
        try store(501...510, on: day(30))
        #expect(try pruneAll(at: day(90)).forgotten == 0)
        #expect(try pruneAll(at: day(91)).forgotten == 500)
        #expect(try inbox.counts().announced == 510)
        #expect(try known(501))
        #expect(try !known(500))
        // The check-up counts what the box counts: everything that was ever announced.
        #expect(try InboxInspection(path: folder.file("inbox.sqlite")).counts == inbox.counts())
    }

    @Test("What waits is never forgotten, nor the payment that replay repeats")
    func waiting() throws {
        try store(1...3, on: day(0))
        try store(4...5, on: day(0), .waiting)
        #expect(try pruneAll(at: day(900)).forgotten == 2)
        #expect(try inbox.waiting(limit: 9).map(\.notice.id.text) == ["T4", "T5"])
        #expect(try inbox.lastAnnounced()?.notice.id.text == "T3")
    }

    @Test("Ids from a time without a clock stay until a later payment proves their age")
    func noClock() throws {
        try store(1...5, on: Timestamp(millisecondsSince1970: 0), clock: .none)
        try store(6...7, on: day(0))
        #expect(try pruneAll(at: day(1)).forgotten == 0)
        #expect(try pruneAll(at: nil).forgotten == 0)
        #expect(try pruneAll(at: day(91)).forgotten == 6)
    }

    @Test("What arrived under a clock that nobody had confirmed is never old by it", arguments: [-365, 0, 365])
    func wrongClock(error: Int) throws {
        try store(1...5, on: day(error), clock: .unconfirmed)
        #expect(try pruneAll(at: day(400)).forgotten == 0)
        try store(6...7, on: day(400))
        #expect(try pruneAll(at: day(450)).forgotten == 0)
        #expect(try pruneAll(at: day(491)).forgotten == 6)
    }

    @Test("A long history without a confirmed clock does not keep what comes behind it from being forgotten")
    func longHistory() throws {
        try store(1...6500, on: day(0), clock: .unconfirmed, .expired)
        try store(6501...6600, on: day(0))
        try store(6601...6700, on: day(100))
        #expect(try pruneAll(at: day(91)).forgotten == 6600)
        #expect(try inbox.counts().announced == 200)
    }

    @Test("A payment that says it was paid later than it arrived is known for that much longer, and holds up nothing")
    func paidLater() throws {
        try store(1...2500, on: day(0), .expired, paidAt: day(100))
        try store(2501...2510, on: day(1))
        try store(2511...2511, on: day(2))
        #expect(try pruneAll(at: day(92)).forgotten == 10)
        #expect(try known(2500))
        #expect(try pruneAll(at: day(189)).forgotten == 0)
        #expect(try pruneAll(at: day(191)).forgotten == 2500)
    }

    @Test("Above the limit of bytes the oldest go before their time, and room is made inside the file")
    func limit() throws {
        try store(1...4999, on: day(0), .expired)
        try store(5000...5000, on: day(0))
        let before = try inbox.bytesInUse()
        let step = try pruneAll(at: day(1), Retention(keep: .seconds(90 * 86_400), maximumBytes: before / 2))
        #expect(step.forgotten == 0)
        #expect(step.forgottenEarly > 0)
        #expect(try inbox.bytesInUse() <= before / 2 + 64 * 4096)
        #expect(try known(5000))
    }
}
