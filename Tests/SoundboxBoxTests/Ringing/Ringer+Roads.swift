import SoundboxBox
import SoundboxCore
import Testing

/// Rings of a book, made for tests.
enum Rings {
    static let noon = Entries.noon

    static func ring(
        _ sequence: Int64, timeout: Int = 30, age: Duration = .zero, clock: ClockTrust = .confirmed,
        isSounding: Bool = false
    ) throws -> ErrandEntry {
        let received = Timestamp(millisecondsSince1970: noon.millisecondsSince1970 - Int64(age / .milliseconds(1)))
        let errand = Errand(
            id: try CommandID("r-\(sequence)"), purpose: .ring(timeout: .seconds(timeout)), content: .tone, at: received
        )
        return ErrandEntry(
            sequence: sequence, errand: errand, receivedAt: received, clock: clock, isSounding: isSounding)
    }

    static func sentence(_ sequence: Int64) throws -> ErrandEntry {
        let errand = Errand(
            id: try CommandID("s-\(sequence)"), purpose: .say, content: .text("欢迎光临"), at: noon)
        return ErrandEntry(sequence: sequence, errand: errand, receivedAt: noon)
    }
}

/// A ringer with a clock that the test moves.
struct RingerTrial {
    var ringer = Ringer()
    var now = Duration.seconds(1000)

    mutating func send(_ event: Ringer.Event) -> [Ringer.Action] { ringer.handle(event, at: now) }

    mutating func pass(_ time: Duration) -> [Ringer.Action] {
        now += time
        return send(.timePassed)
    }

    /// A box that has started with nothing in its book.
    static func started() -> RingerTrial {
        var trial = RingerTrial()
        #expect(trial.send(.ringsMayWait) == [.fetch])
        #expect(trial.send(.fetched([], ClockReading(Rings.noon))) == [])
        return trial
    }

    /// These are in the book, and the first of them is noted.
    mutating func arrive(_ rings: [ErrandEntry]) {
        #expect(send(.ringsMayWait) == [.fetch])
        let note: [Ringer.Action] = ringer.ringing == nil ? rings.prefix(1).map { .note($0) } : []
        #expect(send(.fetched(rings, ClockReading(Rings.noon))) == note)
    }

    /// From the note to the sound, with words that are there.
    mutating func sound(_ ring: ErrandEntry, attempt: Int = 1) {
        #expect(send(.noted) == [.ask(ring)])
        #expect(
            send(.words(ring.errand.id, areReady: true)) == [.start(ring, withWords: true, attempt: attempt)])
        #expect(send(.began(attempt: attempt)) == [])
        #expect(ringer.ringing?.entry == ring)
    }
}
