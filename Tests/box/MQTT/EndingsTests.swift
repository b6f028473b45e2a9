import SoundboxCore
import Testing

@testable import SoundboxMQTT

@Suite("What the ends of connections say")
struct EndingsTests {
    private func fault(_ ends: Endings.End...) -> FeedFault? {
        var endings = Endings()
        for end in ends { endings.ended(end) }
        return endings.fault(clientID: "box")
    }

    private func quiet(_ seconds: Double) -> Endings.End { .closed(after: .seconds(seconds), instead: nil) }

    // MARK: Another client of the same id

    @Test("Another client is suspected after three quiet connections in a row that the broker closed within a minute")
    func threeInARow() {
        #expect(fault(quiet(1), quiet(20)) == nil)
        #expect(fault(quiet(1), quiet(20), quiet(59)) == .clientIDTaken("box"))
        // The first visit of two boxes that start together is a short one.
        #expect(fault(quiet(1), quiet(0.1), quiet(20), quiet(0.25)) == .clientIDTaken("box"))
    }

    @Test(
        "It is not when one of them held, or was not the broker's doing, or when the broker was away in between",
        arguments: [Endings.End.closed(after: .seconds(60), instead: nil), .other, .violation("x")])
    func otherwise(end: Endings.End) { #expect(fault(quiet(1), quiet(1), end, quiet(1), quiet(1)) == nil) }

    @Test(
        "It is certain at once where the broker says so, whatever comes between, until a connection holds for a minute")
    func certain() {
        var endings = Endings()
        endings.ended(.takenOver)
        #expect(endings.fault(clientID: "box") == .clientIDTaken("box", isCertain: true))
        endings.ended(.other)
        endings.holds(for: .seconds(59))
        #expect(endings.isTakeOverSuspected)
        endings.holds(for: .seconds(60))
        #expect(!endings.isTakeOverSuspected && endings.fault(clientID: "box") == nil)
    }

    @Test("It is suspected until a connection holds for a minute")
    func cleared() {
        var endings = Endings()
        for _ in 1...5 { endings.ended(quiet(1)) }
        endings.holds(for: .seconds(59))
        #expect(endings.isTakeOverSuspected)
        endings.holds(for: .seconds(60))
        #expect(!endings.isTakeOverSuspected)
    }

    // MARK: A broker that closes

    @Test(
        "A broker that closes at once, or in place of an answer, is told with that: nobody had time to take the place")
    func closes() {
        let end = Endings.End.closed(after: .seconds(1), instead: "it does not like it")
        #expect(fault(end, end) == nil)
        #expect(fault(end, end, end) == .connectionsClosed(instead: "it does not like it"))
        #expect(fault(quiet(0.001), quiet(0.2), quiet(0)) == .connectionsClosed(instead: nil))
        #expect(fault(end, end, .other, end) == nil)
        // One that was evicted while a receipt was under way is no reason to look for another fault.
        #expect(fault(end, quiet(1), end, quiet(1), end, quiet(1)) == .clientIDTaken("box"))
    }

    @Test("What the broker closes after ten seconds had held, and such a connection ends the fault")
    func held() {
        let late = Endings.End.closed(after: .seconds(10), instead: "x")
        #expect(fault(late, late, late, late) == nil)
        var endings = Endings()
        for _ in 1...3 { endings.ended(.closed(after: .zero, instead: "x")) }
        endings.holds(for: .milliseconds(9_999))
        #expect(endings.fault(clientID: "box") == .connectionsClosed(instead: "x"))
        endings.holds(for: .seconds(10))
        #expect(endings.fault(clientID: "box") == nil)
    }

    // MARK: A message that cannot be taken

    @Test("What comes twice and cannot be taken is a fault, whatever comes between, until a connection holds")
    func violation() {
        #expect(fault(.violation("a malformed packet")) == nil)
        var endings = Endings()
        endings.ended(.violation("a text that is not UTF-8"))
        endings.ended(.other)
        endings.ended(.violation("a malformed packet"))
        let fault = FeedFault.messageCannotBeTaken("a malformed packet", clientID: "box")
        #expect(endings.fault(clientID: "box") == fault && fault.stopsPayments)
        endings.holds(for: .milliseconds(9_999))
        #expect(endings.fault(clientID: "box") == fault)
        endings.holds(for: .seconds(10))
        #expect(endings.fault(clientID: "box") == nil)
    }
}
