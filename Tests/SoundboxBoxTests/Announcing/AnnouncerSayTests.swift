import SoundboxBox
import SoundboxCore
import SoundboxSpeech
import Testing

@Suite("The announcer, when commands give it something to say, cancel and ring")
struct AnnouncerSayTests {
    private var announcer = Announcer.plain
    private let noon = Entries.moment

    private func job(_ say: Announcer.Say, failure: String? = nil) -> Announcer.Job {
        .say(say.entry, .words(say.entry.errand.id.text), failure: failure)
    }

    private func play(_ job: Announcer.Job) -> Announcer.Action { .play(.init(job, Delivery(hasChime: false))) }

    private var playCancelled: Announcer.Action {
        .play(
            .init(
                .prompt(.cancelled),
                Delivery(hasChime: false, gap: .milliseconds(200), loudness: Volume(30)...Volume(100))))
    }

    /// Brings the announcer to where it says it.
    private mutating func begin(_ say: Announcer.Say, _ job: Announcer.Job) {
        #expect(announcer.handle(.somethingMayWait) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched(.of([], says: [say]), noon)) == [.prepare])
        #expect(announcer.handle(.prepared) == [.noteSounding(say.entry)])
        #expect(announcer.handle(.noted) == [play(job)])
    }

    @Test("It is noted, said, and ended with how it sounded, however often the disk refuses that")
    mutating func said() throws {
        let say = try Announcer.Say.ready(1)
        begin(say, job(say))
        let end = Announcer.Action.end(say.entry, .spoken(.muted))
        #expect(announcer.handle(.played(.muted)) == [end])
        for _ in 1...2 {
            #expect(announcer.handle(.inboxFailed) == [.wait(.seconds(1))])
            #expect(announcer.handle(.waited) == [end])
        }
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched(.of([]), noon)) == [])
    }

    @Test("One that is not ready is passed by, and one that is ready goes first")
    mutating func pending() throws {
        let pending = Announcer.Say(try .say(1), .pending)
        #expect(announcer.handle(.somethingMayWait) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched(.of([], says: [pending]), noon)) == [])
        let ready = try Announcer.Say.ready(2)
        #expect(announcer.handle(.somethingMayWait) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched(.of([], says: [pending, ready]), noon)) == [.prepare])
        #expect(announcer.handle(.prepared) == [.noteSounding(ready.entry)])
    }

    @Test("What is said in its stead, or cannot be played after all, ends as failed")
    mutating func failed() throws {
        let entry = try ErrandEntry.say(1)
        let say = Announcer.Say(entry, .failed(reason: "no such host", instead: .words("S1")))
        begin(say, job(say, failure: "no such host"))
        #expect(announcer.handle(.played(.aloud)) == [.end(entry, .failed(reason: "no such host"))])
        announcer = .plain
        let ready = try Announcer.Say.ready(1)
        begin(ready, job(ready))
        #expect(announcer.handle(.saidOtherwise(reason: "lost")) == [.end(entry, .failed(reason: "lost"))])
    }

    @Test("What ends without a sound ends at once; while payments wait, one at a time between them")
    mutating func unheard() throws {
        let old = try (1...2).map { try Announcer.Say.ready($0, age: .seconds(301)) }
        let lost = Announcer.Say(try .say(3), .failed(reason: "gone", instead: nil))
        let payment = try Entries.entry(1)
        #expect(announcer.handle(.somethingMayWait) == [.fetch(limit: 1)])
        #expect(
            announcer.handle(.fetched(.of([payment], says: old + [lost]), noon)) == [.end(old[0].entry, .expired)])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched(.of([payment], says: [old[1], lost]), noon)) == [.prepare])
        #expect(announcer.handle(.prepared) == [.note([payment])])
        #expect(announcer.handle(.noted) == [.play(.init(.notice(payment)))])
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(payment), .aloud)])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched(.of([], says: [old[1], lost]), noon)) == [.end(old[1].entry, .expired)])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
        #expect(
            announcer.handle(.fetched(.of([], says: [lost]), noon)) == [.end(lost.entry, .failed(reason: "gone"))])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched(.of([]), noon)) == [])
    }

    @Test("Where the disk will not note it, it waits; where it was cancelled, it is not said")
    mutating func noteFails() throws {
        let say = try Announcer.Say.ready(1)
        #expect(announcer.handle(.somethingMayWait) == [.fetch(limit: 1)])
        for answer in [Announcer.Event.inboxFailed, .withdrawn(rest: [])] {
            #expect(announcer.handle(.fetched(.of([], says: [say]), noon)) == [.prepare])
            #expect(announcer.handle(.prepared) == [.noteSounding(say.entry)])
            let actions = announcer.handle(answer)
            #expect(actions == (answer == .inboxFailed ? [.wait(.seconds(1))] : [.fetch(limit: 1)]))
            if answer == .inboxFailed { #expect(announcer.handle(.waited) == [.fetch(limit: 1)]) }
        }
        #expect(announcer.handle(.fetched(.of([]), noon)) == [])
    }

    @Test("A card that fails has it said from its start, until it is too old")
    mutating func cardFails() throws {
        let say = try Announcer.Say.ready(1)
        begin(say, job(say))
        #expect(announcer.handle(.playFailed) == [.wait(.milliseconds(500))])
        #expect(announcer.handle(.waited) == [.fetch(limit: 1)])
        let later = Entries.moment(after: .seconds(301))
        #expect(announcer.handle(.fetched(.of([], says: [say]), later)) == [.end(say.entry, .expired)])
    }

    @Test("What is cancelled while it sounds ends early, that is said, and nothing is recorded of it")
    mutating func cancelled() throws {
        let entry = try Entries.entry(1)
        announcer.startPlaying(entry)
        #expect(announcer.handle(.stoppedEarly) == [playCancelled])
        #expect(announcer.handle(.played(.aloud)) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched(.of([]), noon)) == [])
        let say = try Announcer.Say.ready(1)
        begin(say, job(say))
        #expect(announcer.handle(.stoppedEarly) == [playCancelled])
        // A voice without the word.
        #expect(announcer.handle(.playFailed) == [.fetch(limit: 1)])
    }

    @Test("What is cancelled before it begins is passed over; a box that is to stop still takes back what was heard")
    mutating func withdrawn() throws {
        let entry = try Entries.entry(1)
        announcer.startPlaying(entry)
        #expect(announcer.handle(.withdrawn(rest: [])) == [.fetch(limit: 1)])
        announcer.begin(entry)
        #expect(announcer.handle(.stopRequested) == [])
        #expect(announcer.handle(.stoppedEarly) == [playCancelled])
        #expect(announcer.handle(.played(.aloud)) == [.finish])
    }

    @Test("A notice's text is said when the notice is on the disk as heard, as loud, and without a chime")
    mutating func text() throws {
        var entry = try Entries.entry(1)
        entry.notice.text = "3号桌"
        announcer.startPlaying(entry)
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(entry), .aloud)])
        #expect(announcer.handle(.recorded) == [.play(.init(.text(entry), Delivery(hasChime: false)))])
        #expect(announcer.handle(.played(.aloud)) == [.fetch(limit: 1)])
    }

    @Test("A text that the box has no time for, or whose notice waits for the disk, is not said")
    mutating func noText() throws {
        var entry = try Entries.entry(1)
        entry.notice.text = "3号桌"
        announcer.startPlaying(entry)
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(entry), .aloud)])
        #expect(announcer.handle(.inboxFailed) == [.wait(.seconds(1))])
        #expect(announcer.handle(.waited) == [.record(.notice(entry), .aloud)])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
        announcer.begin(entry)
        #expect(announcer.handle(.stopRequested) == [])
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(entry), .aloud)])
        #expect(announcer.handle(.recorded) == [.finish])
    }

    @Test("The day's end is told of its own day, whatever is asked for meanwhile, and again when the card refused")
    mutating func dayEnd() throws {
        let day = BusinessCalendar().day(at: Entries.noon)
        let entry = try Entries.entry(1)
        announcer.startPlaying(entry)
        #expect(announcer.handle(.dayEnded(day)) == [])
        #expect(announcer.handle(.requested(.last)) == [])
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(entry), .aloud)])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched(.of([]), noon)) == [.recall(.last)])
        #expect(
            announcer.handle(.recalled(.announced(nil), noon)) == [
                .play(.init(.replay(nil), Delivery(hasChime: false)))
            ])
        #expect(announcer.handle(.played(.aloud)) == [.recall(.dayEnd(day))])
        let told = announcer.handle(.recalled(.takings(Entries.nothing), noon))
        #expect(told == [.play(.init(.today(Entries.nothing)))])
        #expect(announcer.handle(.playFailed) == [.wait(.milliseconds(500))])
        #expect(announcer.handle(.waited) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched(.of([]), noon)) == [.recall(.dayEnd(day))])
        #expect(announcer.handle(.inboxFailed) == [.wait(.seconds(1))])
        #expect(announcer.handle(.waited) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched(.of([]), noon)) == [.recall(.dayEnd(day))])
        #expect(announcer.handle(.recalled(.takings(Entries.nothing), noon)) == told)
        #expect(announcer.handle(.played(.aloud)) == [])
        // A replay that nobody heard is still not told minutes later.
        #expect(announcer.handle(.requested(.last)) == [.recall(.last)])
        #expect(announcer.handle(.recalled(.announced(nil), noon)).count == 1)
        #expect(announcer.handle(.playFailed) == [])
    }

    @Test("While something rings that payments come after, only prompts are spoken, and not of the network")
    mutating func held() throws {
        let entry = try Entries.entry(1)
        #expect(announcer.handle(.held(true)) == [])
        #expect(announcer.handle(.somethingMayWait) == [])
        #expect(announcer.handle(.requested(.last)) == [])
        #expect(announcer.handle(.promptRequested(.networkLost)) == [])
        #expect(announcer.handle(.promptRequested(.volumeUp)).count == 1)
        #expect(announcer.handle(.played(.aloud)) == [])
        #expect(announcer.handle(.held(false)) == [.fetch(limit: 1)])
        announcer.begin(entry)
        // What sounds already is finished.
        #expect(announcer.handle(.held(true)) == [])
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(entry), .aloud)])
        #expect(announcer.handle(.recorded) == [])
        #expect(announcer.handle(.held(false)) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched(.of([]), noon)) == [.recall(.last)])
    }

    @Test("A ring that begins while the inbox is read or the card is opened holds back what has not begun")
    mutating func heldOnTheWay() throws {
        let entry = try Entries.entry(1)
        #expect(announcer.handle(.somethingMayWait) == [.fetch(limit: 1)])
        #expect(announcer.handle(.held(true)) == [])
        #expect(announcer.handle(.fetched(.of([entry]), noon)) == [])
        #expect(announcer.handle(.held(false)) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched(.of([entry]), noon)) == [.prepare])
        #expect(announcer.handle(.held(true)) == [])
        #expect(announcer.handle(.prepared) == [])
        #expect(announcer.handle(.stopRequested) == [.finish])
    }
}
