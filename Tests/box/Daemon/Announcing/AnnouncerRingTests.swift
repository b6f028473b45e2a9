import SoundboxCore
import SoundboxSpeech
import Testing

@testable import SoundboxBox

/// A ring of a minute that nobody answers, and payments at a steady rate.
private struct SteadyPayments: VirtualScenario {
    let interval: Int64
    var left = 25

    mutating func act(on box: isolated VirtualBox) throws -> Int64? {
        if left == 25 { try box.ring(timeout: .seconds(60), answeredAfter: 3_600_000) }
        guard left > 0 else { return nil }
        left -= 1
        try box.arrive(.payment)
        return interval
    }
}

@Suite("The announcer, when it rings")
struct AnnouncerRingTests {
    private let noon = Entries.moment
    private let ring: CustomMessageEntry
    private let heard = AnnouncerScript.Answer.outcome(.played(.aloud))

    init() throws { ring = try .ring(1) }

    /// One repeat, which takes two seconds.
    private func expectRing(
        _ script: AnnouncerScript, _ entry: CustomMessageEntry? = nil, _ words: AnnouncementScript = .silence,
        _ outcome: Announcer.Outcome = .played(.aloud), asks: @escaping AnnouncerScript.Asks = { _ in }
    ) {
        let entry = entry ?? ring
        script.expect(.open)
        script.expect(.beginCustomMessage(entry))
        script.expect(play(entry, words), .outcome(outcome), takes: .seconds(2), asks: asks)
    }

    private func play(_ entry: CustomMessageEntry, _ words: AnnouncementScript) -> AnnouncerScript.Call {
        .play(.init(.ring(entry, words), Delivery(hasChime: false, gap: .milliseconds(200))))
    }

    private func expectRead(_ script: AnnouncerScript, _ entries: [InboxEntry] = [], rings: [CustomMessageEntry]) {
        script.expect(.read(limit: 1), .queue(.of(entries, rings: rings), noon))
    }

    private func script(
        words: @escaping @Sendable (CustomMessageEntry) -> AnnouncementScript? = { _ in .silence }
    ) -> AnnouncerScript { AnnouncerScript({ $0.inboxChanged() }, words: words) }

