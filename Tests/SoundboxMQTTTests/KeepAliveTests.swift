import Testing

@testable import SoundboxMQTT

@Suite("A connection is probed when it is silent, and given up when nothing comes back")
struct KeepAliveTests {
    /// A connection since second 100.
    private final class Line {
        var keepAlive = KeepAlive(interval: .seconds(30), start: .seconds(100))

        func check(_ second: Int) -> KeepAlive.Verdict { keepAlive.check(at: .seconds(second)) }
        func isAnswered() -> Bool { keepAlive.answered() }
        func sends(_ second: Int) { keepAlive.sent(at: .seconds(second)) }
        func hears(_ second: Int) { keepAlive.heard(at: .seconds(second)) }
    }

    private let line = Line()

    @Test("A probe after 30 s without a word, one only, and the end 30 s later")
    func silence() {
        #expect(line.check(129) == .alive)
        #expect(line.check(130) == .pingIsDue)
        #expect(line.check(159) == .alive)
        #expect(line.check(160) == .dead)
    }

    @Test(
        "Whoever waits for the next verdict comes neither too early nor too late",
        arguments: [[], [130], [130, 145], [130, 155]] as [[Int]],
        [(101, 100), (101, 133), (129, 128), (131, 133), (140, 133), (140, 159), (158, 100), (158, 159)])
    func nextVerdict(checks: [Int], last: (heard: Int, sent: Int)) {
        for second in checks { _ = line.check(second) }
        line.hears(last.heard)
        line.sends(last.sent)
        let due = line.keepAlive.nextVerdict
        var copy = line.keepAlive
        #expect(copy.check(at: due - .nanoseconds(1)) == .alive)
        #expect(copy.check(at: due) != .alive)
    }

    @Test("An answer starts it anew")
    func answered() {
        #expect(line.check(130) == .pingIsDue)
        line.sends(130)
        line.hears(131)
        #expect(line.isAnswered())
        #expect(!line.isAnswered())
        #expect(line.check(159) == .alive)
        #expect(line.check(160) == .pingIsDue)
    }

    @Test("Who only sends, or only listens, still has to probe", arguments: [true, false])
    func oneWay(sends: Bool) {
        for second in 101...129 {
            if sends { line.sends(second) } else { line.hears(second) }
            #expect(line.check(second) == .alive)
        }
        #expect(line.check(130) == .pingIsDue)
    }

    @Test("While a message takes minutes to arrive, the answers behind it are waited for, and probes go on")
    func longMessage() {
        var probes = 0
        for second in 101...700 {
            line.hears(second)
            switch line.check(second) {
            case .alive: break
            case .pingIsDue:
                probes += 1
                line.sends(second)
            case .dead: Issue.record("given up after \(second - 100) s")
            }
        }
        #expect(probes == 20)
        for _ in 0..<probes { #expect(line.isAnswered()) }
        #expect(!line.isAnswered())
        // It breaks off in the middle of the next one.
        #expect(line.check(730) == .pingIsDue)
        #expect(line.check(760) == .dead)
    }
}
