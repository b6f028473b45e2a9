import SoundboxCore
import Testing

@testable import SoundboxBox

@Suite("What the box's services tell each other", .timeLimit(.minutes(10)))
struct BoxStateTests {
    private let state = BoxState(volume: Volume(50))

    @Test("An observer sees the state as it is, and a slow one the newest")
    func newest() async {
        state.update { $0.xruns = 1 }
        var seen: [Int] = []
        for await snapshot in state.changes() {
            seen.append(snapshot.xruns)
            if snapshot.xruns == 9 { break }
            for count in 2...9 { state.update { $0.xruns = count } }
        }
        #expect(seen == [1, 9])
    }

    @Test("What makes no difference wakes no observer")
    func noDifference() async {
        var seen: [Int] = []
        for await snapshot in state.changes() {
            seen.append(snapshot.xruns)
            if snapshot.xruns == 7 { break }
            state.update { $0.xruns = 0 }
            // Long enough for a wake-up that should not be.
            Task { [state] in
                for _ in 1...100 { await Task.yield() }
                state.update { $0.xruns = 7 }
            }
        }
        #expect(seen == [0, 7])
    }

    @Test("An observer that ends in the middle of a change holds nobody up")
    func endingObserver() async {
        // As at the box's end: the lights stop watching while the announcer says that it is done. The change and the
        // end must meet, hence the many rounds.
        for _ in 1...3_000 {
            let isWatching = AsyncStream.makeStream(of: Void.self)
            let observer = Task { [state] in
                for await _ in state.changes() { isWatching.continuation.yield() }
            }
            for await _ in isWatching.stream { break }
            async let change: Void = { [state] in state.update { $0.xruns += 1 } }()
            observer.cancel()
            await change
            await observer.value
        }
    }

    @Test("What the connection does not show is a warning, until it is over: the box does its work")
    func feedFaults() {
        state.update { $0.feedFaults = [.clientIDTaken("box"), .noticesAtQoS0] }
        #expect(state.snapshot.warnings.count == 2 && state.snapshot.faults.isEmpty)
        #expect(state.snapshot.warnings[0].hasPrefix("another client uses this box's client id \"box\""))
        state.update { $0.feedFaults = [] }
        #expect(state.snapshot.warnings.isEmpty)
    }

    @Test("A feed that no payment can come through is a fault, and no warning as well")
    func stoppedFeed() {
        state.update { $0.feedFaults = [.noticesAtQoS0, .messageCannotBeTaken("x", clientID: "box")] }
        #expect(state.snapshot.warnings.count == 1)
        #expect(
            state.snapshot.faults.count == 1 && state.snapshot.fault(.broker)?.contains("cannot be taken: x") == true)
    }
}
