import SoundboxBox
import SoundboxCore
import TestSupport
import Testing

/// Performs the ringer's actions against a book in memory, with a player, a card and a disk that fail at random, and
/// keeps a record of what sounded and how it ended. Time passes as the test says.
private struct RingBox {
    var random: SeededGenerator
    var ringer = Ringer()
    var now = Duration.seconds(1)
    var wall = Entries.noon
    var isClockRight = true
    /// The rows of the book, oldest first.
    var book: [ErrandEntry] = []
    var arrivals: Int64 = 0
    /// What became of each, by sequence; every further one is a problem.
    var ends: [Int64: String] = [:]
    var outstanding: Ringer.Action?
    var asked: [CommandID] = []
    /// What the player plays.
    var playing: (id: CommandID, attempt: Int)?
    var hushed: Set<CommandID> = []
    /// Those whose cancel could not be committed yet.
    var uncommitted: [CommandID] = []
    /// How often it was said that nobody has answered, with the end on the disk.
    var told = 0
    var isDiskFailing = false
    var restarts = 0
    var isFinished = false
    var problems: [String] = []

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func step() throws {
        pass(.milliseconds(.random(in: 0...4000, using: &random)))
        if chance(25) { try arrive() }
        if chance(15) { try cancel() }
        if chance(10), let id = ringer.ringing?.entry.errand.id { send(.answered(id)) }
        if chance(5) { send(.answered(try CommandID("r-\(arrivals)"))) }
        if chance(10) { send(.soundsChanged) }
        if chance(50), let playing { send(report(of: playing.attempt)) }
        if chance(5) { send(.began(attempt: .random(in: 0...20, using: &random))) }
        if chance(70) { answer(diskFails: chance(15)) }
        if chance(2) { restart() }
    }

    /// Everything ends well, within the time of the longest ring.
    mutating func settle() {
        isClockRight = true
        for _ in 0..<1000 {
            for id in uncommitted { commitCancel(id) }
            uncommitted = []
            pass(.seconds(1))
            for _ in 0..<8 { answer(diskFails: false) }
        }
    }

    private mutating func pass(_ time: Duration) {
        let end = now + time
        // As the service does: not before it is due, and perhaps late.
        while let due = ringer.nextDue, due <= end {
            advance(to: max(now, due))
            let before = ringer.nextDue
            send(.timePassed)
            if ringer.nextDue == before, before.map({ $0 <= now }) ?? false {
                problems.append("what was due is still due")
                break
            }
        }
        advance(to: end)
    }

    private mutating func advance(to time: Duration) {
        let milliseconds = Int64((time - now) / .milliseconds(1))
        wall = Timestamp(millisecondsSince1970: wall.millisecondsSince1970 + milliseconds)
        now = time
    }

    private mutating func arrive() throws {
        arrivals += 1
        let id = try CommandID("r-\(arrivals)")
        let errand = Errand(
            id: id, purpose: .ring(timeout: .seconds(.random(in: 5...60, using: &random))), content: .tone, at: wall)
        book.append(
            ErrandEntry(
                sequence: arrivals, errand: errand, receivedAt: wall, clock: isClockRight ? .confirmed : .none))
        // Its cancel was first: the inbox ends it at once.
        if hushed.contains(id), !uncommitted.contains(id) { commitCancel(id) }
        send(.ringsMayWait)
    }

    /// Of one that waits or sounds, of one that is over, or of one that has not come.
    private mutating func cancel() throws {
        let id = try CommandID("r-\(Int64.random(in: max(1, arrivals - 4)...arrivals + 1, using: &random))")
        hushed.insert(id)
        // On the network's thread, before the commit.
        if playing?.id == id { playing = nil }
        send(.hushed(id))
        if chance(20) {
            uncommitted.append(id)
        } else {
            commitCancel(id)
            send(.ringsMayWait)
        }
        if chance(50) {
            for id in uncommitted { commitCancel(id) }
            uncommitted = []
            send(.ringsMayWait)
        }
    }

    private mutating func commitCancel(_ id: CommandID) {
        guard let index = book.firstIndex(where: { $0.errand.id == id }) else { return }
        end(book.remove(at: index), "cancelled")
    }

