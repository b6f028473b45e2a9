import SoundboxCore
import SoundboxSpeech
import Testing

@testable import SoundboxBox

@Suite("The announcer, when the card or the disk fails")
struct AnnouncerFailureTests {
    private let noon = Entries.moment

    @Test("An idle box checks its card, and what comes meanwhile is spoken right after")
    func check() async throws {
        let script = AnnouncerScript { $0.checkDevice() }
        script.expect(.check) { requests in
            requests.checkDevice()
            requests.inboxChanged()
        }
        script.expectAnnouncement(of: try Entries.entry(1))
        script.expect(.read(limit: 1), .queue(.of([]), noon))
        script.expect(.check) { $0.stop() }
        await script.run(stops: true)
    }

    @Test("One that has something to do does not: that tells of the card by itself")
    func noCheck() async throws {
        let entry = try Entries.entry(1)
        let script = AnnouncerScript { requests in
            requests.checkDevice()
            requests.inboxChanged()
        }
        script.expect(.read(limit: 1), .queue(.of([entry]), noon))
        script.expect(.open, .failed)
        script.expect(.wait(.milliseconds(500)))
        script.expectAnnouncement(of: entry)
        script.expect(.read(limit: 1), .queue(.of([]), noon))
        script.expectLast(.check)
        await script.run()
    }

    @Test("A failed device keeps the announcement, waits ever longer up to five seconds, and plays from the start")
    func deviceFailure() async throws {
        let entry = try Entries.entry(1)
        let script = AnnouncerScript { $0.inboxChanged() }
        for milliseconds in [500, 1000, 2000, 4000, 5000, 5000] {
            script.expectPlaying(entry, .failed)
            script.expect(.wait(.milliseconds(milliseconds)), .interrupted) { $0.inboxChanged() }
            script.expect(.wait(.milliseconds(milliseconds)))
        }
        script.expectAnnouncement(of: entry) { $0.play(.last) }
        script.expect(.read(limit: 1), .queue(.of([]), noon))
        script.expectLast(.lookUp(.last))
        await script.run()
    }

    @Test("While the card cannot be opened, nothing is noted, so that a payment can still be cancelled")
    func absentDevice() async throws {
        let entry = try Entries.entry(1)
        let script = AnnouncerScript { $0.inboxChanged() }
        for milliseconds in [500, 1000] {
            script.expect(.read(limit: 1), .queue(.of([entry]), noon))
            script.expect(.open, .failed)
            script.expect(.wait(.milliseconds(milliseconds)))
        }
        script.expect(.read(limit: 1), .queue(.of([]), noon))
        script.expectLast(.rest)
        await script.run()
    }

    @Test("A payment that has become old while the card was away is told in a summary; the rest is read with it")
    func lateAfterWait() async throws {
        let entry = try Entries.entry(1)
        let tomorrow = Entries.moment(after: .seconds(86_400))
        let script = AnnouncerScript { $0.inboxChanged() }
        script.expectPlaying(entry, .failed)
        script.expect(.wait(.milliseconds(500)))
        script.expect(.read(limit: 1), .queue(.of([entry]), tomorrow))
        script.expect(.read(limit: 10_000), .queue(.of([entry]), tomorrow))
        script.expect(.open)
        script.expect(.begin([entry]))
        script.expectLast(.play(.init(.summary([entry]))))
        await script.run()
    }

    @Test("Noting the start in the inbox may fail; the notice is still spoken and recorded once")
    func noteFails() async throws {
        let entry = try Entries.entry(1)
        let script = AnnouncerScript { $0.inboxChanged() }
        script.expect(.read(limit: 1), .queue(.of([entry]), noon))
        script.expect(.open)
        script.expect(.begin([entry]), .failed)
        script.expect(.play(.init(.notice(entry))), .outcome(.played(.aloud)))
        script.expect(.record(.notice(entry), .aloud))
        script.expectLast(.read(limit: 1))
        await script.run()
    }

    @Test("A disk that fails is tried again every second, and what was heard is only recorded and not read")
    func diskFailure() async throws {
        let entry = try Entries.entry(1)
        let script = AnnouncerScript { $0.inboxChanged() }
        script.expect(.read(limit: 1), .failed)
        script.expect(.wait(.seconds(1)), .interrupted) { $0.inboxChanged() }
        script.expect(.wait(.seconds(1)))
        script.expectPlaying(entry, .played(.aloud))
        for _ in 1...3 {
            script.expect(.record(.notice(entry), .aloud), .failed)
            script.expect(.wait(.seconds(1)), .interrupted) { $0.inboxChanged() }
            script.expect(.wait(.seconds(1)))
        }
        script.expect(.record(.notice(entry), .aloud))
        script.expectLast(.read(limit: 1))
        await script.run()
    }

    @Test(
        "What was heard is tried to be recorded once more when the box stops, and not again",
        arguments: [AnnouncerScript.Answer.done, .failed])
    func stopWhileDiskFails(last: AnnouncerScript.Answer) async throws {
        let entry = try Entries.entry(1)
        let script = AnnouncerScript { $0.inboxChanged() }
        script.expectPlaying(entry, .played(.aloud))
        script.expect(.record(.notice(entry), .aloud), .failed) { $0.stop() }
        script.expect(.record(.notice(entry), .aloud), last)
        await script.run(stops: true)
    }

    @Test("Late payments that the disk would not pass over are read anew, since one may be cancelled by then")
    func expiryFails() async throws {
        let policy = FreshnessPolicy(expireAfter: .seconds(600), late: .silent)
        let late = try (1...2).map { try Entries.entry($0, age: .seconds(601)) }
        let script = AnnouncerScript { $0.inboxChanged() }
        script.expect(.read(limit: 1), .queue(.of([late[0]]), noon))
        script.expect(.read(limit: 10_000), .queue(.of(late), noon))
        script.expect(.expire(late), .failed)
        script.expect(.wait(.seconds(1)))
        script.expect(.read(limit: 1), .queue(.of([late[1]]), noon))
        script.expect(.read(limit: 10_000), .queue(.of([late[1]]), noon))
        script.expect(.expire([late[1]]))
        script.expectLast(.read(limit: 1))
        await script.run(Announcer(freshness: policy))
    }

    @Test("A request that the disk refuses is dropped: a history that cannot be read holds no payment back")
    func unreadableHistory() async throws {
        let script = AnnouncerScript { $0.play(.today) }
        script.expect(.lookUp(.today), .failed) { $0.inboxChanged() }
        script.expectAnnouncement(of: try Entries.entry(1))
        script.expectLast(.read(limit: 1))
        await script.run()
    }
}
