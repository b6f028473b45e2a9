import SoundboxCore
import Testing

@Suite("Gestures")
struct GesturesTests {
    private func edge(_ button: Button, _ isPressed: Bool, _ milliseconds: Int) -> ButtonEdge {
        ButtonEdge(button: button, isPressed: isPressed, time: .milliseconds(milliseconds))
    }

    /// Presses a button at 0 and keeps it down until `end` (ms), calling whenever there is a deadline.
    private func actionsWhileHolding(_ button: Button, until end: Int) -> [Gestures.Action] {
        var gestures = Gestures()
        var actions = gestures.handle(edge(button, true, 0))
        while let deadline = gestures.nextDeadline, deadline < .milliseconds(end) {
            actions += gestures.advance(to: deadline)
        }
        actions += gestures.handle(edge(button, false, end))
        #expect(gestures.nextDeadline == nil)
        return actions
    }

    @Test(
        "A click acts when the button goes down, and once",
        arguments: [(Button.volumeUp, Gestures.Action.volumeUp), (.volumeDown, .volumeDown), (.replay, .replay)])
    func click(button: Button, expected: Gestures.Action) {
        var gestures = Gestures()
        #expect(gestures.handle(edge(button, true, 0)) == [expected])
        #expect(gestures.handle(edge(button, false, 80)) == [])
        #expect(gestures.nextDeadline == nil)
    }

    @Test(
        "A volume button that is held repeats after 500 ms and then every 200 ms",
        arguments: [(499, 1), (501, 2), (699, 2), (701, 3), (901, 4), (1499, 6), (1501, 7)])
    func hold(milliseconds: Int, steps: Int) {
        #expect(
            actionsWhileHolding(.volumeUp, until: milliseconds) == Array(repeating: .volumeUp, count: steps))
        #expect(
            actionsWhileHolding(.volumeDown, until: milliseconds) == Array(repeating: .volumeDown, count: steps))
    }

    @Test("Replay does not repeat, however long it is held")
    func holdReplay() {
        #expect(actionsWhileHolding(.replay, until: 20_000) == [.replay])
    }

    @Test("A stuck button stops repeating, and works again with its next press")
    func stuck() {
        #expect(actionsWhileHolding(.volumeUp, until: 3_600_000).count == 1 + Gestures.repeatLimit)

        var gestures = Gestures()
        _ = gestures.handle(edge(.volumeUp, true, 0))
        while let deadline = gestures.nextDeadline { _ = gestures.advance(to: deadline) }
        #expect(gestures.handle(edge(.volumeUp, true, 3_600_000)) == [.volumeUp])
        #expect(gestures.nextDeadline == .milliseconds(3_600_500))
    }

    @Test("A release without a press, as of a button held at boot, means nothing", arguments: Button.allCases)
    func releaseAlone(button: Button) {
        var gestures = Gestures()
        #expect(gestures.handle(edge(button, false, 100)) == [])
        #expect(gestures.nextDeadline == nil)
        #expect(gestures.handle(edge(button, true, 200)).count == 1)
    }

    @Test("A second press whose release was lost is a new press and starts a new hold")
    func lostRelease() {
        var gestures = Gestures()
        #expect(gestures.handle(edge(.volumeUp, true, 0)) == [.volumeUp])
        #expect(gestures.handle(edge(.volumeUp, true, 300)) == [.volumeUp])
        #expect(gestures.nextDeadline == .milliseconds(800))
    }

    @Test("After a stall each held button repeats once and not once per missed interval")
    func stall() {
        var gestures = Gestures()
        _ = gestures.handle(edge(.volumeUp, true, 0))
        #expect(gestures.advance(to: .seconds(5)) == [.volumeUp])
        #expect(gestures.nextDeadline == .milliseconds(5200))
    }

    @Test("A repetition that was due before the release is made even when nobody asked in time")
    func lateTimer() {
        var gestures = Gestures()
        _ = gestures.handle(edge(.volumeUp, true, 0))
        #expect(gestures.handle(edge(.volumeUp, false, 600)) == [.volumeUp])
    }

    @Test("Nothing happens before the deadline")
    func beforeDeadline() {
        var gestures = Gestures()
        _ = gestures.handle(edge(.volumeUp, true, 0))
        #expect(gestures.advance(to: .milliseconds(499)) == [])
        #expect(gestures.nextDeadline == .milliseconds(500))
    }

    @Test("Two buttons are held independently; the deadline is the earlier one")
    func twoButtons() {
        var gestures = Gestures()
        _ = gestures.handle(edge(.volumeUp, true, 0))
        #expect(gestures.handle(edge(.replay, true, 100)) == [.replay])
        _ = gestures.handle(edge(.volumeDown, true, 200))
        #expect(gestures.nextDeadline == .milliseconds(500))
        #expect(gestures.advance(to: .milliseconds(500)) == [.volumeUp])
        #expect(gestures.handle(edge(.volumeUp, false, 600)) == [])
        #expect(gestures.nextDeadline == .milliseconds(700))
        #expect(gestures.advance(to: .milliseconds(700)) == [.volumeDown])
    }
}
