import SoundboxSystem
import Testing

@testable import SoundboxMQTT

@Suite("Waits between connection attempts")
struct BackoffTests {
    @Test("The longest wait doubles from attempt to attempt, up to the cap")
    func doubling() {
        var backoff = Backoff(initial: .milliseconds(500), maximum: .seconds(3))
        // Almost 1: the upper end of each draw.
        let waits = (1...5).map { _ in backoff.next { 1 } }
        #expect(waits == [.milliseconds(500), .seconds(1), .seconds(2), .seconds(3), .seconds(3)])
    }

    @Test("A gateway waits for 5 s at most")
    func gateway() {
        var backoff = FleetLoop.backoff
        #expect((1...9).map { _ in backoff.next { 1 } }.max() == .seconds(5))
    }

    @Test("A wait is never shorter than half of the longest, and chance decides in between")
    func jitter() {
        var low = Backoff(initial: .seconds(1), maximum: .seconds(30))
        #expect(low.next { 0 } == .milliseconds(500))
        var middle = Backoff(initial: .seconds(1), maximum: .seconds(30))
        #expect(middle.next { 0.5 } == .milliseconds(750))
    }

    @Test(
        "Whom a broker that is away has refused comes back behind those who have not tried yet, and then later and later"
    )
    func refusal() {
        for random in [0, 0.5, 1] {
            var backoff = Backoff()
            _ = backoff.next { 1 }
            let waits = (1...4).map { _ in backoff.nextAfterRefusal(window: .seconds(5)) { random } }
            #expect(waits[0] == .seconds(5) * (1 + random))
            #expect(waits[1] == .seconds(10) * (1 + random))
            #expect(waits[3] == .seconds(15) * (1 + random))
        }
        var without = Backoff()
        #expect(without.nextAfterRefusal(window: .zero) { 1 } == .milliseconds(500))
        var long = Backoff()
        #expect(long.nextAfterRefusal(window: .seconds(300)) { 1 } == .seconds(300))
    }

    @Test("Of ten thousand boxes whose broker is away for a while, no more than two thousand come in any second")
    func herd() {
        for away in [0.0, 1, 2, 3, 5, 8, 10, 20, 30] {
            var tenths: [Int: Int] = [:]
            for _ in 1...10_000 {
                var backoff = Backoff()
                _ = backoff.next()
                var moment = Duration.seconds(5) * Double.random(in: 0..<1)
                while moment < .seconds(away) { moment += backoff.nextAfterRefusal(window: .seconds(5)) }
                tenths[Int(moment / .milliseconds(100)), default: 0] += 1
            }
            let worst = tenths.keys.map { first in (0..<10).reduce(0) { $0 + (tenths[first + $1] ?? 0) } }.max() ?? 0
            // Chance adds some.
            #expect(worst < 2_300, "away for \(away) s")
        }
    }

    @Test("After a reset the waits begin again")
    func reset() {
        var backoff = Backoff(initial: .seconds(1), maximum: .seconds(30))
        for _ in 1...4 { _ = backoff.next { 1 } }
        backoff.reset()
        #expect(backoff.next { 1 } == .seconds(1))
    }

    @Test(
        "poll's milliseconds are rounded up, so that no wait becomes a spin",
        arguments: [
            (Duration.zero, 0), (.seconds(-1), 0), (.nanoseconds(1), 1), (.milliseconds(1), 1),
            (.microseconds(1_001), 2), (.seconds(1), 1_000), (.seconds(1 << 40), 1_000_000_000),
        ] as [(Duration, Int32)])
    func pollMilliseconds(duration: Duration, expected: Int32) {
        #expect(duration.pollMilliseconds == expected)
    }
}
