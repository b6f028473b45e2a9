import SoundboxCore
import Testing

@Suite("The announcer, event by event")
struct AnnouncerTests {
    private var announcer = Announcer(freshness: FreshnessPolicy(expireAfter: .seconds(600)))
    private let noon = Entries.noon

    /// Brings the announcer to where it plays `entry`.
    private mutating func startPlaying(_ entry: InboxEntry) {
        #expect(announcer.handle(.noticesMayWait) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched([entry], now: noon)) == [.begin(.notice(entry))])
    }

    @Test("Notices are spoken one after the other: fetched, played, recorded, and only then the next")
    mutating func serialOrder() throws {
        let first = try Entries.entry(1)
        let second = try Entries.entry(2)
        startPlaying(first)
        #expect(announcer.handle(.noticesMayWait) == [])
        #expect(announcer.handle(.played) == [.record(.notice(first))])
        #expect(announcer.handle(.noticesMayWait) == [])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched([second], now: noon)) == [.begin(.notice(second))])
        #expect(announcer.handle(.played) == [.record(.notice(second))])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched([], now: noon)) == [])
    }

    @Test("A notice that arrives while the inbox is being read is not missed")
    mutating func arrivalDuringFetch() {
        #expect(announcer.handle(.noticesMayWait) == [.fetch(limit: 1)])
        #expect(announcer.handle(.noticesMayWait) == [])
        #expect(announcer.handle(.fetched([], now: noon)) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched([], now: noon)) == [])
    }

    @Test("A failed device keeps the announcement, waits ever longer up to five seconds, and plays from the start")
    mutating func deviceFailure() throws {
        let entry = try Entries.entry(1)
        startPlaying(entry)
        for milliseconds in [500, 1000, 2000, 4000, 5000, 5000] {
            #expect(announcer.handle(.playFailed) == [.wait(.milliseconds(milliseconds))])
            #expect(announcer.isWaitingForDevice)
            #expect(announcer.handle(.noticesMayWait) == [])
            #expect(announcer.handle(.requested(.last)) == [])
            #expect(announcer.handle(.waited) == [.play(.notice(entry))])
            #expect(announcer.isWaitingForDevice)
        }
        #expect(announcer.handle(.played) == [.record(.notice(entry))])
        #expect(!announcer.isWaitingForDevice)
        #expect(announcer.handle(.recorded) == [.recall(.last)])
    }

    @Test("Noting the start in the inbox may fail; the notice is still spoken and recorded once")
    mutating func noteFails() throws {
        let entry = try Entries.entry(1)
        startPlaying(entry)
        #expect(announcer.handle(.inboxFailed) == [])
        #expect(announcer.handle(.played) == [.record(.notice(entry))])
    }

