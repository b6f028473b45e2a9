import SoundboxSystem
import Testing

@Suite("Sleeps that can be ended", .timeLimit(.minutes(10)))
struct InterruptionTests {
    @Test("A sleep lasts until its moment, by the clock that never jumps")
    func whole() async throws {
        let interruption = Interruption()
        let (moment, end) = try await onOwnThread(named: "sleeper") {
            let moment = Duration.monotonicNow + .milliseconds(20)
            interruption.sleep(until: moment)
            return (moment, Duration.monotonicNow)
        }
        #expect(end >= moment)
    }

    @Test("A moment that has passed is not slept for")
    func past() {
        Interruption().sleep(until: .zero)
        Interruption().sleep(until: .seconds(-1))
    }

    @Test("Another thread ends a sleep of a day, and every one that begins before it is taken back")
    func ended() async throws {
        let interruption = Interruption()
        try await onOwnThread(named: "sleeper") {
            startThread(named: "interrupter") { interruption.raise() }
            for _ in 1...2 { interruption.sleep(until: .monotonicNow + .seconds(86_400)) }
        }
        #expect(interruption.isInForce)
        interruption.clear()
        #expect(!interruption.isInForce)
    }
}
