import SoundboxCore
import Testing

@testable import SoundboxBox

@Suite("What is still news")
struct FreshnessTests {
    private static let noon = Entries.noon
    private static func ago(_ seconds: Int64) -> Timestamp {
        Timestamp(millisecondsSince1970: noon.millisecondsSince1970 - seconds * 1000)
    }

    struct Case: Sendable, CustomStringConvertible {
        var description: String
        var paidAt: Timestamp?
        var receivedAt = FreshnessTests.noon
        var clock = ClockTrust.confirmed
        var trust = ClockTrust.confirmed
        var late = LatePayments.summarise
        /// How long ago it came live; `nil` when it waited at the broker, or in the inbox over a restart.
        var live: Duration?
        /// How much of that others sounded.
        var behind = Duration.zero
        var isFresh: Bool
    }

    static let cases = [
        Case(description: "paid now", paidAt: noon, isFresh: true),
        Case(description: "paid at the limit", paidAt: ago(600), isFresh: true),
        Case(description: "paid a second past the limit", paidAt: ago(601), isFresh: false),
        Case(description: "paid long ago, arrived now", paidAt: ago(86_400), isFresh: false),
        Case(
            description: "paid now, arrived long ago by a wrong clock", paidAt: noon, receivedAt: ago(86_400),
            isFresh: true),
        Case(description: "arrived now, says nothing of when", isFresh: true),
        Case(description: "arrived long ago, says nothing of when", receivedAt: ago(601), isFresh: false),
        Case(
            description: "arrived before the clock was set", receivedAt: Timestamp(millisecondsSince1970: 0),
            clock: .none, isFresh: true),
        Case(description: "paid in the future: the box is behind", paidAt: ago(-86_400), isFresh: true),
        Case(description: "arrived in the future: the clock was set back", receivedAt: ago(-86_400), isFresh: true),
        Case(description: "no clock yet, whenever it was paid", paidAt: ago(86_400), trust: .none, isFresh: true),
        Case(description: "no clock yet, whenever it arrived", receivedAt: ago(86_400), trust: .none, isFresh: true),
        Case(
            description: "paid long ago, by an unconfirmed clock", paidAt: ago(601), trust: .unconfirmed, isFresh: false
        ),
        Case(
            description: "arrived long ago, by an unconfirmed clock that goes on", receivedAt: ago(601),
            clock: .unconfirmed, trust: .unconfirmed, isFresh: false),
        Case(
            description: "arrived long ago, by an unconfirmed clock that a server has confirmed since",
            receivedAt: ago(601), clock: .unconfirmed, isFresh: false),
        Case(
            description: "arrived by a confirmed clock, which has lost that since", receivedAt: ago(601),
            trust: .unconfirmed, isFresh: true),
        Case(description: "late ones are spoken here", paidAt: ago(86_400), late: .speak, isFresh: true),
        Case(description: "late ones are silent here", paidAt: ago(86_400), late: .silent, isFresh: false),
        Case(
            description: "late ones are silent here, and the clock is unconfirmed", paidAt: ago(86_400),
            trust: .unconfirmed, late: .silent, isFresh: true),
        Case(
            description: "live, paid an hour ago by a clock that nobody has confirmed", paidAt: ago(3_600),
            clock: .unconfirmed, trust: .unconfirmed, live: .zero, isFresh: true),
        Case(
            description: "live, paid an hour ago by a clock that is not believed", paidAt: ago(3_600), clock: .none,
            trust: .none, live: .zero, isFresh: true),
        Case(
            description: "live, published again hours after it was paid", paidAt: ago(7_200), live: .zero,
            isFresh: false),
        Case(description: "live, paid now", paidAt: noon, live: .seconds(5), isFresh: true),
        Case(
            description: "live, and then the sound card was away: as old as it has waited here", paidAt: noon,
            clock: .unconfirmed, trust: .unconfirmed, live: .seconds(601), isFresh: false),
        Case(
            description: "live, says nothing of when, and an unconfirmed clock was set forward", receivedAt: ago(3_600),
            clock: .unconfirmed, trust: .unconfirmed, live: .seconds(5), isFresh: true),
        Case(
            description: "live, says nothing of when, and came before a server set the clock", receivedAt: ago(3_600),
            clock: .none, live: .seconds(5), isFresh: true),
        Case(
            description: "live, late ones are silent here, and the clock is unconfirmed", paidAt: ago(86_400),
            trust: .unconfirmed, late: .silent, live: .seconds(601), isFresh: true),
        Case(
            description: "live, late ones are silent here, and paid_at alone is late", paidAt: ago(3_600),
            late: .silent, live: .seconds(5), isFresh: true),
        Case(
            description: "live, late ones are silent here, and the sound card was away", paidAt: noon,
            late: .silent, live: .seconds(601), isFresh: false),
        Case(
            description: "live, and has waited behind other sentences", paidAt: ago(700), live: .seconds(700),
            behind: .seconds(100), isFresh: true),
        Case(
            description: "live, and has waited behind other sentences and for the sound card", paidAt: ago(701),
            live: .seconds(701), behind: .seconds(100), isFresh: false),
        Case(
            description: "live, and has waited behind other sentences, by a clock that nobody has confirmed",
            paidAt: ago(700), trust: .unconfirmed, live: .seconds(700), behind: .seconds(100), isFresh: true),
    ]

