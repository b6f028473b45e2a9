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

    /// Feeds edges in order, calling whenever there is a deadline before the next of them, and for ten seconds more.
    private func actions(_ edges: [ButtonEdge], map: GestureMap = .usual) -> [Gestures.Action] {
        var gestures = Gestures(map)
        var actions: [Gestures.Action] = []
        for edge in edges + [edge(.replay, false, 60_000)] {
            while let deadline = gestures.nextDeadline, deadline < edge.time {
                actions += gestures.advance(to: deadline)
            }
            actions += gestures.handle(edge)
        }
        #expect(gestures.nextDeadline == nil)
        return actions
    }

    /// A press and its release.
    private func press(_ button: Button, _ start: Int, _ length: Int) -> [ButtonEdge] {
        [edge(button, true, start), edge(button, false, start + length)]
    }

    @Test(
        "A click of a volume button acts when it goes down, and once",
        arguments: [(Button.volumeUp, Gestures.Action.volumeUp), (.volumeDown, .volumeDown)])
    func click(button: Button, expected: Gestures.Action) {
        var gestures = Gestures()
        #expect(gestures.handle(edge(button, true, 0)) == [expected])
        #expect(gestures.handle(edge(button, false, 80)) == [])
        #expect(gestures.nextDeadline == nil)
    }

    @Test("A click of replay acts as soon as no second one can follow, a long press while the button is still down")
    func decided() {
        var gestures = Gestures()
        #expect(gestures.handle(edge(.replay, true, 0)) == [])
        #expect(gestures.handle(edge(.replay, false, 80)) == [])
        #expect(gestures.nextDeadline == .milliseconds(380))
        #expect(gestures.advance(to: .milliseconds(380)) == [.replay])
        #expect(gestures.handle(edge(.replay, true, 2000)) == [])
        #expect(gestures.advance(to: .milliseconds(3000)) == [.today])
        #expect(gestures.handle(edge(.replay, false, 3200)) == [])
        #expect(gestures.nextDeadline == nil)
    }

    @Test(
        "Presses of replay by length (ms) and rest between them (ms)",
        arguments: [
            ([(80, 0)], [.replay]), ([(999, 0)], [.replay]), ([(1001, 0)], [.today]), ([(20_000, 0)], [.today]),
            ([(80, 150), (80, 0)], [.replayPrevious]), ([(80, 299), (80, 0)], [.replayPrevious]),
            ([(80, 301), (80, 0)], [.replay, .replay]),
            ([(80, 100), (80, 100), (80, 0)], [.replayPrevious, .replay]),
            ([(80, 100), (80, 100), (80, 100), (80, 0)], [.replayPrevious, .replayPrevious]),
            ([(80, 100), (5000, 0)], [.replayPrevious]), ([(1500, 100), (80, 0)], [.today, .replay]),
        ] as [([(Int, Int)], [Gestures.Action])])
    func replay(presses: [(length: Int, rest: Int)], expected: [Gestures.Action]) {
        var time = 0
        var edges: [ButtonEdge] = []
        for (length, rest) in presses {
            edges += press(.replay, time, length)
            time += length + rest
        }
        #expect(actions(edges) == expected)
    }

    @Test("Edges that the kernel lost cost one gesture and confuse none after it")
    func lostEdges() {
        // The first release is lost, then the second press.
        #expect(actions([edge(.replay, true, 0), edge(.replay, true, 500), edge(.replay, false, 580)]) == [.replay])
        #expect(
            actions([edge(.replay, true, 0), edge(.replay, false, 80), edge(.replay, false, 200)]) == [.replay])
        #expect(
            actions(press(.replay, 0, 80) + [edge(.replay, false, 100)] + press(.replay, 2000, 80)) == [
                .replay, .replay,
            ])
    }

    private let chords = GestureMap(
        buttons: GestureMap.usual.buttons,
        chords: [
            .init([.volumeUp, .volumeDown], heldFor: .seconds(5), means: .today),
            .init([.replay, .volumeDown], heldFor: .seconds(3), means: .replayPrevious),
            .init([.replay, .volumeDown], heldFor: .seconds(10), means: .today),
        ])

    @Test("A chord that is held acts after its time, and its buttons do not repeat")
    func chord() {
        let up = press(.volumeUp, 0, 7000)
        let down = press(.volumeDown, 100, 6000)
        // The two clicks cancel each other out.
        #expect(actions([up[0], down[0], down[1], up[1]], map: chords) == [.volumeUp, .volumeDown, .today])
    }

    @Test("A chord with two durations acts twice: a warning and the deed; let go before, it stays with the warning")
    func stages() {
        func edges(heldUntil end: Int) -> [ButtonEdge] {
            [
                edge(.replay, true, 0), edge(.volumeDown, true, 50), edge(.volumeDown, false, end),
                edge(.replay, false, end + 30),
            ]
        }
        #expect(actions(edges(heldUntil: 2900), map: chords) == [.volumeDown])
        #expect(actions(edges(heldUntil: 9000), map: chords) == [.volumeDown, .replayPrevious])
        #expect(actions(edges(heldUntil: 12_000), map: chords) == [.volumeDown, .replayPrevious, .today])
    }

    @Test("Both volume buttons for five seconds ask for the network; replay and volume − warn first")
    func usualChords() {
        func together(_ one: Button, _ other: Button, until end: Int) -> [Gestures.Action] {
            actions([edge(one, true, 0), edge(other, true, 80), edge(one, false, end), edge(other, false, end + 40)])
        }
        #expect(together(.volumeUp, .volumeDown, until: 5000) == [.volumeUp, .volumeDown])
        #expect(together(.volumeUp, .volumeDown, until: 5100) == [.volumeUp, .volumeDown, .network])
        #expect(together(.replay, .volumeDown, until: 4100) == [.volumeDown, .unprovisionWarning])
        #expect(together(.replay, .volumeDown, until: 10_000) == [.volumeDown, .unprovisionWarning])
        #expect(together(.replay, .volumeDown, until: 10_100) == [.volumeDown, .unprovisionWarning, .unprovision])
    }

    @Test("A stuck button makes no chord with one that is pressed much later")
    func stuckAndChord() {
        let edges = [edge(.replay, true, 0), edge(.volumeDown, true, 5000), edge(.volumeDown, false, 5100)]
        #expect(actions(edges, map: chords) == [.today, .volumeDown])
    }

    @Test("Both volume buttons at once, let go before they mean anything, change the volume there and back")
    func bothAtOnce() {
        let up = press(.volumeUp, 0, 200)
        let down = press(.volumeDown, 0, 200)
        #expect(actions([up[0], down[0], up[1], down[1]]) == [.volumeUp, .volumeDown])
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
        #expect(gestures.handle(edge(button, true, 200)).count == (button == .replay ? 0 : 1))
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
        #expect(gestures.handle(edge(.replay, true, 100)) == [])
        _ = gestures.handle(edge(.volumeDown, true, 200))
        #expect(gestures.nextDeadline == .milliseconds(500))
        #expect(gestures.advance(to: .milliseconds(500)) == [.volumeUp])
        #expect(gestures.handle(edge(.volumeUp, false, 600)) == [])
        #expect(gestures.nextDeadline == .milliseconds(700))
        #expect(gestures.advance(to: .milliseconds(700)) == [.volumeDown])
    }
}
