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

@Suite("Indications")
struct IndicationTests {
    /// The outputs over the first ten seconds, sampled every 50 ms.
    private func course(of indication: Indication) -> [PanelOutputs] {
        (0..<200).map { indication.pattern.moment(at: .milliseconds($0 * 50)).outputs }
    }

    @Test("No two indications look alike")
    func distinct() {
        let lights = Indication.allCases.map { course(of: $0).map(\.isLit) }
        #expect(Set(lights).count == Indication.allCases.count)
    }

    @Test("Every colour holds red or green, so that a pair of these shows it", arguments: Indication.allCases)
    func colors(indication: Indication) {
        for outputs in course(of: indication) where outputs.isLit {
            #expect(!outputs.color.isDisjoint(with: .yellow))
        }
    }

    @Test("No indication is dark for two seconds: a dark box is a dead box", arguments: Indication.allCases)
    func neverDark(indication: Indication) {
        let course = course(of: indication)
        for start in 0..<(course.count - 40) {
            #expect(course[start..<start + 40].map(\.isLit).contains(true))
        }
    }

    @Test("Only a payment and a ring vibrate: a payment twice at its start, and not while the amount is spoken")
    func vibration() {
        for indication in Indication.allCases where indication != .announcing && indication != .ringing {
            #expect(!course(of: indication).map(\.isVibrating).contains(true))
        }
        let motor = course(of: .announcing).map(\.isVibrating)
        let starts = motor.indices.count { motor[$0] && ($0 == 0 || !motor[$0 - 1]) }
        #expect(starts == 2)
        #expect(!motor[12...].contains(true))
    }

    @Test("A ring vibrates as long as it lasts, with its light")
    func ring() {
        let course = course(of: .ringing)
        #expect(course.allSatisfy { $0.isVibrating == $0.isLit })
        #expect(course.suffix(40).contains { $0.isVibrating })
    }

    @Test("Of several indications the most urgent is shown")
    func urgency() {
        #expect([Indication.muted, .online].max() == .muted)
        #expect([Indication.offline, .muted].max() == .offline)
        #expect([Indication.announcing, .offline, .muted].max() == .announcing)
        #expect([Indication.fault, .announcing].max() == .fault)
        #expect([Indication.fault, .ringing].max() == .ringing)
        #expect([Indication.updating, .ringing].max() == .updating)
    }
}
