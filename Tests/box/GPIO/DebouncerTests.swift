import SoundboxCore
import Testing

@testable import SoundboxGPIO

@Suite("Debouncer")
struct DebouncerTests {
    private let period = Duration.milliseconds(20)

    private enum Input {
        case edge(Int, pressed: Bool)
        case look(Int, pressed: Bool)
    }

    /// Feeds times in milliseconds and returns what came to count, as "press 30" or "release 130".
    private func changes(startingPressed: Bool = false, _ inputs: [Input]) -> [String] {
        var debouncer = Debouncer(period: period, isPressed: startingPressed)
        return inputs.compactMap { input in
            switch input {
            case .edge(let time, let pressed):
                debouncer.lineChanged(toPressed: pressed, at: .milliseconds(time))
            case .look(let time, let pressed):
                debouncer.settle(at: .milliseconds(time), reading: pressed)
            }
        }.map { "\($0.isPressed ? "press" : "release") \($0.time / .milliseconds(1))" }
    }

    @Test("A press counts once it has stood still for the period")
    func press() {
        #expect(changes([.edge(10, pressed: true), .look(30, pressed: true)]) == ["press 30.0"])
    }

    @Test("A line that is read too early stays in doubt")
    func early() {
        #expect(changes([.edge(10, pressed: true), .look(29, pressed: true)]) == [])
        #expect(
            changes([.edge(10, pressed: true), .look(29, pressed: true), .look(30, pressed: true)]) == ["press 30.0"])
    }

    @Test("Bouncing contacts are one press, counted from the last bounce")
    func bounce() {
        let inputs: [Input] = [
            .edge(10, pressed: true), .edge(11, pressed: false), .edge(13, pressed: true), .edge(14, pressed: false),
            .edge(18, pressed: true), .look(38, pressed: true),
        ]
        #expect(changes(inputs) == ["press 38.0"])
    }

    @Test("A spark that is over before the period is nothing")
    func spark() {
        #expect(changes([.edge(10, pressed: true), .edge(12, pressed: false), .look(32, pressed: false)]) == [])
    }

    @Test("Edges that were read late, all at once, still make a press and a release")
    func late() {
        let inputs: [Input] = [.edge(10, pressed: true), .edge(100, pressed: false), .look(500, pressed: false)]
        #expect(changes(inputs) == ["press 30.0", "release 120.0"])
    }

    @Test("A release whose edge was lost is found by looking at the line")
    func lostRelease() {
        let inputs: [Input] = [.edge(10, pressed: true), .look(30, pressed: false), .look(50, pressed: false)]
        #expect(changes(inputs) == ["press 30.0", "release 50.0"])
    }

    @Test("A press whose edge was lost within a burst is found by looking at the line")
    func lostPress() {
        let inputs: [Input] = [.edge(10, pressed: false), .look(30, pressed: true), .look(50, pressed: true)]
        #expect(changes(inputs) == ["press 50.0"])
    }

    @Test("A button held down at the start is released without having been pressed")
    func heldAtStart() {
        #expect(
            changes(startingPressed: true, [.edge(10, pressed: false), .look(30, pressed: false)]) == ["release 30.0"])
    }

    @Test("There is a deadline only while a level is in doubt")
    func deadline() {
        var debouncer = Debouncer(period: period, isPressed: false)
        #expect(debouncer.deadline == nil)
        _ = debouncer.lineChanged(toPressed: true, at: .milliseconds(10))
        #expect(debouncer.deadline == .milliseconds(30))
        _ = debouncer.settle(at: .milliseconds(30), reading: true)
        #expect(debouncer.deadline == nil)
    }

    @Test("Without a period every edge counts as it comes")
    func noPeriod() {
        var debouncer = Debouncer(period: .zero, isPressed: false)
        _ = debouncer.lineChanged(toPressed: true, at: .milliseconds(10))
        #expect(debouncer.settle(at: .milliseconds(10), reading: true)?.isPressed == true)
    }
}
