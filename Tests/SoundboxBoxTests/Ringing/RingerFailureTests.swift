import SoundboxBox
import SoundboxCore
import Testing

@Suite("The ringer, when the card, the words or the disk are not there")
struct RingerFailureTests {
    private var trial = RingerTrial.started()
    private let ring: ErrandEntry
    private let other: ErrandEntry

    init() throws {
        ring = try Rings.ring(1, timeout: 60)
        other = try Rings.ring(2, timeout: 60)
    }

    @Test("Words that are not ready have a second; then the tone rings alone, and with them as soon as they are")
    mutating func lateWords() {
        let id = ring.errand.id
        trial.arrive([ring])
        #expect(trial.send(.noted) == [.ask(ring)])
        #expect(trial.send(.words(id, areReady: false)) == [])
        #expect(trial.ringer.nextDue == trial.now + .seconds(1))
        #expect(trial.pass(.milliseconds(500)) == [])
        #expect(trial.pass(.milliseconds(500)) == [.start(ring, withWords: false, attempt: 1)])
        #expect(trial.send(.soundsChanged) == [.ask(ring)])
        #expect(trial.send(.words(id, areReady: false)) == [])
        #expect(trial.send(.soundsChanged) == [.ask(ring)])
        #expect(trial.send(.words(id, areReady: true)) == [.start(ring, withWords: true, attempt: 2)])
        #expect(trial.send(.soundsChanged) == [])
    }

