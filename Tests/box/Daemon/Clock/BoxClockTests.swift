import SoundboxCore
import Synchronization
import Testing

@testable import SoundboxBox

/// A machine whose wall clock is wrong by what a test says.
final class TestMachine: Sendable {
    static let noon = Timestamp(millisecondsSince1970: 1_795_233_600_000)

    private struct Content {
        /// Since noon, in truth and since boot.
        var passed = Duration.zero
        /// How far the wall clock is ahead.
        var error = Duration.zero
        var isSynchronised = false
    }

    private let content: Mutex<Content>
    struct Full: Error {}

    struct Disk {
        var time: KnownTime?
        var writes = 0
        var isFull = false
    }

    let disk = Mutex(Disk())

    init(error: Duration = .zero, isSynchronised: Bool = false) {
        content = Mutex(Content(error: error, isSynchronised: isSynchronised))
    }

    static func time(_ sinceNoon: Duration) -> Timestamp {
        Timestamp(millisecondsSince1970: noon.millisecondsSince1970 + Int64(sinceNoon / .milliseconds(1)))
    }

    /// What the time is in truth.
    var truth: Timestamp { Self.time(content.withLock { $0.passed }) }

    func pass(_ time: Duration) { content.withLock { $0.passed += time } }

    /// Sets the wall clock; a server sets it right.
    func set(error: Duration = .zero, byServer isSynchronised: Bool = true) {
        content.withLock { ($0.error, $0.isSynchronised) = (error, isSynchronised) }
    }

    /// Nothing has come from the server for hours.
    func loseServer() { content.withLock { $0.isSynchronised = false } }

    func clock(newestKnown: Timestamp? = nil) -> BoxClock {
        BoxClock(
            newestKnown: newestKnown,
            keeper: .init(
                read: { self.disk.withLock { $0.time } },
                write: { time in
                    try self.disk.withLock { disk in
                        if disk.isFull { throw Full() }
                        disk.time = time
                        disk.writes += 1
                    }
                })
        ) {
            let now = self.content.withLock { $0 }
            return ClockSigns(
                now: Self.time(now.passed + now.error), isSynchronised: now.isSynchronised, offset: now.error)
        }
    }
}

extension Duration {
    static func days(_ count: Int) -> Duration { .seconds(count * 86_400) }
}

@Suite("Whether the clock can be believed")
struct BoxClockTests {
    private let policy = FreshnessPolicy(expireAfter: .seconds(600))
    private let admission = NoticeAdmission(window: .days(90), retainedWindow: .seconds(600))

    private func entry(paidAt: Timestamp?, arrived reading: ClockReading) throws -> InboxEntry {
        InboxEntry(
            sequence: 1, notice: PaymentNotice(id: try PaymentID("A"), money: try Money("1", .CNY), paidAt: paidAt),
            receivedAt: reading.time, clock: reading.trust, state: .received)
    }

    /// Has the clock and the admission take a signed payment that is made right now.
    private func pay(_ clock: BoxClock, at time: Timestamp) throws -> InboxEntry {
        var paid = try entry(paidAt: time, arrived: clock.reading)
        #expect(admission.rejection(of: paid.notice, isSigned: true, isRetained: false, clock.reading) == nil)
        clock.learn(time)
        clock.arrived(paidAt: time)
        (paid.receivedAt, paid.clock) = (clock.reading.time, clock.reading.trust)
        return paid
    }

    struct Case: Sendable, CustomStringConvertible {
        var description: String
        /// How far the clock is ahead when the box starts.
        var error: Duration
        var isSynchronised = false
        var state: ClockState
        /// After two signed payments that were made just now.
        var stateAfterPayments: ClockState
    }

