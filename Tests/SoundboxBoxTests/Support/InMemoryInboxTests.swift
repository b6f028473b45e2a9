import SoundboxCore
import SoundboxTesting
import Testing

@Suite("The inbox in memory")
struct InMemoryInboxTests {
    @Test("It keeps the contract of an inbox", arguments: InboxContract.clauses)
    func contract(clause: InboxContract) throws {
        try clause.check(InMemoryInbox())
    }

    @Test("It keeps the contract of a book of errands and of a history", arguments: ErrandContract.clauses)
    func errandContract(clause: ErrandContract) throws {
        let inbox = InMemoryInbox()
        try clause.check { inbox }
    }

    @Test("While it is told to fail every method throws, and nothing has happened afterwards")
    func failure() throws {
        let inbox = InMemoryInbox()
        let entry = try Entries.entry(1)
        let failure = InboxError.failed(path: "memory", reason: "disk full")
        inbox.fail(with: failure)
        #expect(throws: failure) { try inbox.store([.notice(entry.notice)], at: Entries.noon) }
        #expect(throws: failure) { try inbox.waiting(limit: 1) }
        #expect(throws: failure) { try inbox.markAnnouncing(entry) }
        #expect(throws: failure) { try inbox.markAnnounced(entry, at: Entries.noon) }
        #expect(throws: failure) { try inbox.markExpired([entry], at: Entries.noon) }
        #expect(throws: failure) { try inbox.lastAnnounced() }
        #expect(throws: failure) { try inbox.counts() }
        #expect(throws: failure) { try inbox.receipts(after: 0, limit: 1) }
        #expect(throws: failure) { try inbox.removeReceipts([1]) }
        inbox.fail(with: nil)
        #expect(try inbox.counts() == InboxCounts(waiting: 0, announced: 0, receiptsWaiting: 0))
    }
}
