import SoundboxBox
import SoundboxCore
import Testing

@Suite("The announcer, event by event")
struct AnnouncerTests {
    private var announcer = Announcer.plain
    private let noon = Entries.moment

    private func replay(_ entry: InboxEntry?) -> Announcer.Action {
        .play(.init(.replay(entry), Delivery(hasChime: false)))
    }

    @Test("Notices are spoken one after the other: fetched, noted, played, recorded, and only then the next")
    mutating func serialOrder() throws {
        let first = try Entries.entry(1)
        let second = try Entries.entry(2)
        announcer.startPlaying(first)
        #expect(announcer.handle(.somethingMayWait) == [])
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(first), .aloud)])
        #expect(announcer.handle(.somethingMayWait) == [])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
        announcer.begin(second)
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(second), .aloud)])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched(.of([]), noon)) == [])
    }

    @Test("A notice that arrives while the inbox is being read is not missed")
    mutating func arrivalDuringFetch() {
        #expect(announcer.handle(.somethingMayWait) == [.fetch(limit: 1)])
        #expect(announcer.handle(.somethingMayWait) == [])
        #expect(announcer.handle(.fetched(.of([]), noon)) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched(.of([]), noon)) == [])
    }

    private mutating func beginSummary(of stale: [InboxEntry]) {
        #expect(announcer.handle(.somethingMayWait) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched(.of([stale[0]]), noon)) == [.fetch(limit: 10_000)])
        #expect(announcer.handle(.fetched(.of(stale), noon)) == [.prepare])
        #expect(announcer.handle(.prepared) == [.note(stale)])
    }

    @Test("A summary of which one is cancelled between the fetch and the note is told without it, and held up by none")
    mutating func withdrawn() throws {
        let stale = try (1...3).map { try Entries.entry($0, age: .seconds(601)) }
        beginSummary(of: stale)
        let rest = [stale[0], stale[2]]
        #expect(announcer.handle(.withdrawn(rest: rest)) == [.play(.init(.summary(rest)))])
        #expect(announcer.handle(.played(.aloud)) == [.record(.summary(rest), .aloud)])
    }

    @Test("Where all of them are cancelled, nothing is told and the inbox is read again")
    mutating func allWithdrawn() throws {
        beginSummary(of: try (1...3).map { try Entries.entry($0, age: .seconds(601)) })
        #expect(announcer.handle(.withdrawn(rest: [])) == [.fetch(limit: 1)])
        let entry = try Entries.entry(4)
        #expect(announcer.handle(.fetched(.of([entry]), noon)) == [.prepare])
        #expect(announcer.handle(.prepared) == [.note([entry])])
        #expect(announcer.handle(.withdrawn(rest: [])) == [.fetch(limit: 1)])
    }

    @Test("A replay comes between announcements, before the next notice, and is not recorded")
    mutating func replay() throws {
        let entry = try Entries.entry(1)
        announcer.startPlaying(entry)
        for _ in 0..<5 { #expect(announcer.handle(.requested(.last)) == []) }
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(entry), .aloud)])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
        let next = try Entries.entry(2)
        #expect(announcer.handle(.fetched(.of([next]), noon)) == [.recall(.last)])
        #expect(announcer.handle(.recalled(.announced(entry), noon)) == [replay(entry)])
        #expect(announcer.handle(.played(.aloud)) == [.fetch(limit: 1)])
        announcer.begin(next)
    }

    @Test("A replay with nothing announced says so, and one that the device refuses is dropped")
    mutating func replayOfNothing() {
        #expect(announcer.handle(.requested(.last)) == [.recall(.last)])
        #expect(announcer.handle(.recalled(.announced(nil), noon)) == [replay(nil)])
        #expect(announcer.handle(.somethingMayWait) == [])
        #expect(announcer.handle(.playFailed) == [.fetch(limit: 1)])
    }

    @Test("The payment before the last is the last one while there is only one")
    mutating func onlyOne() throws {
        let entry = try Entries.entry(1)
        #expect(announcer.handle(.requested(.beforeLast)) == [.recall(.beforeLast)])
        #expect(announcer.handle(.recalled(.announced(nil), noon)) == [.recall(.last)])
        #expect(announcer.handle(.recalled(.announced(entry), noon)) == [replay(entry)])
    }

    @Test("The payments of the day and the state of the network are told as they were found")
    mutating func otherRequests() throws {
        let takings = DayTotals.known(DayTakings(payments: 1, totals: [try Money("1", .CNY)]))
        #expect(announcer.handle(.requested(.today)) == [.recall(.today)])
        #expect(announcer.handle(.recalled(.takings(takings), noon)) == [.play(.init(.today(takings)))])
        #expect(announcer.handle(.played(.aloud)) == [])
        #expect(announcer.handle(.requested(.network)) == [.recall(.network)])
        #expect(
            announcer.handle(.recalled(.network(isOnline: true, address: [10]), noon))
                == [.play(.init(.network(isOnline: true, address: [10])))])
    }

    @Test("How a payment sounded is recorded, also when the disk needs a second attempt")
    mutating func manner() throws {
        let entry = try Entries.entry(1)
        announcer.startPlaying(entry)
        #expect(announcer.handle(.played(.muted)) == [.record(.notice(entry), .muted)])
        #expect(announcer.handle(.inboxFailed) == [.wait(.seconds(1))])
        #expect(announcer.handle(.waited) == [.record(.notice(entry), .muted)])
    }

    @Test("Stopping finishes and records the current announcement and begins no other")
    mutating func stopWhilePlaying() throws {
        let entry = try Entries.entry(1)
        announcer.startPlaying(entry)
        #expect(announcer.handle(.requested(.last)) == [])
        #expect(announcer.handle(.stopRequested) == [])
        #expect(announcer.handle(.somethingMayWait) == [])
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(entry), .aloud)])
        #expect(announcer.handle(.recorded) == [.finish])
        for event in [
            Announcer.Event.somethingMayWait, .requested(.last), .stopRequested, .waited, .played(.aloud), .recorded,
        ] {
            #expect(announcer.handle(event) == [])
        }
    }

    @Test("Stopping ends at once where nothing sounds")
    func stopElsewhere() throws {
        let entry = try Entries.entry(1)
        let fetched: [Announcer.Event] = [.somethingMayWait, .fetched(.of([entry]), noon)]
        let roads: [(events: [Announcer.Event], answer: Announcer.Event?)] = [
            ([], nil), ([.somethingMayWait], .fetched(.of([entry]), noon)), ([.somethingMayWait], .inboxFailed),
            ([.requested(.last)], .recalled(.announced(entry), noon)), ([.requested(.last)], .inboxFailed),
            ([.somethingMayWait, .inboxFailed], nil), (fetched, .prepared), (fetched, .playFailed),
            (fetched + [.playFailed], nil), (fetched + [.prepared], .noted), (fetched + [.prepared], .inboxFailed),
            (fetched + [.prepared], .withdrawn(rest: [])), (fetched + [.prepared, .noted], .playFailed),
            (fetched + [.prepared, .noted, .playFailed], nil),
            (fetched + [.prepared, .noted, .played(.aloud)], .inboxFailed),
        ]
        for (events, answer) in roads {
            var announcer = Announcer.plain
            for event in events { _ = announcer.handle(event) }
            var actions = announcer.handle(.stopRequested)
            if let answer { actions += announcer.handle(answer) }
            #expect(actions == [.finish], "\(events)")
        }
    }

    @Test("Stale payments at the front are told in one summary; the first fresh one ends it")
    mutating func summary() throws {
        let stale = try (1...3).map { try Entries.entry($0, age: .seconds(601)) }
        let fresh = try Entries.entry(4)
        let staleBehind = try Entries.entry(5, age: .seconds(9999))
        #expect(announcer.handle(.somethingMayWait) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched(.of([stale[0]]), noon)) == [.fetch(limit: 10_000)])
        #expect(announcer.handle(.fetched(.of(stale + [fresh, staleBehind]), noon)) == [.prepare])
        #expect(announcer.handle(.prepared) == [.note(stale)])
        #expect(announcer.handle(.noted) == [.play(.init(.summary(stale)))])
        #expect(announcer.handle(.played(.aloud)) == [.record(.summary(stale), .aloud)])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
        announcer.begin(fresh)
    }

    @Test("A late refund is told by itself, after the summary of late payments")
    mutating func staleRefund() throws {
        let payment = try Entries.entry(1, age: .seconds(700))
        let refund = try Entries.entry(2, age: .seconds(700), kind: .refund)
        #expect(announcer.handle(.somethingMayWait) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched(.of([payment]), noon)) == [.fetch(limit: 10_000)])
        #expect(announcer.handle(.fetched(.of([payment, refund]), noon)) == [.prepare])
        #expect(announcer.handle(.prepared) == [.note([payment])])
        #expect(announcer.handle(.noted) == [.play(.init(.summary([payment])))])
        #expect(announcer.handle(.played(.aloud)) == [.record(.summary([payment]), .aloud)])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
        announcer.begin(refund)
    }

    @Test("A button that is pressed again during every replay does not hold payments back")
    mutating func replayMashing() throws {
        let last = try Entries.entry(1)
        let waiting = try Entries.entry(2)
        #expect(announcer.handle(.requested(.last)) == [.recall(.last)])
        #expect(announcer.handle(.somethingMayWait) == [])
        #expect(announcer.handle(.recalled(.announced(last), noon)) == [replay(last)])
        #expect(announcer.handle(.requested(.last)) == [])
        #expect(announcer.handle(.played(.aloud)) == [.fetch(limit: 1)])
        announcer.begin(waiting)
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(waiting), .aloud)])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched(.of([]), noon)) == [.recall(.last)])
    }
}
