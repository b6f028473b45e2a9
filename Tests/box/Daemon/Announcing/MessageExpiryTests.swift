import SoundboxCore
import Testing

@testable import SoundboxBox

@Suite("A payment whose message has expired is late")
struct MessageExpiryTests {
    private func moment(_ expired: InboxEntry...) -> Announcer.Moment {
        var messages: [PaymentID: MessageAge] = [:]
        for entry in expired {
            messages[entry.notice.id] = MessageAge(age: .seconds(5), isLive: true, expiry: .seconds(5))
        }
        return Announcer.Moment(clock: Entries.moment.clock, messages: messages)
    }

    /// What comes first where just these wait, whose messages have expired.
    private func first(_ late: LatePayments, _ entries: [InboxEntry], expired: InboxEntry) -> Announcer.Step {
        var announcer = Announcer(freshness: FreshnessPolicy(expireAfter: .seconds(600), late: late))
        var asked = Announcer.Asked()
        return announcer.next(.init(queue: .of(entries), limit: 10_000, moment: moment(expired)), &asked, at: .zero)
    }

    @Test("However young it is, it is told in a summary with those that are late anyway; the next fresh one is not")
    func summary() throws {
        let (expired, old) = (try Entries.entry(1), try Entries.entry(2, age: .seconds(601)))
        let step = first(.summarise, [expired, old, try Entries.entry(3)], expired: expired)
        #expect(step == .announce(.init(.summary([expired, old]))))
    }

    @Test("Where late payments are silent, it is told in a summary nevertheless, since it came live")
    func silent() throws {
        let expired = try Entries.entry(1)
        #expect(first(.silent, [expired], expired: expired) == .announce(.init(.summary([expired]))))
    }

    @Test("Where each is spoken however old, it is spoken")
    func spoken() throws {
        let expired = try Entries.entry(1)
        #expect(first(.speak, [expired], expired: expired) == .announce(.init(.notice(expired))))
    }

    @Test("A refund is told by itself whatever its message says")
    func refund() throws {
        let refund = try Entries.entry(1, kind: .refund)
        #expect(first(.summarise, [refund], expired: refund) == .announce(.init(.notice(refund))))
    }
}
