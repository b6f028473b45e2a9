import SoundboxBox
import SoundboxCore
import SoundboxSpeech
import Testing

@Suite("The announcer, when the card or the disk fails")
struct AnnouncerFailureTests {
    private var announcer = Announcer.plain
    private let noon = Entries.moment

    @Test("An idle box looks after its card, and what comes meanwhile is spoken right after")
    mutating func look() throws {
        #expect(announcer.handle(.lookDue) == [.look])
        #expect(announcer.handle(.lookDue) == [])
        #expect(announcer.handle(.somethingMayWait) == [])
        #expect(announcer.handle(.promptRequested(.greeting)) == [])
        #expect(announcer.handle(.looked).first != nil)
        var resting = Announcer.plain
        #expect(resting.handle(.lookDue) == [.look])
        #expect(resting.handle(.looked) == [])
        #expect(resting.handle(.lookDue) == [.look])
        #expect(resting.handle(.stopRequested) == [])
        #expect(resting.handle(.looked) == [.finish])
    }

    @Test("One that has something to do does not: that tells of the card by itself")
    mutating func noLook() throws {
        let entry = try Entries.entry(1)
        #expect(announcer.handle(.somethingMayWait) == [.fetch(limit: 1)])
        #expect(announcer.handle(.lookDue) == [])
        #expect(announcer.handle(.fetched(.of([entry]), noon)) == [.prepare])
        #expect(announcer.handle(.lookDue) == [])
        #expect(announcer.handle(.playFailed) == [.wait(.milliseconds(500))])
        #expect(announcer.handle(.lookDue) == [])
        #expect(announcer.handle(.waited) == [.fetch(limit: 1)])
        announcer.begin(entry)
        #expect(announcer.handle(.lookDue) == [])
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(entry), .aloud)])
        #expect(announcer.handle(.lookDue) == [])
    }

    @Test("A failed device keeps the announcement, waits ever longer up to five seconds, and plays from the start")
    mutating func deviceFailure() throws {
        let entry = try Entries.entry(1)
        announcer.startPlaying(entry)
        for milliseconds in [500, 1000, 2000, 4000, 5000, 5000] {
            #expect(announcer.handle(.playFailed) == [.wait(.milliseconds(milliseconds))])
            #expect(announcer.handle(.somethingMayWait) == [])
            #expect(announcer.handle(.requested(.last)) == [])
            #expect(announcer.handle(.waited) == [.fetch(limit: 1)])
            announcer.begin(entry)
        }
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(entry), .aloud)])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched(.of([]), noon)) == [.recall(.last)])
    }

    @Test("While the card cannot be opened, nothing is noted, so that a payment can still be cancelled")
    mutating func absentDevice() throws {
        let entry = try Entries.entry(1)
        #expect(announcer.handle(.somethingMayWait) == [.fetch(limit: 1)])
        for milliseconds in [500, 1000] {
            #expect(announcer.handle(.fetched(.of([entry]), noon)) == [.prepare])
            #expect(announcer.handle(.playFailed) == [.wait(.milliseconds(milliseconds))])
            #expect(announcer.handle(.waited) == [.fetch(limit: 1)])
        }
        #expect(announcer.handle(.fetched(.of([]), noon)) == [])
    }

    @Test("A payment that has become old while the card was away is told in a summary; the rest is fetched with it")
    mutating func staleAfterWait() throws {
        let entry = try Entries.entry(1)
        announcer.startPlaying(entry)
        #expect(announcer.handle(.playFailed) == [.wait(.milliseconds(500))])
        #expect(announcer.handle(.waited) == [.fetch(limit: 1)])
        let tomorrow = Entries.moment(after: .seconds(86_400))
        #expect(announcer.handle(.fetched(.of([entry]), tomorrow)) == [.fetch(limit: 10_000)])
        #expect(announcer.handle(.fetched(.of([entry]), tomorrow)) == [.prepare])
        #expect(announcer.handle(.prepared) == [.note([entry])])
        #expect(announcer.handle(.noted) == [.play(.init(.summary([entry])))])
    }

    @Test("Noting the start in the inbox may fail; the notice is still spoken and recorded once")
    mutating func noteFails() throws {
        let entry = try Entries.entry(1)
        #expect(announcer.handle(.somethingMayWait) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched(.of([entry]), noon)) == [.prepare])
        #expect(announcer.handle(.prepared) == [.note([entry])])
        #expect(announcer.handle(.inboxFailed) == [.play(.init(.notice(entry)))])
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(entry), .aloud)])
    }

    @Test("A disk that fails is tried again every second, and what was heard is only recorded and not fetched")
    mutating func diskFailure() throws {
        let entry = try Entries.entry(1)
        #expect(announcer.handle(.somethingMayWait) == [.fetch(limit: 1)])
        #expect(announcer.handle(.inboxFailed) == [.wait(.seconds(1))])
        #expect(announcer.handle(.somethingMayWait) == [])
        #expect(announcer.handle(.waited) == [.fetch(limit: 1)])
        announcer.begin(entry)
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(entry), .aloud)])
        for _ in 1...3 {
            #expect(announcer.handle(.inboxFailed) == [.wait(.seconds(1))])
            #expect(announcer.handle(.somethingMayWait) == [])
            #expect(announcer.handle(.waited) == [.record(.notice(entry), .aloud)])
        }
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
    }

    @Test("Late payments that the disk would not pass over are fetched anew, since one may be cancelled by then")
    func expiryFails() throws {
        let policy = FreshnessPolicy(expireAfter: .seconds(600), late: .silent)
        var announcer = Announcer(freshness: policy)
        let stale = try (1...2).map { try Entries.entry($0, age: .seconds(601)) }
        #expect(announcer.handle(.somethingMayWait) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched(.of([stale[0]]), noon)) == [.fetch(limit: 10_000)])
        #expect(announcer.handle(.fetched(.of(stale), noon)) == [.expire(stale)])
        #expect(announcer.handle(.inboxFailed) == [.wait(.seconds(1))])
        #expect(announcer.handle(.waited) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched(.of([stale[1]]), noon)) == [.fetch(limit: 10_000)])
        #expect(announcer.handle(.fetched(.of([stale[1]]), noon)) == [.expire([stale[1]])])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
    }

    @Test("A request that the disk refuses is dropped: a history that cannot be read holds no payment back")
    mutating func unreadableHistory() throws {
        #expect(announcer.handle(.requested(.today)) == [.recall(.today)])
        #expect(announcer.handle(.somethingMayWait) == [])
        #expect(announcer.handle(.inboxFailed) == [.fetch(limit: 1)])
        announcer.begin(try Entries.entry(1))
    }
}
