import SoundboxCore
import Testing

@Suite("The announcer, event by event")
struct AnnouncerTests {
    private var announcer = Announcer(freshness: FreshnessPolicy(expireAfter: .seconds(600)))
    private let noon = Entries.moment

    /// Brings the announcer to where it plays `entry`.
    private mutating func startPlaying(_ entry: InboxEntry) {
        #expect(announcer.handle(.noticesMayWait) == [.fetch(limit: 1)])
        begin(entry)
    }

    /// From the answer to a fetch on.
    private mutating func begin(_ entry: InboxEntry) {
        #expect(announcer.handle(.fetched([entry], noon)) == [.prepare])
        #expect(announcer.handle(.prepared) == [.note([entry])])
        #expect(announcer.handle(.noted) == [.play(.init(.notice(entry)))])
    }

    private func play(_ prompt: Prompt) -> Announcer.Action {
        .play(
            .init(
                .prompt(prompt),
                Delivery(hasChime: false, gap: .milliseconds(200), loudness: Volume(30)...Volume(100))))
    }

    private func replay(_ entry: InboxEntry?) -> Announcer.Action {
        .play(.init(.replay(entry), Delivery(hasChime: false)))
    }

    @Test("Notices are spoken one after the other: fetched, noted, played, recorded, and only then the next")
    mutating func serialOrder() throws {
        let first = try Entries.entry(1)
        let second = try Entries.entry(2)
        startPlaying(first)
        #expect(announcer.handle(.noticesMayWait) == [])
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(first), .aloud)])
        #expect(announcer.handle(.noticesMayWait) == [])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
        begin(second)
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(second), .aloud)])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched([], noon)) == [])
    }

    @Test("An idle box looks after its card, and what comes meanwhile is spoken right after")
    mutating func look() throws {
        #expect(announcer.handle(.lookDue) == [.look])
        #expect(announcer.handle(.lookDue) == [])
        #expect(announcer.handle(.noticesMayWait) == [])
        #expect(announcer.handle(.promptRequested(.greeting)) == [])
        #expect(announcer.handle(.looked).first != nil)
        var resting = Announcer(freshness: FreshnessPolicy(expireAfter: .seconds(600)))
        #expect(resting.handle(.lookDue) == [.look])
        #expect(resting.handle(.looked) == [])
        #expect(resting.handle(.lookDue) == [.look])
        #expect(resting.handle(.stopRequested) == [])
        #expect(resting.handle(.looked) == [.finish])
    }

    @Test("One that has something to do does not: that tells of the card by itself")
    mutating func noLook() throws {
        let entry = try Entries.entry(1)
        #expect(announcer.handle(.noticesMayWait) == [.fetch(limit: 1)])
        #expect(announcer.handle(.lookDue) == [])
        #expect(announcer.handle(.fetched([entry], noon)) == [.prepare])
        #expect(announcer.handle(.lookDue) == [])
        #expect(announcer.handle(.playFailed) == [.wait(.milliseconds(500))])
        #expect(announcer.handle(.lookDue) == [])
        #expect(announcer.handle(.waited) == [.fetch(limit: 1)])
        begin(entry)
        #expect(announcer.handle(.lookDue) == [])
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(entry), .aloud)])
        #expect(announcer.handle(.lookDue) == [])
    }

    @Test("A notice that arrives while the inbox is being read is not missed")
    mutating func arrivalDuringFetch() {
        #expect(announcer.handle(.noticesMayWait) == [.fetch(limit: 1)])
        #expect(announcer.handle(.noticesMayWait) == [])
        #expect(announcer.handle(.fetched([], noon)) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched([], noon)) == [])
    }

    @Test("A failed device keeps the announcement, waits ever longer up to five seconds, and plays from the start")
    mutating func deviceFailure() throws {
        let entry = try Entries.entry(1)
        startPlaying(entry)
        for milliseconds in [500, 1000, 2000, 4000, 5000, 5000] {
            #expect(announcer.handle(.playFailed) == [.wait(.milliseconds(milliseconds))])
            #expect(announcer.handle(.noticesMayWait) == [])
            #expect(announcer.handle(.requested(.last)) == [])
            #expect(announcer.handle(.waited) == [.fetch(limit: 1)])
            begin(entry)
        }
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(entry), .aloud)])
        #expect(announcer.handle(.recorded) == [.recall(.last)])
    }

    @Test("While the card cannot be opened, nothing is noted, so that a payment can still be cancelled")
    mutating func absentDevice() throws {
        let entry = try Entries.entry(1)
        #expect(announcer.handle(.noticesMayWait) == [.fetch(limit: 1)])
        for milliseconds in [500, 1000] {
            #expect(announcer.handle(.fetched([entry], noon)) == [.prepare])
            #expect(announcer.handle(.playFailed) == [.wait(.milliseconds(milliseconds))])
            #expect(announcer.handle(.waited) == [.fetch(limit: 1)])
        }
        #expect(announcer.handle(.fetched([], noon)) == [])
    }

    @Test("A payment that has become old while the card was away is told in a summary; the rest is fetched with it")
    mutating func staleAfterWait() throws {
        let entry = try Entries.entry(1)
        startPlaying(entry)
        #expect(announcer.handle(.playFailed) == [.wait(.milliseconds(500))])
        #expect(announcer.handle(.waited) == [.fetch(limit: 1)])
        let tomorrow = Entries.moment(after: .seconds(86_400))
        #expect(announcer.handle(.fetched([entry], tomorrow)) == [.fetch(limit: 10_000)])
        #expect(announcer.handle(.fetched([entry], tomorrow)) == [.prepare])
        #expect(announcer.handle(.prepared) == [.note([entry])])
        #expect(announcer.handle(.noted) == [.play(.init(.summary([entry])))])
    }

    private mutating func beginSummary(of stale: [InboxEntry]) {
        #expect(announcer.handle(.noticesMayWait) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched([stale[0]], noon)) == [.fetch(limit: 10_000)])
        #expect(announcer.handle(.fetched(stale, noon)) == [.prepare])
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
        #expect(announcer.handle(.fetched([entry], noon)) == [.prepare])
        #expect(announcer.handle(.prepared) == [.note([entry])])
        #expect(announcer.handle(.withdrawn(rest: [])) == [.fetch(limit: 1)])
    }

    @Test("Noting the start in the inbox may fail; the notice is still spoken and recorded once")
    mutating func noteFails() throws {
        let entry = try Entries.entry(1)
        #expect(announcer.handle(.noticesMayWait) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched([entry], noon)) == [.prepare])
        #expect(announcer.handle(.prepared) == [.note([entry])])
        #expect(announcer.handle(.inboxFailed) == [.play(.init(.notice(entry)))])
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(entry), .aloud)])
    }

    @Test("A replay comes between announcements, before the next notice, and is not recorded")
    mutating func replay() throws {
        let entry = try Entries.entry(1)
        startPlaying(entry)
        for _ in 0..<5 { #expect(announcer.handle(.requested(.last)) == []) }
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(entry), .aloud)])
        #expect(announcer.handle(.recorded) == [.recall(.last)])
        #expect(announcer.handle(.recalled(.announced(entry), noon)) == [replay(entry)])
        #expect(announcer.handle(.played(.aloud)) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched([], noon)) == [])
    }

    @Test("A replay with nothing announced says so, and one that the device refuses is dropped")
    mutating func replayOfNothing() {
        #expect(announcer.handle(.requested(.last)) == [.recall(.last)])
        #expect(announcer.handle(.recalled(.announced(nil), noon)) == [replay(nil)])
        #expect(announcer.handle(.noticesMayWait) == [])
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
        let money = [try Money("1", .CNY)]
        #expect(announcer.handle(.requested(.today)) == [.recall(.today)])
        #expect(announcer.handle(.recalled(.payments(money), noon)) == [.play(.init(.today(money)))])
        #expect(announcer.handle(.played(.aloud)) == [])
        #expect(announcer.handle(.requested(.network)) == [.recall(.network)])
        #expect(
            announcer.handle(.recalled(.network(isOnline: true, address: [10]), noon))
                == [.play(.init(.network(isOnline: true, address: [10])))])
    }

    @Test("A prompt comes between announcements, only the last one asked for, and is not recorded")
    mutating func prompt() throws {
        let entry = try Entries.entry(1)
        startPlaying(entry)
        #expect(announcer.handle(.promptRequested(.volumeMinimum)) == [])
        #expect(announcer.handle(.promptRequested(.volumeMaximum)) == [])
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(entry), .aloud)])
        #expect(announcer.handle(.recorded) == [play(.volumeMaximum)])
        // One that is asked for again and again lets a payment pass in between.
        #expect(announcer.handle(.promptRequested(.volumeMaximum)) == [])
        #expect(announcer.handle(.played(.aloud)) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched([], noon)) == [play(.volumeMaximum)])
        #expect(announcer.handle(.playFailed) == [])
    }

    @Test("Prompts of different concerns wait side by side: the fault is told first, and payments pass in between")
    mutating func promptsOfDifferentConcerns() throws {
        let entry = try Entries.entry(1)
        startPlaying(entry)
        #expect(announcer.handle(.promptRequested(.storageFault)) == [])
        #expect(announcer.handle(.promptRequested(.volumeMaximum)) == [])
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(entry), .aloud)])
        #expect(announcer.handle(.recorded) == [play(.storageFault)])
        #expect(announcer.handle(.played(.aloud)) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched([], noon)) == [play(.volumeMaximum)])
        #expect(announcer.handle(.played(.aloud)) == [])
    }

    @Test("What is said of the network waits until no payment does, and is no louder than one")
    mutating func networkPromptWaits() throws {
        let entries = try (1...2).map { try Entries.entry($0) }
        startPlaying(entries[0])
        #expect(announcer.handle(.promptRequested(.networkLost)) == [])
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(entries[0]), .aloud)])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
        begin(entries[1])
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(entries[1]), .aloud)])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
        let delivery = Delivery(hasChime: false, gap: .milliseconds(200))
        #expect(announcer.handle(.fetched([], noon)) == [.play(.init(.prompt(.networkLost), delivery))])
        #expect(announcer.handle(.played(.aloud)) == [])
    }

    @Test("A prompt that is taken back while it waits is not spoken; once it sounds, it is finished")
    mutating func withdrawnPrompt() throws {
        let entry = try Entries.entry(1)
        startPlaying(entry)
        #expect(announcer.handle(.promptRequested(.networkLost)) == [])
        #expect(announcer.handle(.promptWithdrawn(.networkRestored)) == [])
        #expect(announcer.handle(.promptWithdrawn(.networkLost)) == [])
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(entry), .aloud)])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched([], noon)) == [])
        #expect(announcer.handle(.promptRequested(.networkLost)).count == 1)
        #expect(announcer.handle(.promptWithdrawn(.networkLost)) == [])
        #expect(announcer.handle(.played(.aloud)) == [])
    }

    @Test("How a payment sounded is recorded, also when the disk needs a second attempt")
    mutating func manner() throws {
        let entry = try Entries.entry(1)
        startPlaying(entry)
        #expect(announcer.handle(.played(.muted)) == [.record(.notice(entry), .muted)])
        #expect(announcer.handle(.inboxFailed) == [.wait(.seconds(1))])
        #expect(announcer.handle(.waited) == [.record(.notice(entry), .muted)])
    }

    @Test("Stopping finishes and records the current announcement and begins no other")
    mutating func stopWhilePlaying() throws {
        let entry = try Entries.entry(1)
        startPlaying(entry)
        #expect(announcer.handle(.requested(.last)) == [])
        #expect(announcer.handle(.stopRequested) == [])
        #expect(announcer.handle(.noticesMayWait) == [])
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(entry), .aloud)])
        #expect(announcer.handle(.recorded) == [.finish])
        for event in [
            Announcer.Event.noticesMayWait, .requested(.last), .stopRequested, .waited, .played(.aloud), .recorded,
        ] {
            #expect(announcer.handle(event) == [])
        }
    }

    @Test("Stopping ends at once where nothing sounds")
    func stopElsewhere() throws {
        let entry = try Entries.entry(1)
        let fetched: [Announcer.Event] = [.noticesMayWait, .fetched([entry], noon)]
        let roads: [(events: [Announcer.Event], answer: Announcer.Event?)] = [
            ([], nil), ([.noticesMayWait], .fetched([entry], noon)), ([.noticesMayWait], .inboxFailed),
            ([.requested(.last)], .recalled(.announced(entry), noon)), ([.requested(.last)], .inboxFailed),
            ([.noticesMayWait, .inboxFailed], nil), (fetched, .prepared), (fetched, .playFailed),
            (fetched + [.playFailed], nil), (fetched + [.prepared], .noted), (fetched + [.prepared], .inboxFailed),
            (fetched + [.prepared], .withdrawn(rest: [])), (fetched + [.prepared, .noted], .playFailed),
            (fetched + [.prepared, .noted, .playFailed], nil),
            (fetched + [.prepared, .noted, .played(.aloud)], .inboxFailed),
        ]
        for (events, answer) in roads {
            var announcer = Announcer(freshness: FreshnessPolicy(expireAfter: .seconds(600)))
            for event in events { _ = announcer.handle(event) }
            var actions = announcer.handle(.stopRequested)
            if let answer { actions += announcer.handle(answer) }
            #expect(actions == [.finish], "\(events)")
        }
    }

    @Test("A disk that fails is tried again every second, and what was heard is only recorded and not fetched")
    mutating func diskFailure() throws {
        let entry = try Entries.entry(1)
        #expect(announcer.handle(.noticesMayWait) == [.fetch(limit: 1)])
        #expect(announcer.handle(.inboxFailed) == [.wait(.seconds(1))])
        #expect(announcer.handle(.noticesMayWait) == [])
        #expect(announcer.handle(.waited) == [.fetch(limit: 1)])
        begin(entry)
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(entry), .aloud)])
        for _ in 1...3 {
            #expect(announcer.handle(.inboxFailed) == [.wait(.seconds(1))])
            #expect(announcer.handle(.noticesMayWait) == [])
            #expect(announcer.handle(.waited) == [.record(.notice(entry), .aloud)])
        }
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
    }

    @Test("Late payments that the disk would not pass over are fetched anew, since one may be cancelled by then")
    func expiryFails() throws {
        let policy = FreshnessPolicy(expireAfter: .seconds(600), late: .silent)
        var announcer = Announcer(freshness: policy)
        let stale = try (1...2).map { try Entries.entry($0, age: .seconds(601)) }
        #expect(announcer.handle(.noticesMayWait) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched([stale[0]], noon)) == [.fetch(limit: 10_000)])
        #expect(announcer.handle(.fetched(stale, noon)) == [.expire(stale)])
        #expect(announcer.handle(.inboxFailed) == [.wait(.seconds(1))])
        #expect(announcer.handle(.waited) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched([stale[1]], noon)) == [.fetch(limit: 10_000)])
        #expect(announcer.handle(.fetched([stale[1]], noon)) == [.expire([stale[1]])])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
    }

    @Test("A request that the disk refuses is dropped: a history that cannot be read holds no payment back")
    mutating func unreadableHistory() throws {
        #expect(announcer.handle(.requested(.today)) == [.recall(.today)])
        #expect(announcer.handle(.noticesMayWait) == [])
        #expect(announcer.handle(.inboxFailed) == [.fetch(limit: 1)])
        begin(try Entries.entry(1))
    }

    @Test("While the disk fails, prompts are spoken: what the box says of the fault does not wait for its end")
    mutating func promptDuringDiskFailure() throws {
        let entry = try Entries.entry(1)
        startPlaying(entry)
        #expect(announcer.handle(.promptRequested(.storageFault)) == [])
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(entry), .aloud)])
        #expect(announcer.handle(.inboxFailed) == [.wait(.seconds(1)), play(.storageFault)])
        // The next attempt comes when both the time has passed and the prompt has ended.
        #expect(announcer.handle(.waited) == [])
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(entry), .aloud)])
        #expect(announcer.handle(.inboxFailed) == [.wait(.seconds(1))])
        #expect(announcer.handle(.promptRequested(.volumeUp)) == [play(.volumeUp)])
        #expect(announcer.handle(.playFailed) == [])
        #expect(announcer.handle(.waited) == [.record(.notice(entry), .aloud)])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
    }

    @Test("A box that is stopped while it tells of a fault finishes the prompt and ends")
    mutating func stopDuringPrompt() throws {
        #expect(announcer.handle(.noticesMayWait) == [.fetch(limit: 1)])
        #expect(announcer.handle(.inboxFailed) == [.wait(.seconds(1))])
        #expect(announcer.handle(.promptRequested(.storageFault)) == [play(.storageFault)])
        #expect(announcer.handle(.stopRequested) == [])
        #expect(announcer.handle(.played(.aloud)) == [.finish])
    }

    @Test("Stale payments at the front are told in one summary; the first fresh one ends it")
    mutating func summary() throws {
        let stale = try (1...3).map { try Entries.entry($0, age: .seconds(601)) }
        let fresh = try Entries.entry(4)
        let staleBehind = try Entries.entry(5, age: .seconds(9999))
        #expect(announcer.handle(.noticesMayWait) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched([stale[0]], noon)) == [.fetch(limit: 10_000)])
        #expect(announcer.handle(.fetched(stale + [fresh, staleBehind], noon)) == [.prepare])
        #expect(announcer.handle(.prepared) == [.note(stale)])
        #expect(announcer.handle(.noted) == [.play(.init(.summary(stale)))])
        #expect(announcer.handle(.played(.aloud)) == [.record(.summary(stale), .aloud)])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
        begin(fresh)
    }

    @Test("A late refund is told by itself and ends a summary")
    mutating func staleRefund() throws {
        let payment = try Entries.entry(1, age: .seconds(700))
        let refund = try Entries.entry(2, age: .seconds(700), kind: .refund)
        #expect(announcer.handle(.noticesMayWait) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched([payment], noon)) == [.fetch(limit: 10_000)])
        #expect(announcer.handle(.fetched([payment, refund], noon)) == [.prepare])
        #expect(announcer.handle(.prepared) == [.note([payment])])
        #expect(announcer.handle(.noted) == [.play(.init(.summary([payment])))])
        #expect(announcer.handle(.played(.aloud)) == [.record(.summary([payment]), .aloud)])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
        begin(refund)
    }

    @Test("A button that is pressed again during every replay does not hold payments back")
    mutating func replayMashing() throws {
        let last = try Entries.entry(1)
        let waiting = try Entries.entry(2)
        #expect(announcer.handle(.requested(.last)) == [.recall(.last)])
        #expect(announcer.handle(.noticesMayWait) == [])
        #expect(announcer.handle(.recalled(.announced(last), noon)) == [replay(last)])
        #expect(announcer.handle(.requested(.last)) == [])
        #expect(announcer.handle(.played(.aloud)) == [.fetch(limit: 1)])
        begin(waiting)
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(waiting), .aloud)])
        #expect(announcer.handle(.recorded) == [.recall(.last)])
    }
}
