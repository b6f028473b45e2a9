import SoundboxBox
import SoundboxCore
import Testing

@Suite("The ringer")
struct RingerTests {
    private var trial = RingerTrial.started()
    private let first: ErrandEntry
    private let second: ErrandEntry

    init() throws {
        first = try Rings.ring(1)
        second = try Rings.ring(2)
    }

    @Test("A ring is fetched, noted, and sounds until somebody answers")
    mutating func answered() {
        trial.arrive([first])
        trial.sound(first)
        #expect(trial.ringer.nextDue == trial.now + .seconds(30))
        #expect(trial.pass(.seconds(3)) == [])
        #expect(trial.send(.answered(first.errand.id)) == [.stop, .end(first, .answered)])
        #expect(trial.ringer.ringing == nil)
        #expect(trial.send(.ended) == [])
        #expect(trial.ringer.nextDue == nil)
    }

    @Test("One that nobody answers ends when its time runs out, and that is said once")
    mutating func missed() {
        trial.arrive([first])
        trial.sound(first)
        #expect(trial.pass(.seconds(29)) == [])
        #expect(trial.pass(.seconds(1)) == [.stop, .end(first, .missed)])
        #expect(trial.send(.answered(first.errand.id)) == [])
        #expect(trial.send(.ended) == [.tellMissed])
    }

    @Test("The next ring waits, and its time runs meanwhile")
    mutating func nextOne() {
        trial.arrive([first])
        trial.sound(first)
        #expect(trial.pass(.seconds(10)) == [])
        trial.arrive([first, second])
        #expect(trial.send(.answered(second.errand.id)) == [])
        #expect(trial.pass(.seconds(15)) == [])
        #expect(trial.send(.answered(first.errand.id)) == [.stop, .end(first, .answered)])
        #expect(trial.send(.ended) == [.note(second)])
        trial.sound(second, attempt: 2)
        #expect(trial.pass(.seconds(14)) == [])
        #expect(trial.pass(.seconds(1)) == [.stop, .end(second, .missed)])
    }

    @Test("One that waited for all of its time is missed without a sound")
    mutating func waitedTooLong() throws {
        let long = try Rings.ring(1, timeout: 600)
        trial.arrive([long])
        trial.sound(long)
        trial.arrive([long, second])
        #expect(trial.pass(.seconds(30)) == [.end(second, .missed)])
        #expect(trial.send(.ended) == [.tellMissed])
        #expect(trial.ringer.ringing?.entry == long)
    }

    @Test("A cancel silences it before the disk has heard of it, and it never sounds again")
    mutating func silenced() {
        trial.arrive([first])
        trial.sound(first)
        #expect(trial.send(.hushed(first.errand.id)) == [.stop])
        #expect(trial.ringer.ringing == nil)
        // The commit failed: it is still there.
        #expect(trial.send(.ringsMayWait) == [.fetch])
        #expect(trial.send(.fetched([first], ClockReading(Rings.noon))) == [])
        #expect(trial.pass(.seconds(5)) == [])
        // The broker has delivered it again.
        #expect(trial.send(.hushed(first.errand.id)) == [])
        #expect(trial.send(.ringsMayWait) == [.fetch])
        #expect(trial.send(.fetched([], ClockReading(Rings.noon))) == [])
        #expect(trial.ringer.nextDue == nil)
    }

    @Test("A hushed ring whose cancel never comes to the disk has its end all the same, and nothing is said of it")
    mutating func hushedForEver() {
        trial.arrive([first])
        trial.sound(first)
        #expect(trial.send(.hushed(first.errand.id)) == [.stop])
        #expect(trial.pass(.seconds(30)) == [.end(first, .missed)])
        #expect(trial.send(.ended) == [])
    }

    @Test("A cancel that comes before its ring, or while it is noted, keeps it silent; the next one rings")
    mutating func hushedEarly() {
        #expect(trial.send(.hushed(first.errand.id)) == [])
        #expect(trial.send(.ringsMayWait) == [.fetch])
        #expect(trial.send(.fetched([first, second], ClockReading(Rings.noon))) == [.note(second)])
        #expect(trial.send(.hushed(second.errand.id)) == [])
        #expect(trial.send(.noted) == [])
        #expect(trial.ringer.ringing == nil)
    }

