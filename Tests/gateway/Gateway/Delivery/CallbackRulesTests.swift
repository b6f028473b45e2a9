import Testing

@testable import SoundboxGateway

@Suite("When a callback is sent again")
struct CallbackRulesTests {
    @Test("After 5 s, doubled with each attempt to an hour")
    func pauses() {
        let pauses = [1, 2, 3, 10, 11, 12, 100, .max].map { CallbackRules.pause(after: $0) }
        #expect(pauses == [5, 10, 20, 2560, 3600, 3600, 3600, 3600].map { .seconds($0) })
    }

    @Test("A receiver that takes nothing is asked with one event, more and more seldom; one that takes one gets all")
    func health() {
        var health = ReceiverHealth()
        #expect(health.room(inFlight: 3, at: .zero) == 29)
        // Sixteen that were under way together.
        for _ in 1...16 { health.failed(sentAt: .zero, at: .seconds(10)) }
        #expect(health.failures == 1)
        #expect(health.room(inFlight: 0, at: .seconds(10)) == 0 && health.room(inFlight: 0, at: .seconds(11)) == 1)
        #expect(health.room(inFlight: 1, at: .seconds(11)) == 0)
        var now = Duration.seconds(10)
        for _ in 1...20 {
            let start = health.pausedUntil ?? .zero
            #expect(start - now <= .seconds(60))
            now = start + .seconds(1)
            health.failed(sentAt: start, at: now)
        }
        #expect(health.pausedUntil == now + .seconds(60))
        health.succeeded()
        #expect(health.room(inFlight: 0, at: now) == 32)
    }
}
