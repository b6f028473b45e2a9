import SoundboxBox
import SoundboxCore
import Testing

@Suite("A payment whose message has expired is late")
struct MessageExpiryTests {
    private func moment(_ expired: InboxEntry...) -> Announcer.Moment {
        var messages: [PaymentID: MessageAge] = [:]
        for entry in expired {
            messages[entry.notice.id] = MessageAge(age: .seconds(5), isLive: true, expiry: .seconds(5))
        }
        return Announcer.Moment(clock: Entries.moment.clock, minuteOfDay: 720, messages: messages)
    }

    private func announcer(_ late: LatePayments) -> Announcer {
        Announcer(freshness: FreshnessPolicy(expireAfter: .seconds(600), late: late))
    }

    @Test("However young it is, it is told in a summary with those that are late anyway; the next fresh one is not")
    func summary() throws {
        var announcer = announcer(.summarise)
        let expired = try Entries.entry(1)
        let old = try Entries.entry(2, age: .seconds(601))
        let fresh = try Entries.entry(3)
        #expect(announcer.handle(.somethingMayWait) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched(.of([expired]), moment(expired))) == [.fetch(limit: 10_000)])
        #expect(announcer.handle(.fetched(.of([expired, old, fresh]), moment(expired))) == [.prepare])
        #expect(announcer.handle(.prepared) == [.note([expired, old])])
    }

    @Test("Where late payments are silent, nothing is said of it")
    func silent() throws {
        var announcer = announcer(.silent)
        let expired = try Entries.entry(1)
        _ = announcer.handle(.somethingMayWait)
        _ = announcer.handle(.fetched(.of([expired]), moment(expired)))
        #expect(announcer.handle(.fetched(.of([expired]), moment(expired))) == [.expire([expired])])
    }

    @Test("Where each is spoken however old, it is spoken")
    func spoken() throws {
        var announcer = announcer(.speak)
        let expired = try Entries.entry(1)
        _ = announcer.handle(.somethingMayWait)
        #expect(announcer.handle(.fetched(.of([expired]), moment(expired))) == [.prepare])
        #expect(announcer.handle(.prepared) == [.note([expired])])
    }

    @Test("A refund is told by itself whatever its message says")
    func refund() throws {
        var announcer = announcer(.summarise)
        let refund = try Entries.entry(1, kind: .refund)
        _ = announcer.handle(.somethingMayWait)
        #expect(announcer.handle(.fetched(.of([refund]), moment(refund))) == [.prepare])
        #expect(announcer.handle(.prepared) == [.note([refund])])
    }
}
