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
