import Testing

@testable import SoundboxMQTT

@Suite("Another client with the same client id is suspected")
struct TakeOverSuspicionTests {
    private func watch(_ endings: [(held: Duration?, byBroker: Bool)]) -> TakeOverSuspicion {
        var watch = TakeOverSuspicion()
        for ending in endings { watch.ended(after: ending.held, byBroker: ending.byBroker) }
        return watch
    }

    @Test("after three connections in a row that the broker ended within a minute, and not before")
    func threeInARow() {
        #expect(!watch([(.seconds(1), true), (.seconds(20), true)]).isSuspected)
        #expect(watch([(.seconds(1), true), (.seconds(20), true), (.seconds(59), true)]).isSuspected)
    }

    @Test(
        "not when one of them held, or was not the broker's doing, or when the broker could not be reached in between",
        arguments: [(.seconds(60), true), (.seconds(1), false), (nil, true)] as [(Duration?, Bool)])
    func otherwise(held: Duration?, byBroker: Bool) {
        let eviction = (held: Duration?.some(.seconds(1)), byBroker: true)
        #expect(!watch([eviction, eviction, (held, byBroker), eviction, eviction]).isSuspected)
    }

    @Test("at once where the broker says so, whatever comes between, until a connection holds for a minute")
    func certain() {
        var watch = TakeOverSuspicion()
        watch.takenOver()
        #expect(watch.isSuspected && watch.isCertain)
        watch.ended(after: nil, byBroker: false)
        watch.holds(for: .seconds(59))
        #expect(watch.isCertain)
        watch.holds(for: .seconds(60))
        #expect(!watch.isSuspected && !watch.isCertain)
    }

    @Test("until a connection holds for a minute")
    func cleared() {
        var watch = watch(Array(repeating: (held: .seconds(1), byBroker: true), count: 5))
        watch.holds(for: .seconds(59))
        #expect(watch.isSuspected)
        watch.holds(for: .seconds(60))
        #expect(!watch.isSuspected)
    }
}