    private let rest = AnnouncerScript.Call.wait(.milliseconds(700))
    private let answer: AnnouncerScript.Asks = { #expect($0.answerRing()?.text == "R1") }

    @Test("A ring repeats, with a rest in between, until somebody answers; then it is silent and shown no more")
    func answered() async throws {
        let script = script()
        expectRead(script, rings: [ring])
        expectRing(script)
        script.expect(rest)
        expectRing(script)
        script.expect(rest)
        expectRing(script, nil, .silence, .stoppedEarly, asks: answer)
        expectRead(script, rings: [ring])
        script.expect(.end(ring, .answered))
        script.expectRest { #expect($0.answerRing() == nil) }
        script.expectLast(.rest)
        #expect(await script.run() == ["R1", nil])
    }

    @Test("One that nobody answers ends behind the repeat in which its time runs out, and that is said once")
    func missed() async throws {
        let ring = try CustomMessageEntry.ring(1, timeout: .seconds(5))
        let script = script()
        expectRead(script, rings: [ring])
        for _ in 1...2 {
            expectRing(script, ring)
            script.expect(rest)
        }
        script.expect(.end(ring, .missed))
        script.expect(.read(limit: 1), .queue(.of([]), noon))
        script.expect(.play(Announcer.plain.announcement(of: .prompt(.ringMissed))), heard)
        script.expectLast(.rest)
        await script.run()
    }

    @Test("A cancel that was first at the disk leaves nothing to be said")
    func cancelledAtItsEnd() async throws {
        let ring = try CustomMessageEntry.ring(1, timeout: .seconds(2))
        let script = script()
        expectRead(script, rings: [ring])
        expectRing(script, ring)
        script.expect(.end(ring, .missed), .rest([]))
        script.expect(.read(limit: 1), .queue(.of([]), noon))
        script.expectLast(.rest)
        await script.run()
    }

    @Test("Between two repeats all payments are spoken that wait")
    func payments() async throws {
        let payments = try (1...3).map { try Entries.entry($0) }
        let script = script()
        // All wait when the ring comes: it goes first.
        expectRead(script, payments, rings: [ring])
        expectRing(script)
        expectRead(script, payments, rings: [ring])
        for (index, payment) in payments.enumerated() {
            expect(script, payment)
            expectRead(script, Array(payments[(index + 1)...]), rings: [ring])
        }
        expectRing(script)
        // Nothing waits any more: it has its rest.
        script.expectLast(rest)
        await script.run()
    }

    private func expect(_ script: AnnouncerScript, _ payment: InboxEntry) {
        script.expect(.open)
        script.expect(.begin([payment]))
        script.expect(.play(.init(.notice(payment))), heard, takes: .seconds(3))
        script.expect(.record(.notice(payment), .aloud))
    }

    @Test("A stream of payments that does not end holds the next repeat up for half a minute at most")
    func stream() async throws {
        let ring = try CustomMessageEntry.ring(1, timeout: .seconds(60))
        let payments = try (1...10).map { try Entries.entry($0) }
        let script = script()
        expectRead(script, payments, rings: [ring])
        expectRing(script, ring)
        expectRead(script, payments, rings: [ring])
        // The ninth begins 24 s behind the repeat.
        for index in 0..<9 {
            expect(script, payments[index])
            expectRead(script, Array(payments[(index + 1)...]), rings: [ring])
        }
        expectRing(script, ring)
        expectRead(script, [payments[9]], rings: [ring])
        expect(script, payments[9])
        expectRead(script, rings: [ring])
        script.expectLast(.open)
        await script.run()
    }

    @Test(
        "While it rings a payment every four or six seconds waits for one repeat, and not longer each time",
        arguments: 1...10 as ClosedRange<UInt64>, [4000, 6000] as [Int64])
    func steady(seed: UInt64, interval: Int64) async throws {
        let box = VirtualBox(seed: seed, SteadyPayments(interval: interval))
        await box.live()
        let ledger = await box.ledger
        #expect(ledger.problems == [])
        #expect(ledger.longestWait[.payment, default: .max] < 20_000, "\(ledger.longestWait)")
    }

    @Test("What comes during the rest is spoken at once, and an answer between two repeats counts")
    func rests() async throws {
        let payment = try Entries.entry(1)
        let script = script()
        expectRead(script, rings: [ring])
        expectRing(script)
        script.expect(rest, .interrupted) { $0.inboxChanged() }
        expectRead(script, [payment], rings: [ring])
        script.expect(.open)
        script.expect(.begin([payment]))
        script.expect(.play(.init(.notice(payment))), heard, asks: answer)
        script.expect(.record(.notice(payment), .aloud))
        expectRead(script, rings: [ring])
        script.expectLast(.end(ring, .answered))
        await script.run()
    }

    @Test("A ring that is gone from the inbox was cancelled: nothing is said of it, and the next one rings")
    func cancelled() async throws {
        let next = try CustomMessageEntry.ring(2)
        let script = script()
        expectRead(script, rings: [ring, next])
        expectRing(script, nil, .silence, .stoppedEarly)
        expectRead(script, rings: [next])
        expectRing(script, next)
        script.expectLast(rest)
        #expect(await script.run() == ["R1", "R2", nil])
    }

    @Test("A ring that was cancelled does not begin again while its cancel is on the way to the disk")
    func cancelling() async throws {
        let script = script()
        expectRead(script, rings: [ring])
        expectRing(script, nil, .silence, .stoppedEarly)
        expectRead(script, rings: [ring])
        script.expect(rest, .interrupted) { $0.inboxChanged() }
        script.expectRest()
        script.expectLast(.rest)
        await script.run()
    }

    @Test("The next ring waits, and its time runs meanwhile: one that could not begin in it has failed")
    func second() async throws {
        let second = try CustomMessageEntry.ring(2, timeout: .seconds(2))
        let script = script()
        expectRead(script, rings: [ring, second])
        expectRing(script)
        script.expect(.end(second, .failed(reason: "it could not begin in its time")))
        expectRead(script, rings: [ring])
        script.expect(rest)
        expectRing(script)
        script.expectLast(rest)
        await script.run()
    }

    @Test("In a row of rings a sentence is let in between the last repeat of one and the first of the next")
    func row() async throws {
        let ring = try CustomMessageEntry.ring(1, timeout: .seconds(2))
        let next = try CustomMessageEntry.ring(2)
        let payment = try Entries.entry(1)
        let script = script()
        expectRead(script, [payment], rings: [ring, next])
        expectRing(script, ring)
        script.expect(.read(limit: 1), .queue(.of([payment], rings: [ring, next]), noon))
        script.expect(.end(ring, .missed))
        expectRead(script, [payment], rings: [next])
        script.expect(.open)
        script.expect(.begin([payment]))
        script.expect(.play(.init(.notice(payment))), heard)
        script.expect(.record(.notice(payment), .aloud))
        expectRead(script, rings: [next])
        expectRing(script, next)
        script.expect(.play(Announcer.plain.announcement(of: .prompt(.ringMissed))), heard)
        script.expectLast(rest)
        // Without a moment in which nobody rings: settings from afar wait for that.
        #expect(await script.run() == ["R1", "R2", nil])
    }

    @Test("A card that fails is tried again for as long as the ring has time, then the receipt says why")
    func cardFails() async throws {
        let ring = try CustomMessageEntry.ring(1, timeout: .seconds(4))
        let script = script()
        // The second wait ends with the ring.
        for (index, wait) in [500, 500].enumerated() {
            expectRead(script, rings: [ring])
            script.expect(.open, index == 0 ? .failed : .done)
            if index == 1 {
                script.expect(.beginCustomMessage(ring))
                script.expect(play(ring, .silence), .outcome(.failed), takes: .seconds(3))
            }
            script.expect(.wait(.milliseconds(wait)))
        }
        expectRead(script, rings: [ring])
        script.expect(.end(ring, .failed(reason: "unplugged")))
        script.expect(.read(limit: 1), .queue(.of([]), noon))
        script.expectLast(.rest)
        await script.run()
    }

    @Test("Words that are not ready have a second; then the bell rings alone")
    func lateWords() async throws {
        let script = script(words: { _ in nil })
        expectRead(script, rings: [ring])
        script.expect(.wait(.seconds(1)), .interrupted)
        script.expect(.wait(.seconds(1)))
        expectRing(script)
        script.expectLast(rest)
        await script.run()
    }

    @Test("Words that cannot be played cost the words and not the ring")
    func lostWords() async throws {
        let script = script(words: { _ in .words("三号桌") })
        expectRead(script, rings: [ring])
        expectRing(script, nil, .words("三号桌"), .saidOtherwise(reason: "lost"))
        script.expect(rest)
        expectRing(script)
        script.expectLast(rest)
        await script.run()
    }

    @Test("A ring that the disk cannot note sounds nevertheless; an end that it refuses is tried again")
    func diskFails() async throws {
        let script = script()
        expectRead(script, rings: [ring])
        script.expect(.open)
        script.expect(.beginCustomMessage(ring), .failed)
        script.expect(play(ring, .silence), .outcome(.stoppedEarly), asks: answer)
        expectRead(script, rings: [ring])
        script.expect(.end(ring, .answered), .failed)
        script.expect(.wait(.seconds(1)))
        script.expect(.end(ring, .answered))
        script.expectLast(.read(limit: 1))
        await script.run()
    }

    @Test("An answer that the disk refuses until the box stops is tried once more, so that it is not lost")
    func stopWhileDiskFails() async throws {
        let script = script()
        expectRead(script, rings: [ring])
        expectRing(script, nil, .silence, .stoppedEarly, asks: answer)
        expectRead(script, rings: [ring])
        script.expect(.end(ring, .answered), .failed)
        script.expect(.wait(.seconds(1)), .interrupted) { $0.stop() }
        script.expect(.end(ring, .answered))
        await script.run(stops: true)
    }

    @Test("A box that stops leaves its ring in the inbox, but for one that was answered", arguments: [true, false])
    func stop(isAnswered: Bool) async throws {
        let script = script()
        expectRead(script, rings: [ring])
        expectRing(script, nil, .silence, .stoppedEarly) { requests in
            if isAnswered { answer(requests) }
            requests.stop()
        }
        if isAnswered { script.expect(.end(ring, .answered)) }
        #expect(await script.run(stops: true) == ["R1", nil])
    }

    @Test(
        "After a start a ring has the rest of its time, where both clocks were right",
        arguments: [
            (0, ClockTrust.confirmed, ClockTrust.confirmed, 30), (29, .confirmed, .confirmed, 1),
            (30, .confirmed, .confirmed, nil), (0, .unconfirmed, .confirmed, nil), (0, .confirmed, .unconfirmed, nil),
            (-5, .confirmed, .confirmed, 30),
        ] as [(Int64, ClockTrust, ClockTrust, Int?)])
    func restart(age: Int64, then: ClockTrust, now: ClockTrust, left: Int?) throws {
        var entry = ring
        entry.clock = then
        entry.receivedAt = Timestamp(millisecondsSince1970: Entries.noon.millisecondsSince1970 - age * 1000)
        var rings = Rings(lastEarlier: entry.sequence)
        rings.update([entry], ClockReading(Entries.noon, now), at: .seconds(7))
        let end = rings.end(answered: nil, at: .seconds(7))
        #expect((end == nil) == (left != nil))
        if let left {
            #expect(rings.current?.deadline == .seconds(7 + left))
        } else {
            #expect(end?.1 == .failed(reason: "the box began anew, and its time is over or not known"))
        }
    }

    @Test("What came after the box began has its time, also in its first look at the inbox, whatever the clock says")
    func later() throws {
        var entry = ring
        entry.clock = .none
        var rings = Rings(lastEarlier: entry.sequence - 1)
        rings.update([entry], ClockReading(Entries.noon, .none), at: .seconds(7))
        #expect(rings.current?.deadline == .seconds(37))
    }
}