    static let cases = [
        Case(
            description: "right, by a server", error: .zero, isSynchronised: true, state: .synchronised,
            stateAfterPayments: .synchronised),
        Case(
            description: "right, by a battery or by chance", error: .zero, state: .unconfirmed,
            stateAfterPayments: .unconfirmed),
        Case(
            description: "behind, as it was saved at the power cut", error: .seconds(-36_000), state: .unconfirmed,
            stateAfterPayments: .behind),
        Case(description: "behind the newest payment", error: .days(-3), state: .behind, stateAfterPayments: .behind),
        Case(
            description: "1970, whoever says so", error: .milliseconds(60_000 - 1_795_233_600_000), state: .behind,
            stateAfterPayments: .behind),
        Case(
            description: "ahead, by a battery or by hand", error: .days(365), state: .unconfirmed,
            stateAfterPayments: .doubtful),
        Case(description: "2085, by a battery", error: .days(59 * 365), state: .wrong, stateAfterPayments: .wrong),
    ]

    @Test(
        "Whatever the clock shows: a payment made now is taken and fresh, then, and after a server has set the clock",
        arguments: cases, [true, false])
    func table(example: Case, isOff: Bool) throws {
        let machine = TestMachine(error: example.error, isSynchronised: example.isSynchronised)
        // The evening before, a payment came under a confirmed clock.
        let evening = TestMachine.time(.seconds(-50_000))
        var clock = machine.clock(newestKnown: evening)
        clock.afterStep { #expect($0 == .start) }
        #expect(clock.state == example.state)

        _ = try pay(clock, at: machine.truth)
        machine.pass(.seconds(1))
        let first = try pay(clock, at: machine.truth)
        #expect(policy.isFresh(first, at: clock.reading))
        #expect(clock.state == example.stateAfterPayments)
        var silent = try entry(paidAt: nil, arrived: clock.reading)
        #expect(policy.isFresh(silent, at: clock.reading))

        machine.pass(.seconds(120))
        machine.set()
        if isOff { clock = machine.clock(newestKnown: first.clock == .confirmed ? first.receivedAt : evening) }
        clock.afterStep { _ in if silent.clock == .unconfirmed { silent.clock = .none } }
        // The right clock is not "unset" for what a wrong one has left behind.
        #expect(clock.reading == ClockReading(machine.truth))
        #expect(clock.state == .synchronised && clock.fault == nil)
        #expect(policy.isFresh(first, at: clock.reading))
        #expect(policy.isFresh(silent, at: clock.reading))
        #expect(policy.isFresh(try pay(clock, at: machine.truth), at: clock.reading))
        // And it judges again.
        machine.pass(.seconds(900))
        #expect(!policy.isFresh(first, at: clock.reading))
    }

    @Test("Set right without a server while the box was off, the clock is believed again", arguments: [365, 59 * 365])
    func rightByHand(daysAhead: Int) throws {
        let machine = TestMachine(error: .days(daysAhead))
        _ = try pay(machine.clock(), at: machine.truth)
        machine.set(byServer: false)
        let clock = machine.clock()
        #expect(clock.reading.believed == machine.truth)
        #expect(policy.isFresh(try pay(clock, at: machine.truth), at: clock.reading))
    }

    @Test(
        "What two signed messages agree on is learned: what waited since long before is late, by a clock that is behind"
    )
    func learning() throws {
        let machine = TestMachine(error: .days(-1))
        let clock = machine.clock()
        let night = try entry(paidAt: TestMachine.time(.seconds(-30_000)), arrived: clock.reading)
        clock.learn(machine.truth)
        #expect(clock.reading.time == TestMachine.time(.days(-1)))
        machine.pass(.seconds(60))
        #expect(policy.isFresh(night, at: clock.reading))
        #expect(clock.fault == nil)
        clock.learn(machine.truth)
        // As much as a sender's clock may be ahead is left open.
        let known = TestMachine.time(.seconds(60) - BoxClock.tolerance)
        #expect(clock.reading.time == known)
        #expect(!policy.isFresh(night, at: clock.reading))
        #expect(clock.fault?.contains("the clock is behind") == true)
        // It goes on by itself, and the next start knows it.
        #expect(try clock.keep() == KnownTime(earliest: known, proven: nil))
        #expect(machine.clock().reading.time == known)
        machine.pass(.seconds(60))
        #expect(clock.reading.time == TestMachine.time(.seconds(120) - BoxClock.tolerance))
    }

    @Test(
        "A server whose clock is ahead, by two minutes or by an hour, makes nothing of the others late",
        arguments: [120, 3_600])
    func oneAhead(seconds: Int) throws {
        let machine = TestMachine()
        let clock = machine.clock()
        let policy = FreshnessPolicy(expireAfter: .seconds(60))
        for _ in 1...(seconds < 300 ? 5 : 1) {
            clock.learn(TestMachine.time(.seconds(seconds)))
            machine.pass(.seconds(1))
            #expect(policy.isFresh(try pay(clock, at: machine.truth), at: clock.reading))
            #expect(clock.reading == ClockReading(machine.truth, .unconfirmed, earliest: clock.reading.earliest))
        }
    }

    @Test(
        "One wrong date of a provider refuses nothing and makes nothing late; two refuse, and a server takes them back")
    func poison() throws {
        let machine = TestMachine()
        let clock = machine.clock()
        clock.learn(TestMachine.time(.days(3650)))
        // Sent once more it is still one.
        machine.pass(.seconds(5))
        clock.learn(TestMachine.time(.days(3650)))
        let next = try pay(clock, at: machine.truth)
        #expect(policy.isFresh(next, at: clock.reading))
        // Nobody can run this program in 2041.
        clock.learn(Timestamp(millisecondsSince1970: BoxClock.end.millisecondsSince1970))
        #expect(clock.reading.earliest.map { $0 < TestMachine.time(.days(1)) } == true)

        clock.learn(TestMachine.time(.days(3649)))
        #expect(
            admission.rejection(of: next.notice, isSigned: true, isRetained: false, clock.reading)?.field == "paid_at")
        try clock.keep()
        #expect(machine.disk.withLock { $0.time?.earliest } ?? machine.truth > TestMachine.time(.days(3000)))
        machine.set()
        _ = try pay(clock, at: machine.truth)
        #expect(try clock.keep()?.earliest == machine.truth)
        machine.loseServer()
        #expect(machine.clock().reading.time == machine.truth)
    }

