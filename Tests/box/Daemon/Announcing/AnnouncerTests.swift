import SoundboxCore
import Testing

@testable import SoundboxBox

@Suite("The announcer, call by call")
struct AnnouncerTests {
    private let noon = Entries.moment

    private func replay(_ entry: InboxEntry?) -> AnnouncerScript.Call {
        .play(.init(.replay(entry), Delivery(hasChime: false)))
    }

    @Test("Notices are spoken one after the other: read, noted, played, recorded, and only then the next")
    func serialOrder() async throws {
        let script = AnnouncerScript { $0.inboxChanged() }
        script.expectAnnouncement(of: try Entries.entry(1)) { $0.inboxChanged() }
        script.expectAnnouncement(of: try Entries.entry(2))
        script.expect(.read(limit: 1), .queue(.of([]), noon))
        script.expectLast(.rest)
        await script.run()
    }

    @Test("A notice that arrives while the inbox is being read is not missed")
    func arrivalDuringRead() async {
        let script = AnnouncerScript { $0.inboxChanged() }
        script.expect(.read(limit: 1), .queue(.of([]), noon)) { $0.inboxChanged() }
        script.expect(.rest)
        script.expect(.read(limit: 1), .queue(.of([]), noon))
        script.expectLast(.rest)
        await script.run()
    }

    private func summary(of late: [InboxEntry]) -> AnnouncerScript {
        let script = AnnouncerScript { $0.inboxChanged() }
        script.expect(.read(limit: 1), .queue(.of([late[0]]), noon))
        script.expect(.read(limit: 10_000), .queue(.of(late), noon))
        script.expect(.open)
        return script
    }

    @Test("A summary of which one is cancelled between the read and the note is told without it, and held up by none")
    func withdrawn() async throws {
        let late = try (1...3).map { try Entries.entry($0, age: .seconds(601)) }
        let rest = [late[0], late[2]]
        let script = summary(of: late)
        script.expect(.begin(late), .rest(rest))
        script.expect(.play(.init(.summary(rest))), .outcome(.played(.aloud)))
        script.expect(.record(.summary(rest), .aloud))
        script.expectLast(.read(limit: 1))
        await script.run()
    }

    @Test("Where all of them are cancelled, nothing is told and the inbox is read again")
    func allWithdrawn() async throws {
        let late = try (1...3).map { try Entries.entry($0, age: .seconds(601)) }
        let entry = try Entries.entry(4)
        let script = summary(of: late)
        script.expect(.begin(late), .rest([]))
        script.expect(.read(limit: 1), .queue(.of([entry]), noon))
        script.expect(.open)
        script.expect(.begin([entry]), .rest([]))
        script.expectLast(.read(limit: 1))
        await script.run()
    }

    @Test("A replay comes between announcements, before the next notice, and is not recorded")
    func replay() async throws {
        let (first, next) = (try Entries.entry(1), try Entries.entry(2))
        let script = AnnouncerScript { $0.inboxChanged() }
        script.expectAnnouncement(of: first) { for _ in 0..<5 { $0.play(.last) } }
        script.expect(.read(limit: 1), .queue(.of([next]), noon))
        script.expect(.lookUp(.last), .job(.replay(first), noon))
        script.expect(replay(first), .outcome(.played(.aloud)))
        script.expectAnnouncement(of: next)
        script.expectLast(.read(limit: 1))
        await script.run()
    }

    @Test("A replay that the device refuses is dropped")
    func replayFails() async {
        let script = AnnouncerScript { $0.play(.last) }
        script.expect(.lookUp(.last), .job(.replay(nil), noon))
        script.expect(replay(nil), .failed) { $0.inboxChanged() }
        script.expect(.read(limit: 1), .queue(.of([]), noon))
        script.expectLast(.rest)
        await script.run()
    }

    @Test("How a payment sounded is recorded, also when the disk needs a second attempt")
    func audibility() async throws {
        let entry = try Entries.entry(1)
        let script = AnnouncerScript { $0.inboxChanged() }
        script.expectPlaying(entry, .played(.muted))
        script.expect(.record(.notice(entry), .muted), .failed)
        script.expect(.wait(.seconds(1)))
        script.expectLast(.record(.notice(entry), .muted))
        await script.run()
    }

