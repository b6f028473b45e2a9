import Glibc
import SoundboxYAML
import Testing
import VoiceTestSupport

@testable import SoundboxVoice

@Suite("Tempo")
struct TempoTests {
    /// The frequency of a tone, from its rising zero crossings.
    private func frequency(of recording: Recording) -> Double {
        let samples = recording.samples.dropFirst(2000).dropLast(2000)
        let crossings = zip(samples, samples.dropFirst()).count { $0 < 0 && $1 >= 0 }
        return Double(crossings) * Double(recording.sampleRate) / Double(samples.count)
    }

    @Test("A recording becomes shorter or longer by the factor, and keeps its pitch", arguments: [0.8, 0.9, 1.2, 1.5])
    func stretched(factor: Double) throws {
        let tone = Recording.tone(200, lasting: .seconds(2))
        let stretched = try Tempo(factor).applied(to: tone)
        let ratio = Double(tone.samples.count) / Double(stretched.samples.count)
        #expect(abs(ratio / factor - 1) < 0.03)
        #expect(abs(frequency(of: stretched) / 200 - 1) < 0.02)
        #expect(stretched.sampleRate == tone.sampleRate)
        let peak = stretched.samples.map(abs).max() ?? 0
        #expect((0.4...0.6).contains(peak))
    }

    @Test("At its own tempo a recording stays as it is, to the sample")
    func unchanged() throws {
        let tone = Recording.tone(lasting: .milliseconds(300))
        #expect(try Tempo.recorded.applied(to: tone) == tone)
        #expect(try Tempo(1.3).applied(to: Recording(name: "", sampleRate: 8000, samples: [])).samples.isEmpty)
    }

    @Test("Factors out of range become the nearest end", arguments: [(0.1, 0.8), (9, 1.5), (1.1, 1.1)])
    func range(factor: Double, expected: Double) {
        #expect(Tempo(factor).factor == expected)
    }
}