    @Test("One that was cancelled meanwhile is not begun, and one that is gone from the book is silent")
    mutating func withdrawn() {
        trial.arrive([first, second])
        #expect(trial.send(.withdrawn) == [.note(second)])
        trial.sound(second)
        #expect(trial.send(.ringsMayWait) == [.fetch])
        #expect(trial.send(.fetched([], ClockReading(Rings.noon))) == [.stop])
        #expect(trial.ringer.nextDue == nil)
    }

    @Test("A cancel that was first at the disk leaves nothing to be said")
    mutating func endedAlready() {
        trial.arrive([first])
        trial.sound(first)
        #expect(trial.pass(.seconds(30)) == [.stop, .end(first, .missed)])
        #expect(trial.send(.endedAlready) == [])
    }

    @Test("What is no ring is passed over")
    mutating func sentences() throws {
        #expect(trial.send(.ringsMayWait) == [.fetch])
        #expect(trial.send(.fetched([try Rings.sentence(1), second], ClockReading(Rings.noon))) == [.note(second)])
    }

    @Test("A box that stops is silent at once, and the ring stays in the book")
    mutating func stopped() {
        trial.arrive([first])
        trial.sound(first)
        #expect(trial.send(.stopRequested) == [.stop, .finish])
        #expect(trial.send(.ringsMayWait) == [])
    }

    @Test("A box that stops writes down first what was answered, and gives up where the disk fails")
    mutating func stoppedAfterAnswer() {
        trial.arrive([first])
        trial.sound(first)
        #expect(trial.send(.answered(first.errand.id)) == [.stop, .end(first, .answered)])
        #expect(trial.send(.stopRequested) == [])
        var failing = trial
        #expect(trial.send(.ended) == [.finish])
        #expect(failing.send(.inboxFailed) == [.finish])
    }

    @Test("An answer to something that was not asked is told of, and silences nothing")
    mutating func mismatch() {
        trial.arrive([first])
        trial.sound(first)
        let report = Ringer.Mismatch(answer: "noted", activity: "nothing was asked")
        #expect(trial.send(.noted) == [.report(report)])
        #expect(trial.ringer.ringing?.entry == first)
        #expect(trial.send(.ringsMayWait) == [.fetch])
        let second = Ringer.Mismatch(answer: "ended", activity: "fetching")
        #expect(trial.send(.ended) == [.report(second)])
        #expect(trial.pass(.seconds(1)) == [.fetch])
    }
}

@Suite("The ringer after a restart")
struct RingerRestartTests {
    @Test(
        "A ring that still has time sounds for the rest of it, where both clocks were right",
        arguments: [(0, 30), (12, 18), (29, 1), (-5, 30)])
    func timeLeft(age: Int, left: Int) throws {
        let ring = try Rings.ring(1, age: .seconds(age), isSounding: true)
        var trial = RingerTrial()
        trial.arrive([ring])
        #expect(trial.send(.noted) == [.ask(ring)])
        #expect(trial.ringer.ringing.map { $0.deadline - trial.now } == .seconds(left))
    }

    @Test(
        "One whose time is over, or of which nobody knows, is missed; that is said once",
        arguments: [
            (30, .confirmed, .confirmed), (86_400, .confirmed, .confirmed), (1, .unconfirmed, .confirmed),
            (1, .none, .confirmed), (1, .confirmed, .unconfirmed), (1, .confirmed, .none),
        ] as [(Int, ClockTrust, ClockTrust)])
    func over(age: Int, then: ClockTrust, now: ClockTrust) throws {
        let ring = try Rings.ring(1, age: .seconds(age), clock: then, isSounding: true)
        var trial = RingerTrial()
        #expect(trial.send(.ringsMayWait) == [.fetch])
        #expect(trial.send(.fetched([ring], ClockReading(Rings.noon, now))) == [.end(ring, .missed)])
        #expect(trial.send(.ended) == [.tellMissed])
    }

    @Test("What comes later is of this run: it has its time whatever the clock says")
    func noClock() throws {
        let ring = try Rings.ring(1, age: .seconds(-86_400), clock: .none)
        var trial = RingerTrial.started()
        #expect(trial.send(.ringsMayWait) == [.fetch])
        #expect(trial.send(.fetched([ring], ClockReading(Rings.noon, .none))) == [.note(ring)])
        #expect(trial.ringer.nextDue == nil)
        #expect(trial.send(.noted) == [.ask(ring)])
        #expect(trial.ringer.ringing?.deadline == trial.now + .seconds(30))
    }
}