    @Test("Stopping finishes and records the current announcement and begins no other")
    func stopWhilePlaying() async throws {
        let entry = try Entries.entry(1)
        let script = AnnouncerScript { $0.inboxChanged() }
        script.expectAnnouncement(of: entry) { requests in
            requests.play(.last)
            requests.stop()
            requests.inboxChanged()
        }
        await script.run(stops: true)
    }

    @Test("Stopping ends at once where nothing sounds")
    func stopElsewhere() async throws {
        let entry = try Entries.entry(1)
        let queue = AnnouncerScript.Answer.queue(.of([entry]), noon)
        let play = AnnouncerScript.Call.play(.init(.notice(entry)))
        typealias Step = (AnnouncerScript.Call, AnnouncerScript.Answer)
        let roads: [[Step]] = [
            [(.read(limit: 1), queue)], [(.read(limit: 1), .failed)],
            [(.read(limit: 1), .failed), (.wait(.seconds(1)), .interrupted)],
            [(.read(limit: 1), queue), (.open, .done)], [(.read(limit: 1), queue), (.open, .failed)],
            [(.read(limit: 1), queue), (.open, .failed), (.wait(.milliseconds(500)), .interrupted)],
            [(.read(limit: 1), queue), (.open, .done), (.begin([entry]), .done)],
            [(.read(limit: 1), queue), (.open, .done), (.begin([entry]), .failed)],
            [(.read(limit: 1), queue), (.open, .done), (.begin([entry]), .rest([]))],
            [(.read(limit: 1), queue), (.open, .done), (.begin([entry]), .done), (play, .failed)],
        ]
        for road in roads {
            let script = AnnouncerScript { $0.inboxChanged() }
            for (call, answer) in road.dropLast() { script.expect(call, answer) }
            if let (call, answer) = road.last { script.expect(call, answer) { $0.stop() } }
            await script.run(stops: true)
        }
        for answer in [AnnouncerScript.Answer.failed, .job(.replay(nil), noon)] {
            let script = AnnouncerScript { $0.play(.last) }
            script.expect(.lookUp(.last), answer) { $0.stop() }
            await script.run(stops: true)
        }
        let idle = AnnouncerScript()
        idle.expect(.rest) { $0.stop() }
        await idle.run(stops: true)
    }

    @Test("Stale payments at the front are told in one summary; the first fresh one ends it")
    func summary() async throws {
        let late = try (1...3).map { try Entries.entry($0, age: .seconds(601)) }
        let fresh = try Entries.entry(4)
        let script = AnnouncerScript { $0.inboxChanged() }
        script.expect(.read(limit: 1), .queue(.of([late[0]]), noon))
        script.expect(
            .read(limit: 10_000), .queue(.of(late + [fresh, try Entries.entry(5, age: .seconds(9999))]), noon))
        script.expect(.open)
        script.expect(.begin(late))
        script.expect(.play(.init(.summary(late))), .outcome(.played(.aloud)))
        script.expect(.record(.summary(late), .aloud))
        script.expectAnnouncement(of: fresh)
        script.expectLast(.read(limit: 1))
        await script.run()
    }

    @Test("A late refund is told by itself, after the summary of late payments")
    func lateRefund() async throws {
        let payment = try Entries.entry(1, age: .seconds(700))
        let refund = try Entries.entry(2, age: .seconds(700), kind: .refund)
        let script = AnnouncerScript { $0.inboxChanged() }
        script.expect(.read(limit: 1), .queue(.of([payment]), noon))
        script.expect(.read(limit: 10_000), .queue(.of([payment, refund]), noon))
        script.expect(.open)
        script.expect(.begin([payment]))
        script.expect(.play(.init(.summary([payment]))), .outcome(.played(.aloud)))
        script.expect(.record(.summary([payment]), .aloud))
        script.expectAnnouncement(of: refund)
        script.expectLast(.read(limit: 1))
        await script.run()
    }

    @Test("A button that is pressed again during every replay does not hold payments back")
    func replayMashing() async throws {
        let (last, waiting) = (try Entries.entry(1), try Entries.entry(2))
        let script = AnnouncerScript { $0.play(.last) }
        script.expect(.lookUp(.last), .job(.replay(last), noon)) { $0.inboxChanged() }
        script.expect(replay(last), .outcome(.played(.aloud))) { $0.play(.last) }
        script.expectAnnouncement(of: waiting)
        script.expect(.read(limit: 1), .queue(.of([]), noon))
        script.expectLast(.lookUp(.last))
        await script.run()
    }
}