    @Test("A replay comes between announcements, before the next notice, and is not recorded")
    mutating func replay() throws {
        let entry = try Entries.entry(1)
        startPlaying(entry)
        for _ in 0..<5 { #expect(announcer.handle(.requested(.last)) == []) }
        #expect(announcer.handle(.played) == [.record(.notice(entry))])
        #expect(announcer.handle(.recorded) == [.recall(.last)])
        #expect(announcer.handle(.recalled(.replay(entry))) == [.play(.replay(entry))])
        #expect(announcer.handle(.played) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched([], now: noon)) == [])
    }

    @Test("A replay with nothing announced says so, and one that the device refuses is dropped")
    mutating func replayOfNothing() {
        #expect(announcer.handle(.requested(.last)) == [.recall(.last)])
        #expect(announcer.handle(.recalled(.replay(nil))) == [.play(.replay(nil))])
        #expect(announcer.handle(.noticesMayWait) == [])
        #expect(announcer.handle(.playFailed) == [.fetch(limit: 1)])
    }

    @Test("A prompt comes between announcements, only the last one asked for, and is not recorded")
    mutating func prompt() throws {
        let entry = try Entries.entry(1)
        startPlaying(entry)
        #expect(announcer.handle(.promptRequested(.volumeMinimum)) == [])
        #expect(announcer.handle(.promptRequested(.volumeMaximum)) == [])
        #expect(announcer.handle(.played) == [.record(.notice(entry))])
        #expect(announcer.handle(.recorded) == [.play(.prompt(.volumeMaximum))])
        // One that is asked for again and again lets a payment pass in between.
        #expect(announcer.handle(.promptRequested(.volumeMaximum)) == [])
        #expect(announcer.handle(.played) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched([], now: noon)) == [.play(.prompt(.volumeMaximum))])
        #expect(announcer.handle(.playFailed) == [])
    }

    @Test(
        "The announcer is in a hurry while more notices wait than it was told",
        arguments: [(nil, 9, false), (1, 1, false), (1, 2, true), (5, 5, false), (5, 6, true), (5, 0, false)]
            as [(Int?, Int, Bool)])
    func hurry(limit: Int?, waiting: Int, isInAHurry: Bool) throws {
        var announcer = Announcer(freshness: FreshnessPolicy(expireAfter: .seconds(600)), hurryAbove: limit)
        let entries = try (0..<waiting).map { try Entries.entry(Int64($0) + 1) }
        let fetchLimit = (limit ?? 0) + 1
        #expect(announcer.handle(.noticesMayWait) == [.fetch(limit: fetchLimit)])
        let actions = announcer.handle(.fetched(Array(entries.prefix(fetchLimit)), now: noon))
        #expect(actions == entries.prefix(1).map { Announcer.Action.begin(.notice($0)) })
        #expect(announcer.isInAHurry == isInAHurry)
    }

    @Test("Stopping finishes and records the current announcement and begins no other")
    mutating func stopWhilePlaying() throws {
        let entry = try Entries.entry(1)
        startPlaying(entry)
        #expect(announcer.handle(.requested(.last)) == [])
        #expect(announcer.handle(.stopRequested) == [])
        #expect(announcer.handle(.noticesMayWait) == [])
        #expect(announcer.handle(.played) == [.record(.notice(entry))])
        #expect(announcer.handle(.recorded) == [.finish])
        for event in [Announcer.Event.noticesMayWait, .requested(.last), .stopRequested, .waited, .played, .recorded] {
            #expect(announcer.handle(event) == [])
        }
    }

    @Test("Stopping ends at once where nothing sounds")
    func stopElsewhere() throws {
        let entry = try Entries.entry(1)
        let roads: [(events: [Announcer.Event], answer: Announcer.Event?)] = [
            ([], nil), ([.noticesMayWait], .fetched([entry], now: noon)), ([.noticesMayWait], .inboxFailed),
            ([.requested(.last)], .recalled(.replay(entry))), ([.requested(.last)], .inboxFailed),
            ([.noticesMayWait, .inboxFailed], nil), ([.noticesMayWait, .fetched([entry], now: noon)], .playFailed),
            ([.noticesMayWait, .fetched([entry], now: noon), .playFailed], nil),
            ([.noticesMayWait, .fetched([entry], now: noon), .played], .inboxFailed),
        ]
        for (events, answer) in roads {
            var announcer = Announcer(freshness: FreshnessPolicy(expireAfter: .seconds(600)))
            for event in events { _ = announcer.handle(event) }
            var actions = announcer.handle(.stopRequested)
            if let answer { actions += announcer.handle(answer) }
            #expect(actions == [.finish], "\(events)")
        }
    }

    @Test("A disk that fails is tried again every second for whatever it refused")
    mutating func diskFailure() throws {
        let entry = try Entries.entry(1)
        #expect(announcer.handle(.noticesMayWait) == [.fetch(limit: 1)])
        #expect(announcer.handle(.inboxFailed) == [.wait(.seconds(1))])
        #expect(announcer.handle(.noticesMayWait) == [])
        #expect(announcer.handle(.waited) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched([entry], now: noon)) == [.begin(.notice(entry))])
        #expect(announcer.handle(.played) == [.record(.notice(entry))])
        #expect(announcer.handle(.inboxFailed) == [.wait(.seconds(1))])
        #expect(announcer.handle(.requested(.last)) == [])
        #expect(announcer.handle(.waited) == [.record(.notice(entry))])
        #expect(announcer.handle(.recorded) == [.recall(.last)])
        #expect(announcer.handle(.inboxFailed) == [.wait(.seconds(1))])
        #expect(announcer.handle(.waited) == [.recall(.last)])
    }

    @Test("While the disk fails, prompts are spoken: what the box says of the fault does not wait for its end")
    mutating func promptDuringDiskFailure() throws {
        let entry = try Entries.entry(1)
        startPlaying(entry)
        #expect(announcer.handle(.promptRequested(.storageFault)) == [])
        #expect(announcer.handle(.played) == [.record(.notice(entry))])
        #expect(announcer.handle(.inboxFailed) == [.wait(.seconds(1)), .play(.prompt(.storageFault))])
        // The next attempt comes when both the time has passed and the prompt has ended.
        #expect(announcer.handle(.waited) == [])
        #expect(announcer.handle(.played) == [.record(.notice(entry))])
        #expect(announcer.handle(.inboxFailed) == [.wait(.seconds(1))])
        #expect(announcer.handle(.promptRequested(.volumeUp)) == [.play(.prompt(.volumeUp))])
        #expect(announcer.handle(.playFailed) == [])
        #expect(announcer.handle(.waited) == [.record(.notice(entry))])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
    }

    @Test("A box that is stopped while it tells of a fault finishes the prompt and ends")
    mutating func stopDuringPrompt() throws {
        #expect(announcer.handle(.noticesMayWait) == [.fetch(limit: 1)])
        #expect(announcer.handle(.inboxFailed) == [.wait(.seconds(1))])
        #expect(announcer.handle(.promptRequested(.storageFault)) == [.play(.prompt(.storageFault))])
        #expect(announcer.handle(.stopRequested) == [])
        #expect(announcer.handle(.played) == [.finish])
    }

    @Test("Stale payments at the front are told in one summary; the first fresh one ends it")
    mutating func summary() throws {
        let stale = try (1...3).map { try Entries.entry($0, age: .seconds(601)) }
        let fresh = try Entries.entry(4)
        let staleBehind = try Entries.entry(5, age: .seconds(9999))
        #expect(announcer.handle(.noticesMayWait) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched([stale[0]], now: noon)) == [.fetch(limit: 10_000)])
        #expect(
            announcer.handle(.fetched(stale + [fresh, staleBehind], now: noon)) == [.begin(.summary(stale))])
        #expect(announcer.handle(.played) == [.record(.summary(stale))])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched([fresh], now: noon)) == [.begin(.notice(fresh))])
    }

