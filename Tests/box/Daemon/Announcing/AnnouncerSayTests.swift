import SoundboxCore
import SoundboxSpeech
import Testing

@testable import SoundboxBox

@Suite("The announcer, when commands give it something to say, and cancel")
struct AnnouncerSayTests {
    private let noon = Entries.moment
    private let heard = AnnouncerScript.Answer.outcome(.played(.aloud))

    private func job(_ say: Announcer.Say, failure: String? = nil) -> Announcer.Job {
        .say(say.entry, .words(say.entry.customMessage.id.text), failure: failure)
    }

    private let playCancelled = AnnouncerScript.Call.play(
        .init(
            .prompt(.cancelled),
            Delivery(hasChime: false, gap: .milliseconds(200), loudness: Volume(30)...Volume(100))))

    /// Brings the announcer to where it says it.
    private func script(_ say: Announcer.Say, _ job: Announcer.Job, _ outcome: Announcer.Outcome) -> AnnouncerScript {
        let script = AnnouncerScript { $0.inboxChanged() }
        script.expect(.read(limit: 1), .queue(.of([], says: [say]), noon))
        script.expect(.open)
        script.expect(.beginCustomMessage(say.entry))
        script.expect(.play(.init(job, Delivery(hasChime: false))), .outcome(outcome))
        return script
    }

    @Test("It is noted, said, and ended with how it sounded, however often the disk refuses that")
    func said() async throws {
        let say = try Announcer.Say.ready(1)
        let script = script(say, job(say), .played(.muted))
        for _ in 1...2 {
            script.expect(.end(say.entry, .spoken(.muted)), .failed)
            script.expect(.wait(.seconds(1)))
        }
        script.expect(.end(say.entry, .spoken(.muted)))
        script.expect(.read(limit: 1), .queue(.of([]), noon))
        script.expectLast(.rest)
        await script.run()
    }

    @Test("One that is not ready is passed by, and one that is ready goes first")
    func pending() async throws {
        let pending = Announcer.Say(try .say(1), .pending)
        let ready = try Announcer.Say.ready(2)
        let script = AnnouncerScript { $0.inboxChanged() }
        script.expect(.read(limit: 1), .queue(.of([], says: [pending]), noon))
        script.expect(.rest) { $0.inboxChanged() }
        script.expect(.read(limit: 1), .queue(.of([], says: [pending, ready]), noon))
        script.expect(.open)
        script.expectLast(.beginCustomMessage(ready.entry))
        await script.run()
    }

    @Test("What is said in its stead, or cannot be played after all, ends as failed")
    func failed() async throws {
        let entry = try CustomMessageEntry.say(1)
        let say = Announcer.Say(entry, .failed(reason: "no such host", instead: .words("S1")))
        let instead = script(say, job(say, failure: "no such host"), .played(.aloud))
        instead.expectLast(.end(entry, .failed(reason: "no such host")))
        await instead.run()
        let ready = try Announcer.Say.ready(1)
        let otherwise = script(ready, job(ready), .saidOtherwise(reason: "lost"))
        otherwise.expectLast(.end(entry, .failed(reason: "lost")))
        await otherwise.run()
    }

    @Test("What ends without a sound ends at once; while payments wait, one at a time between them")
    func unheard() async throws {
        let old = try (1...2).map { try Announcer.Say.ready($0, age: .seconds(301)) }
        let lost = Announcer.Say(try .say(3), .failed(reason: "gone", instead: nil))
        let payment = try Entries.entry(1)
        let script = AnnouncerScript { $0.inboxChanged() }
        script.expect(.read(limit: 1), .queue(.of([payment], says: old + [lost]), noon))
        script.expect(.end(old[0].entry, .expired))
        script.expect(.read(limit: 1), .queue(.of([payment], says: [old[1], lost]), noon))
        script.expect(.open)
        script.expect(.begin([payment]))
        script.expect(.play(.init(.notice(payment))), heard)
        script.expect(.record(.notice(payment), .aloud))
        script.expect(.read(limit: 1), .queue(.of([], says: [old[1], lost]), noon))
        script.expect(.end(old[1].entry, .expired))
        script.expect(.read(limit: 1), .queue(.of([], says: [lost]), noon))
        script.expect(.end(lost.entry, .failed(reason: "gone")))
        script.expect(.read(limit: 1), .queue(.of([]), noon))
        script.expectLast(.rest)
        await script.run()
    }

