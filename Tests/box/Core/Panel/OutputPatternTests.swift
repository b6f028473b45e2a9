import SoundboxCore
import Testing

@Suite("Output patterns")
struct OutputPatternTests {
    private static let lit = PanelOutputs(isLit: true, isVibrating: false)
    private static let both = PanelOutputs(isLit: true, isVibrating: true)

    /// 100 ms lit and vibrating, 50 ms off; then 200 ms lit and 300 ms off, for ever.
    private let repeating = OutputPattern(
        intro: [.init(.milliseconds(100), both), .init(.milliseconds(50), .off)],
        ending: .repeat([.init(.milliseconds(200), lit), .init(.milliseconds(300), .off)]))

    @Test(
        "At each moment the outputs and the time until they change are known",
        arguments: [
            (-1, both, 100), (0, both, 100), (99, both, 1), (100, .off, 50), (149, .off, 1), (150, lit, 200),
            (349, lit, 1), (350, .off, 300), (649, .off, 1), (650, lit, 200), (1150, lit, 200), (86_400_150, lit, 200),
        ])
    func moments(milliseconds: Int, outputs: PanelOutputs, remaining: Int) {
        let moment = repeating.moment(at: .milliseconds(milliseconds))
        #expect(moment == .init(outputs: outputs, remaining: .milliseconds(remaining)))
    }

    @Test("A pattern that holds its end does so for ever")
    func hold() {
        let pattern = OutputPattern(intro: [.init(.milliseconds(100), Self.both)], ending: .hold(Self.lit))
        #expect(pattern.moment(at: .milliseconds(99)) == .init(outputs: Self.both, remaining: .milliseconds(1)))
        #expect(pattern.moment(at: .milliseconds(100)) == .init(outputs: Self.lit, remaining: nil))
        #expect(pattern.moment(at: .seconds(86_400)) == .init(outputs: Self.lit, remaining: nil))
    }

    @Test("Steps that take no time are left out, so that the wait for the next change is never zero")
    func emptySteps() {
        let pattern = OutputPattern(
            intro: [.init(.zero, Self.both), .init(.milliseconds(-5), Self.both)],
            ending: .repeat([.init(.zero, Self.both), .init(.milliseconds(10), Self.lit)]))
        #expect(pattern.moment(at: .zero) == .init(outputs: Self.lit, remaining: .milliseconds(10)))
        let nothing = OutputPattern(ending: .repeat([.init(.zero, Self.both)]))
        #expect(nothing.moment(at: .zero) == .init(outputs: .off, remaining: nil))
    }
}