    @Test(
        "Two commands that are an hour ahead refuse no right one, now and after a restart, and let no old one pass",
        arguments: [true, false])
    func commandsAhead(wasConfirmed: Bool) throws {
        let machine = TestMachine(isSynchronised: wasConfirmed)
        let before = machine.clock()
        #expect(try before.keep()?.proven == (wasConfirmed ? machine.truth : nil))
        machine.loseServer()
        func isTaken(_ clock: BoxClock, age: Duration) throws -> Bool {
            let at = TestMachine.time(machine.truth.duration(since: TestMachine.noon) - age)
            let command = CommandMessage(id: try CommandID("c"), at: at, command: .play(.last))
            let circumstances = CommandJudge.Circumstances(isSigned: true, clock: clock.reading)
            return (try? CommandJudge.judge(command, circumstances)) != nil
        }
        machine.pass(.seconds(600))
        let clock = machine.clock()
        for seconds in [3600, 3601] {
            clock.learn(TestMachine.time(.seconds(600 + seconds)))
            try clock.keep()
        }
        #expect(try isTaken(clock, age: .zero))
        #expect(try isTaken(machine.clock(), age: .zero))
        // From before what the server has proven, which no message can move.
        for clock in [clock, machine.clock()] {
            #expect(try isTaken(clock, age: .seconds(4 * 3600)) == !wasConfirmed)
        }
    }

    @Test("Out of reach of its server a clock stays confirmed, until somebody sets it")
    func withoutServer() {
        let machine = TestMachine(isSynchronised: true)
        let clock = machine.clock()
        #expect(clock.reading.trust == .confirmed)
        machine.pass(.days(2))
        machine.loseServer()
        #expect(clock.reading == ClockReading(machine.truth))
        machine.set(error: .seconds(90), byServer: false)
        #expect(clock.reading.trust == .unconfirmed)
        machine.set(error: .zero, byServer: false)
        #expect(clock.reading.trust == .unconfirmed)
    }