    @Test("A notice is fresh by when it was paid, else by arrival, and in doubt", arguments: cases)
    func freshness(example: Case) throws {
        var entry = try Entries.entry(1)
        entry.notice.paidAt = example.paidAt
        entry.receivedAt = example.receivedAt
        entry.clock = example.clock
        let policy = FreshnessPolicy(expireAfter: .seconds(600), late: example.late)
        let message = example.live.map { MessageAge(age: $0, isLive: true, behindSentences: example.behind) }
        #expect(policy.isFresh(entry, message, at: ClockReading(Self.noon, example.trust)) == example.isFresh)
    }

    @Test("Where late payments are silent they are recorded and not played, and the next fresh one is")
    func silent() async throws {
        let late = try [Entries.entry(1, age: .seconds(900)), Entries.entry(2, age: .seconds(800))]
        let fresh = try Entries.entry(3)
        let script = AnnouncerScript { $0.inboxChanged() }
        script.expect(.read(limit: 1), .queue(.of([late[0]]), Entries.moment))
        script.expect(.read(limit: 10_000), .queue(.of(late + [fresh]), Entries.moment))
        script.expect(.expire(late))
        script.expectAnnouncement(of: fresh)
        script.expectLast(.read(limit: 1))
        await script.run(Announcer(freshness: FreshnessPolicy(expireAfter: .seconds(600), late: .silent)))
    }

    @Test("Where late payments are silent, what came live is told nevertheless, together")
    func silentButLive() async throws {
        let late = try (1...4).map { try Entries.entry(Int64($0), age: .seconds(900)) }
        var moment = Entries.moment
        for entry in late[1...2] {
            moment.messages[entry.notice.id] = MessageAge(age: .seconds(900), isLive: true)
        }
        let script = AnnouncerScript { $0.inboxChanged() }
        let announcer = Announcer(freshness: FreshnessPolicy(expireAfter: .seconds(600), late: .silent))
        for (first, step) in [(0, AnnouncerScript.Call.expire([late[0]])), (1, .open)] {
            script.expect(.read(limit: 1), .queue(.of([late[first]]), moment))
            script.expect(.read(limit: 10_000), .queue(.of(Array(late[first...])), moment))
            script.expect(step)
        }
        script.expect(.begin(Array(late[1...2])))
        script.expect(.play(announcer.announcement(of: .summary(Array(late[1...2])))), .outcome(.played(.aloud)))
        script.expect(.record(.summary(Array(late[1...2])), .aloud))
        script.expectLast(.read(limit: 1))
        await script.run(announcer)
    }

    @Test(
        "What a command gave to say is too old by when it was sent, as far as the clock knows",
        arguments: [
            (ClockReading(noon), true), (ClockReading(noon, .unconfirmed), true), (ClockReading(noon, .none), false),
            (ClockReading(Timestamp(millisecondsSince1970: 0), .none, proven: noon), true),
            (ClockReading(Timestamp(millisecondsSince1970: 0), .none, earliest: noon), false),
        ])
    func says(clock: ClockReading, isTooOld: Bool) throws {
        let entry = try CustomMessageEntry.say(1, age: .seconds(301))
        #expect(entry.isTooOld(after: .seconds(300), at: clock) == isTooOld)
        #expect(!entry.isTooOld(after: .seconds(301), at: clock))
    }

    @Test("While nobody has confirmed the clock, it is too old by how long it has waited here")
    func saysByArrival() throws {
        // Sent now, by a clock that is an hour ahead.
        var entry = try CustomMessageEntry.say(1, age: .seconds(3_600))
        entry.clock = .unconfirmed
        entry.receivedAt = Self.ago(300)
        #expect(!entry.isTooOld(after: .seconds(300), at: ClockReading(Self.noon, .unconfirmed)))
        entry.receivedAt = Self.ago(301)
        #expect(entry.isTooOld(after: .seconds(300), at: ClockReading(Self.noon, .unconfirmed)))
    }
}
