import Synchronization
import Testing

@testable import SoundboxSystem

@Suite("How much anybody from outside can have logged")
struct RateLimitTests {
    private final class Clock: Sendable {
        private let time = Mutex(Duration.seconds(1000))
        var now: Duration { time.withLock { $0 } }
        func advance(by step: Duration) { time.withLock { $0 += step } }
    }

    private let clock = Clock()

    private func rateLimit() -> RateLimit {
        RateLimit(limit: 3, per: .seconds(60)) { [clock] in clock.now }
    }

    @Test("So many lines, then none until the interval is over; the next one tells how many were held back")
    func limit() {
        let rateLimit = rateLimit()
        #expect((1...3).map { _ in rateLimit.take() } == [0, 0, 0])
        clock.advance(by: .seconds(59))
        #expect((1...5).map { _ in rateLimit.take() } == [nil, nil, nil, nil, nil])
        clock.advance(by: .seconds(1))
        #expect((1...4).map { _ in rateLimit.take() } == [5, 0, 0, nil])
    }

    @Test("What was held back over several intervals is told once")
    func silence() {
        let rateLimit = rateLimit()
        for _ in 1...5 { _ = rateLimit.take() }
        clock.advance(by: .seconds(86_400))
        #expect(rateLimit.take() == 2)
        #expect(rateLimit.take() == 0)
    }
}