    private mutating func end(_ entry: ErrandEntry, _ how: String) {
        if let before = ends.updateValue(how, forKey: entry.sequence) {
            problems.append("\(entry.errand.id) ended as \(how) after \(before)")
        }
    }

    private mutating func restart() {
        send(.stopRequested)
        for _ in 0..<10 where !isFinished { answer(diskFails: chance(50)) }
        if !isFinished { problems.append("did not finish") }
        if playing != nil { problems.append("sounds after the stop") }
        // What was cancelled and not committed is delivered again before anything rings, or later.
        for id in uncommitted { commitCancel(id) }
        (ringer, isFinished, outstanding, asked, uncommitted) = (Ringer(), false, nil, [], [])
        restarts += 1
        isClockRight = chance(70)
        advance(to: now + .seconds(.random(in: 0...20, using: &random)))
        send(.ringsMayWait)
    }

    private mutating func send(_ event: Ringer.Event) {
        for action in ringer.handle(event, at: now) { take(action) }
        guard let playing else { return }
        if ringer.ringing?.entry.errand.id != playing.id { problems.append("\(playing.id) sounds without a light") }
    }

    private mutating func take(_ action: Ringer.Action) {
        if isFinished { problems.append("\(action) after the end") }
        switch action {
        case .fetch, .note, .end:
            if let outstanding { problems.append("\(action) while \(outstanding) is outstanding") }
            outstanding = action
        case .ask(let entry): asked.append(entry.errand.id)
        case .start(let entry, _, let attempt):
            let id = entry.errand.id
            if hushed.contains(id) { problems.append("\(id) sounds after it was cancelled") }
            if let playing, playing.id != id { problems.append("\(id) sounds beside \(playing.id)") }
            if ends[entry.sequence] != nil { problems.append("\(id) sounds after its end") }
            playing = (id, attempt)
        case .stop: playing = nil
        case .tellMissed: told += isDiskFailing ? 0 : 1
        case .report(let mismatch): problems.append("\(mismatch)")
        case .finish: isFinished = true
        }
    }

    private mutating func report(of attempt: Int) -> Ringer.Event {
        if chance(60) { return .began(attempt: attempt) }
        return chance(50) ? .failed(attempt: attempt, reason: "gone") : .wordsFailed(attempt: attempt, reason: "broken")
    }

    private mutating func answer(diskFails: Bool) {
        if let id = asked.popLast() { send(.words(id, areReady: chance(60))) }
        guard let action = outstanding else { return }
        outstanding = nil
        isDiskFailing = diskFails
        defer { isDiskFailing = false }
        if diskFails { return send(.inboxFailed) }
        switch action {
        case .fetch: send(.fetched(book, ClockReading(wall, isClockRight ? .confirmed : .none)))
        case .note(let entry):
            let index = book.firstIndex { $0.sequence == entry.sequence }
            if let index { book[index].isSounding = true }
            send(index == nil ? .withdrawn : .noted)
        case .end(let entry, let how):
            guard let index = book.firstIndex(where: { $0.sequence == entry.sequence }) else {
                return send(.endedAlready)
            }
            end(book.remove(at: index), "\(how)")
            send(.ended)
        default: problems.append("\(action) is no request")
        }
    }
}

@Suite("The ringer under random events", .timeLimit(.minutes(10)))
struct RingerRandomTests {
    @Test(
        "Every ring has exactly one end, never do two sound, and none after its cancel",
        arguments: 1...40 as ClosedRange<UInt64>)
    func everyRingOnce(seed: UInt64) throws {
        var box = RingBox(seed: seed)
        for _ in 0..<1000 { try box.step() }
        box.settle()
        #expect(box.problems == [])
        #expect(box.arrivals > 100 && box.restarts > 3)
        #expect(Set(box.ends.keys) == Set(1...box.arrivals))
        #expect(box.book.isEmpty && box.playing == nil && box.ringer.nextDue == nil)
        let kinds = Set(box.ends.values)
        #expect(kinds.isSuperset(of: ["answered", "missed", "cancelled"]), "\(kinds)")
        #expect(box.told <= box.ends.values.count { $0 == "missed" })
    }
}
