import SoundboxSystem
import Testing

@Suite("A signal that comes once")
struct OneTimeSignalTests {
    @Test("Everybody who waits goes on, and whoever comes later need not wait")
    func signal() async {
        let signal = OneTimeSignal()
        await withDiscardingTaskGroup { group in
            for _ in 1...20 { group.addTask { await signal.wait() } }
            group.addTask { signal.signal() }
        }
        signal.signal()
        await signal.wait()
        #expect(signal.hasHappened)
    }

    @Test("A wait with a limit ends without the signal, and a cancelled task goes on waiting")
    func limit() async {
        let signal = OneTimeSignal()
        await signal.wait(atMost: .milliseconds(1))
        #expect(!signal.hasHappened)
        let waiting = Task { await signal.wait() }
        waiting.cancel()
        signal.signal()
        await waiting.value
    }
}