    @Test("Words that are ready within the second are there from the start")
    mutating func wordsInTime() {
        trial.arrive([ring])
        #expect(trial.send(.noted) == [.ask(ring)])
        #expect(trial.send(.words(ring.errand.id, areReady: false)) == [])
        #expect(trial.pass(.milliseconds(300)) == [])
        #expect(trial.send(.soundsChanged) == [.ask(ring)])
        #expect(
            trial.send(.words(ring.errand.id, areReady: true)) == [.start(ring, withWords: true, attempt: 1)])
        #expect(trial.pass(.seconds(5)) == [])
    }

    @Test("Words that cannot be played cost the words and not the ring")
    mutating func brokenWords() {
        trial.arrive([ring])
        trial.sound(ring)
        #expect(
            trial.send(.wordsFailed(attempt: 1, reason: "no such file"))
                == [.start(ring, withWords: false, attempt: 2)])
        #expect(trial.send(.soundsChanged) == [])
        #expect(trial.send(.failed(attempt: 2, reason: "unplugged")) == [])
        #expect(trial.pass(.milliseconds(500)) == [.ask(ring)])
        #expect(
            trial.send(.words(ring.errand.id, areReady: true)) == [.start(ring, withWords: false, attempt: 3)])
    }

    @Test("A card that will not is tried again, ever later up to five seconds, while the light stays on")
    mutating func deviceFails() {
        trial.arrive([ring])
        trial.sound(ring)
        for (attempt, milliseconds) in zip(1..., [500, 1000, 2000, 4000, 5000, 5000]) {
            #expect(trial.send(.failed(attempt: attempt, reason: "unplugged")) == [])
            #expect(trial.ringer.ringing != nil)
            // Of an earlier attempt.
            #expect(trial.send(.failed(attempt: attempt, reason: "unplugged")) == [])
            #expect(trial.pass(.milliseconds(milliseconds - 1)) == [])
            #expect(trial.pass(.milliseconds(1)) == [.ask(ring)])
            #expect(
                trial.send(.words(ring.errand.id, areReady: true))
                    == [.start(ring, withWords: true, attempt: attempt + 1)])
        }
        #expect(trial.send(.began(attempt: 7)) == [])
        #expect(trial.send(.failed(attempt: 7, reason: "unplugged")) == [])
        #expect(trial.pass(.milliseconds(500)) == [.ask(ring)])
    }

    @Test("A card that the player has brought back by itself is not begun with once more")
    mutating func playerIsFirst() {
        trial.arrive([ring])
        trial.sound(ring)
        #expect(trial.send(.failed(attempt: 1, reason: "unplugged")) == [])
        #expect(trial.send(.began(attempt: 1)) == [])
        #expect(trial.pass(.seconds(5)) == [])
        #expect(trial.send(.failed(attempt: 1, reason: "unplugged")) == [])
        #expect(trial.pass(.milliseconds(500)) == [.ask(ring)])
    }

    @Test("One that could never sound in all of its time has failed, and the receipt says why")
    mutating func neverSounded() {
        trial.arrive([ring])
        #expect(trial.send(.noted) == [.ask(ring)])
        #expect(trial.send(.words(ring.errand.id, areReady: true)) == [.start(ring, withWords: true, attempt: 1)])
        var silent = trial
        #expect(trial.send(.failed(attempt: 1, reason: "unplugged")) == [])
        #expect(trial.pass(.seconds(60)) == [.stop, .end(ring, .failed(reason: "unplugged"))])
        #expect(trial.send(.ended) == [])
        let reason = "it did not begin to sound in its time"
        #expect(silent.pass(.seconds(60)) == [.stop, .end(ring, .failed(reason: reason))])
    }

    @Test("The light alone may have been seen: a press answers a ring that cannot be heard")
    mutating func answeredUnheard() {
        trial.arrive([ring])
        #expect(trial.send(.noted) == [.ask(ring)])
        #expect(trial.send(.words(ring.errand.id, areReady: true)) == [.start(ring, withWords: true, attempt: 1)])
        #expect(trial.send(.failed(attempt: 1, reason: "unplugged")) == [])
        #expect(trial.send(.answered(ring.errand.id)) == [.stop, .end(ring, .answered)])
    }

    @Test("What the player says of a ring that is over is not held for the next one")
    mutating func lateReport() {
        trial.arrive([ring, other])
        trial.sound(ring)
        #expect(trial.send(.answered(ring.errand.id)) == [.stop, .end(ring, .answered)])
        #expect(trial.send(.ended) == [.note(other)])
        #expect(trial.send(.noted) == [.ask(other)])
        #expect(trial.send(.began(attempt: 1)) == [])
        #expect(trial.send(.failed(attempt: 1, reason: "unplugged")) == [])
        #expect(trial.send(.words(other.errand.id, areReady: true)) == [.start(other, withWords: true, attempt: 2)])
        #expect(trial.send(.failed(attempt: 2, reason: "gone")) == [])
        #expect(trial.pass(.seconds(60)) == [.stop, .end(other, .failed(reason: "gone"))])
    }

    @Test("A ring that the disk cannot note sounds nevertheless")
    mutating func noteFails() {
        trial.arrive([ring])
        #expect(trial.send(.inboxFailed) == [.ask(ring)])
        #expect(trial.ringer.ringing?.entry == ring)
    }

    @Test("An end that the disk refuses is tried again each second, is told once, and holds up neither ring nor fetch")
    mutating func endFails() {
        trial.arrive([ring, other])
        trial.sound(ring)
        #expect(trial.pass(.seconds(10)) == [])
        #expect(trial.send(.answered(ring.errand.id)) == [.stop, .end(ring, .answered)])
        #expect(trial.send(.inboxFailed) == [.note(other)])
        #expect(trial.send(.inboxFailed) == [.ask(other)])
        #expect(trial.send(.words(other.errand.id, areReady: true)) == [.start(other, withWords: true, attempt: 2)])
        #expect(trial.send(.began(attempt: 2)) == [])
        #expect(trial.pass(.seconds(1)) == [.end(ring, .answered)])
        #expect(trial.send(.inboxFailed) == [])
        // A cancel comes: the fetch is not held up by the end that is refused.
        #expect(trial.send(.ringsMayWait) == [])
        #expect(trial.pass(.seconds(1)) == [.fetch])
        #expect(trial.send(.fetched([ring, other], ClockReading(Rings.noon))) == [.end(ring, .answered)])
        #expect(trial.send(.ended) == [])
    }

    @Test("While the disk fails, that nobody has answered is said at once, and not again")
    mutating func missedWhileDiskFails() {
        trial.arrive([ring])
        trial.sound(ring)
        #expect(trial.pass(.seconds(60)) == [.stop, .end(ring, .missed)])
        #expect(trial.send(.inboxFailed) == [.tellMissed])
        #expect(trial.pass(.seconds(1)) == [.end(ring, .missed)])
        #expect(trial.send(.inboxFailed) == [])
        #expect(trial.pass(.seconds(1)) == [.end(ring, .missed)])
        #expect(trial.send(.ended) == [])
    }

    @Test("A fetch that fails takes nothing from the time of what it brings later")
    mutating func fetchFails() {
        let told = trial.now
        #expect(trial.send(.ringsMayWait) == [.fetch])
        #expect(trial.send(.inboxFailed) == [])
        #expect(trial.send(.ringsMayWait) == [])
        #expect(trial.pass(.seconds(1)) == [.fetch])
        #expect(trial.send(.fetched([ring], ClockReading(Rings.noon))) == [.note(ring)])
        #expect(trial.send(.noted) == [.ask(ring)])
        #expect(trial.ringer.ringing?.deadline == told + .seconds(60))
    }
}
