import Glibc
import SoundboxCore
import Testing

@testable import SoundboxAudio
@testable import SoundboxVoice

@Suite("The bell of a ring")
struct RingToneTests {
    @Test(
        "It lasts as long at every rate, begins and ends in silence, and keeps its level",
        arguments: [8000, 22_050, 44_100, 48_000, 192_000])
    func rates(rate: Int) throws {
        let bell = try RingTone.sound.samples(at: rate)
        #expect(abs(bell.count - rate * 3 / 2) <= 1)
        #expect(bell.first == 0 && bell.last == 0)
        let peak = bell.map { abs(Int($0)) }.max() ?? 0
        #expect(abs(peak - Int(RingTone.peak)) < 300)
        // −22 LUFS of a voice are about −23 dB of a sine; within 3 dB while it strikes.
        let striking = bell.prefix(rate)
        let energy = striking.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(striking.count)
        let level = 10 * log10(energy / (32768 * 32768))
        #expect((-26.0 ... -20).contains(level), "\(level) dB")
    }

    @Test("It strikes eight times, high and low in turn")
    func strokes() {
        let rate = RingTone.sound.sampleRate
        let bell = RingTone.sound.samples
        func level(of frequency: Double, _ frames: Range<Int>) -> Double {
            var (real, imaginary) = (0.0, 0.0)
            for frame in frames {
                let phase = 2 * .pi * frequency * Double(frame) / Double(rate)
                real += Double(bell[frame]) * cos(phase)
                imaginary += Double(bell[frame]) * sin(phase)
            }
            return real * real + imaginary * imaginary
        }
        for stroke in 0..<RingTone.strokeCount {
            let begin = stroke * rate / 8
            let frames = begin..<begin + rate / 8
            let isHigh = level(of: RingTone.frequencies.high, frames) > level(of: RingTone.frequencies.low, frames)
            #expect(isHigh == stroke.isMultiple(of: 2))
        }
    }
}