    @Test("What the box has known for certain lasts: an old notice is refused by a box that starts in 1970")
    func replay() throws {
        let machine = TestMachine(isSynchronised: true)
        #expect(try machine.clock().keep()?.proven == TestMachine.noon)
        machine.set(error: .milliseconds(-1_795_233_600_000), byServer: false)
        let clock = machine.clock()
        let old = try entry(paidAt: TestMachine.time(.days(-91)), arrived: clock.reading).notice
        #expect(admission.rejection(of: old, isSigned: true, isRetained: false, clock.reading)?.field == "paid_at")
        let recent = try entry(paidAt: TestMachine.time(.days(-89)), arrived: clock.reading).notice
        #expect(admission.rejection(of: recent, isSigned: true, isRetained: false, clock.reading) == nil)
    }

    @Test("The disk is written to once an hour at most, and a time that could not be written is tried again")
    func keeping() throws {
        let machine = TestMachine(isSynchronised: true)
        let clock = machine.clock()
        machine.disk.withLock { $0.isFull = true }
        #expect(throws: TestMachine.Full.self) { try clock.keep() }
        machine.disk.withLock { $0.isFull = false }
        var last = 0
        for seconds in [0, 1, 3599, 3600, 3601] {
            machine.pass(.seconds(seconds - last))
            last = seconds
            #expect(try clock.keep()?.proven == TestMachine.time(seconds < 3600 ? .zero : .seconds(3600)))
        }
        #expect(machine.disk.withLock { $0.writes } == 2)
    }

    @Test("A clock that cannot be right is a fault with a name; one that is not set yet is none")
    func fault() {
        func fault(_ now: Timestamp) -> String? {
            BoxClock(newestKnown: nil) { ClockSigns(now: now, isSynchronised: true, offset: .zero) }.fault
        }
        let in2086 = Timestamp(millisecondsSince1970: 3_688_000_000_000)
        #expect(fault(in2086)?.contains("2086") == true)
        // The same words a second later: a fault that changed all the time would be told all the time.
        #expect(fault(Timestamp(millisecondsSince1970: in2086.millisecondsSince1970 + 1000)) == fault(in2086))
        #expect(fault(TestMachine.noon) == nil)
        #expect(fault(Timestamp(millisecondsSince1970: 60_000)) == nil)
    }

    @Test("A kernel that may not be asked is told apart from one that knows of no server")
    func unreadable() {
        func state(_ refusal: String?) -> ClockState {
            BoxClock(newestKnown: nil) {
                ClockSigns(now: TestMachine.noon, isSynchronised: false, offset: .zero, refusal: refusal)
            }.state
        }
        #expect(state(nil) == .unconfirmed)
        #expect(state("adjtimex: Operation not permitted") == .unreadable)
    }

    @Test("A step forward by a minute is dealt with once; small steps and steps back are not")
    func steps() {
        let machine = TestMachine()
        let clock = machine.clock()
        var steps: [BoxClock.Step] = []
        clock.afterStep { steps.append($0) }
        #expect(steps == [.start])
        for (seconds, isStep) in [(0, false), (59, false), (119, true), (119, false), (0, false), (3600, true)] {
            machine.set(error: .seconds(seconds), byServer: false)
            steps = []
            clock.afterStep { steps.append($0) }
            #expect(steps == (isStep ? [.forward] : []), "\(seconds)")
        }
    }

    @Test("A step that could not be dealt with is found again")
    func failing() {
        struct Full: Error {}
        let clock = TestMachine().clock()
        #expect(throws: Full.self) { try clock.afterStep { _ in throw Full() } }
        var steps: [BoxClock.Step] = []
        clock.afterStep { steps.append($0) }
        clock.afterStep { steps.append($0) }
        #expect(steps == [.start])
    }
}
