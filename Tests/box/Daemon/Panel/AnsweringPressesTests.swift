import SoundboxCore
import Testing

@testable import SoundboxBox

@Suite("Presses that answer a ring")
struct AnsweringPressesTests {
    private var presses = AnsweringPresses()
    private var gestures = Gestures()
    private var rings = false
    private var answers = 0

    /// What the buttons mean then.
    private mutating func edge(_ isPressed: Bool, _ button: Button = .replay, at milliseconds: Int) -> [Gestures.Action]
    {
        let edge = ButtonEdge(button: button, isPressed: isPressed, time: .milliseconds(milliseconds))
        var (rang, count) = (rings, answers)
        let rest = presses.filter(edge) {
            defer { rang = false }
            if rang { count += 1 }
            return rang
        }
        (rings, answers) = (rang, count)
        return rest.map { gestures.handle($0) } ?? []
    }

    @Test("While nothing rings, every edge goes through")
    mutating func silent() {
        #expect(edge(true, at: 0) == [])
        #expect(edge(false, at: 80) == [])
        #expect(edge(true, at: 200) == [.replayPrevious])
        #expect(answers == 0)
    }

    @Test("The press answers as it goes down; press and release mean nothing else, however long it is held")
    mutating func answer() {
        rings = true
        #expect(edge(true, at: 0) == [])
        #expect(answers == 1)
        #expect(gestures.nextDeadline == nil)
        #expect(edge(false, at: 3000) == [])
        #expect(gestures.nextDeadline == nil)
        // The next one is a first click, of no ring.
        #expect(edge(true, at: 3100) == [])
        #expect(edge(false, at: 3180) == [])
        #expect(gestures.advance(to: .milliseconds(3480)) == [.replay])
    }

    @Test("A second press in a hurry replays nothing, and does not answer the next ring")
    mutating func hurry() {
        rings = true
        #expect(edge(true, at: 0) == [])
        #expect(edge(false, at: 80) == [])
        rings = true
        #expect(edge(true, at: 300) == [])
        #expect(edge(false, at: 380) == [])
        #expect(answers == 1 && gestures.nextDeadline == nil)
        #expect(edge(true, at: 500) == [])
        #expect(answers == 2)
    }

    @Test("A lost release does not swallow the release of a later press")
    mutating func lostRelease() {
        rings = true
        #expect(edge(true, at: 0) == [])
        #expect(edge(true, at: 5000) == [])
        #expect(edge(false, at: 5080) == [])
        #expect(gestures.advance(to: .milliseconds(5380)) == [.replay])
    }

    @Test("A ring that begins under a press leaves its release its meaning; volume keys keep theirs")
    mutating func others() {
        #expect(edge(true, at: 0) == [])
        rings = true
        #expect(edge(false, at: 80) == [])
        #expect(gestures.advance(to: .milliseconds(380)) == [.replay])
        #expect(edge(true, .volumeUp, at: 1000) == [.volumeUp])
        #expect(answers == 0)
    }
}