    @Test("A late refund is told by itself and ends a summary")
    mutating func staleRefund() throws {
        let payment = try Entries.entry(1, age: .seconds(700))
        let refund = try Entries.entry(2, age: .seconds(700), kind: .refund)
        #expect(announcer.handle(.noticesMayWait) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched([payment], now: noon)) == [.fetch(limit: 10_000)])
        #expect(announcer.handle(.fetched([payment, refund], now: noon)) == [.begin(.summary([payment]))])
        #expect(announcer.handle(.played) == [.record(.summary([payment]))])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched([refund], now: noon)) == [.begin(.notice(refund))])
    }

    @Test("A button that is pressed again during every replay does not hold payments back")
    mutating func replayMashing() throws {
        let last = try Entries.entry(1)
        let waiting = try Entries.entry(2)
        #expect(announcer.handle(.requested(.last)) == [.recall(.last)])
        #expect(announcer.handle(.noticesMayWait) == [])
        #expect(announcer.handle(.recalled(.replay(last))) == [.play(.replay(last))])
        #expect(announcer.handle(.requested(.last)) == [])
        #expect(announcer.handle(.played) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched([waiting], now: noon)) == [.begin(.notice(waiting))])
        #expect(announcer.handle(.played) == [.record(.notice(waiting))])
        #expect(announcer.handle(.recorded) == [.recall(.last)])
    }
}

@Suite("Freshness")
struct FreshnessPolicyTests {
    let policy = FreshnessPolicy(expireAfter: .seconds(600))

    @Test(
        "A notice is news up to and including the limit, and in the future",
        arguments: [(0, true), (599_999, true), (600_000, true), (600_001, false), (-86_400_000, true)])
    func limit(age: Int64, isFresh: Bool) throws {
        #expect(policy.isFresh(try Entries.entry(1, age: .milliseconds(age)), at: Entries.noon) == isFresh)
    }

    @Test("Arrival counts where the provider does not say when the customer paid, and only there")
    func arrival() throws {
        var entry = try Entries.entry(1, age: .seconds(700))
        entry.receivedAt = Entries.noon
        #expect(!policy.isFresh(entry, at: Entries.noon))
        entry.notice.paidAt = nil
        #expect(policy.isFresh(entry, at: Entries.noon))
        entry.receivedAt = try Entries.entry(1, age: .seconds(700)).receivedAt
        #expect(!policy.isFresh(entry, at: Entries.noon))
    }
}