    @Test("Where the disk will not note it, it waits; where it was cancelled, it is not said")
    func noteFails() async throws {
        let say = try Announcer.Say.ready(1)
        let script = AnnouncerScript { $0.inboxChanged() }
        for answer in [AnnouncerScript.Answer.failed, .rest([])] {
            script.expect(.read(limit: 1), .queue(.of([], says: [say]), noon))
            script.expect(.open)
            script.expect(.beginCustomMessage(say.entry), answer)
            if case .failed = answer { script.expect(.wait(.seconds(1))) }
        }
        script.expect(.read(limit: 1), .queue(.of([]), noon))
        script.expectLast(.rest)
        await script.run()
    }

    @Test("A card that fails has it said from its start, until it is too old")
    func cardFails() async throws {
        let say = try Announcer.Say.ready(1)
        let script = script(say, job(say), .failed)
        script.expect(.wait(.milliseconds(500)))
        script.expect(.read(limit: 1), .queue(.of([], says: [say]), Entries.moment(after: .seconds(301))))
        script.expectLast(.end(say.entry, .expired))
        await script.run()
    }

    @Test("What is cancelled while it sounds ends early, that is said, and nothing is recorded of it")
    func cancelled() async throws {
        let payment = AnnouncerScript { $0.inboxChanged() }
        payment.expectPlaying(try Entries.entry(1), .stoppedEarly)
        payment.expect(playCancelled, heard)
        payment.expect(.read(limit: 1), .queue(.of([]), noon))
        payment.expectLast(.rest)
        await payment.run()
        let say = try Announcer.Say.ready(1)
        let script = script(say, job(say), .stoppedEarly)
        // A voice without the word.
        script.expect(playCancelled, .failed)
        script.expectLast(.read(limit: 1))
        await script.run()
    }

    @Test("What is cancelled before it begins is passed over; a box that is to stop still takes back what was heard")
    func withdrawn() async throws {
        let entry = try Entries.entry(1)
        let script = AnnouncerScript { $0.inboxChanged() }
        script.expectPlaying(entry, .withdrawn)
        script.expectPlaying(entry, .stoppedEarly) { $0.stop() }
        script.expect(playCancelled, heard)
        await script.run(stops: true)
    }

    private func noticeWithText() throws -> InboxEntry {
        var entry = try Entries.entry(1)
        entry.notice.text = "3号桌"
        return entry
    }

    @Test("A notice's text is said when the notice is on the disk as heard, as loud, and without a chime")
    func text() async throws {
        let entry = try noticeWithText()
        let script = AnnouncerScript { $0.inboxChanged() }
        script.expectAnnouncement(of: entry)
        script.expect(.play(.init(.text(entry), Delivery(hasChime: false))), heard)
        script.expectLast(.read(limit: 1))
        await script.run()
    }

    @Test("A text that the box has no time for, or whose notice waits for the disk, is not said")
    func noText() async throws {
        let entry = try noticeWithText()
        let script = AnnouncerScript { $0.inboxChanged() }
        script.expectPlaying(entry, .played(.aloud))
        script.expect(.record(.notice(entry), .aloud), .failed)
        script.expect(.wait(.seconds(1)))
        script.expect(.record(.notice(entry), .aloud))
        script.expectAnnouncement(of: entry) { $0.stop() }
        await script.run(stops: true)
    }

    @Test("The day's end is told of its own day, whatever is asked for meanwhile, and again when the card refused")
    func dayEnd() async throws {
        let day = BusinessCalendar().day(at: Entries.noon)
        let tell = AnnouncerScript.Call.play(.init(.today(Entries.nothing)))
        let found = AnnouncerScript.Answer.job(.today(Entries.nothing), noon)
        let replay = AnnouncerScript.Call.play(.init(.replay(nil), Delivery(hasChime: false)))
        let script = AnnouncerScript { $0.inboxChanged() }
        script.expectAnnouncement(of: try Entries.entry(1)) { requests in
            requests.tell(day)
            requests.play(.last)
        }
        script.expect(.read(limit: 1), .queue(.of([]), noon))
        script.expect(.lookUp(.last), .job(.replay(nil), noon))
        script.expect(replay, heard)
        script.expect(.lookUp(.dayEnd(day)), found)
        script.expect(tell, .failed)
        script.expect(.wait(.milliseconds(500)))
        script.expect(.read(limit: 1), .queue(.of([]), noon))
        script.expect(.lookUp(.dayEnd(day)), .failed)
        script.expect(.wait(.seconds(1)))
        script.expect(.read(limit: 1), .queue(.of([]), noon))
        script.expect(.lookUp(.dayEnd(day)), found)
        script.expect(tell, heard)
        // A replay that nobody heard is still not told minutes later.
        script.expect(.rest) { $0.play(.last) }
        script.expect(.lookUp(.last), .job(.replay(nil), noon))
        script.expect(replay, .failed)
        script.expectLast(.rest)
        await script.run()
    }
}
