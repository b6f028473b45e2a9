import SoundboxBox
import SoundboxCore
import Testing

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
