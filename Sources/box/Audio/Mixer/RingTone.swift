import Glibc
import SoundboxCore

/// The bell of a ring: two tones in turn, eight strokes in a second, and their decay.
///
/// The alternation distinguishes it from every arrival chime, which strikes once or twice and ends within 620 ms.
/// Struck tones are used instead of a buzzer, because it may ring for minutes beside people at work.
package enum RingTone {
    /// The bell at 48 kHz, used as a recording in a ring's script. Made at the first use.
    package static let sound = PCMSound(samples: samples(), sampleRate: sampleRate)
    /// Between the bell and the words of a ring.
    package static let restBeforeWords = Duration.milliseconds(200)

    /// Frames per second.
    private static let sampleRate = 48_000
    /// Hertz: a major third, in a range that small loudspeakers play well and people hear well.
    static let frequencies = (high: 988.0, low: 784.0)
    static let strokeCount = 8
    private static let timeBetweenStrokes = Duration.milliseconds(125)
    /// Including the decay after the last stroke.
    private static let duration = Duration.milliseconds(1500)

    /// Partials of a small bell: factor of the frequency, amplitude, and the time in which it falls to 1/e.
    private static let partials: [(factor: Double, amplitude: Double, decay: Double)] = [
        (1, 0.7, 0.16), (2, 0.22, 0.10), (3.01, 0.08, 0.05),
    ]
    /// The beginning is faded in over 4 ms, to avoid a click.
    private static let attack = 0.004
    /// The fade at the end of the last stroke's decay.
    private static let release = 0.1
    /// The highest sample: −11.5 dBFS, which makes the bell as loud as the voices, −22 LUFS.
    static let peak = 8_700.0

    /// Mono samples, with silence at both ends.
    private static func samples() -> [Int16] {
        let rate = Double(sampleRate)
        func frames(_ duration: Duration) -> Int { Int(duration / .milliseconds(1)) * sampleRate / 1000 }
        var sum = [Double](repeating: 0, count: frames(duration))
        for stroke in 0..<strokeCount {
            let begin = frames(timeBetweenStrokes * stroke)
            let frequency = stroke.isMultiple(of: 2) ? frequencies.high : frequencies.low
            for partial in partials {
                add(partial.amplitude, frequency * partial.factor / rate, partial.decay * rate, to: &sum, from: begin)
            }
        }
        let attackFrames = max(1, Int(attack * rate))
        for frame in 0..<min(attackFrames, sum.count) { sum[frame] *= Double(frame) / Double(attackFrames) }
        let releaseFrames = max(1, Int(release * rate))
        for frame in 0..<min(releaseFrames, sum.count) {
            sum[sum.count - 1 - frame] *= Double(frame) / Double(releaseFrames)
        }
        let highest = sum.reduce(1e-9) { max($0, abs($1)) }
        return sum.map { Int16(($0 / highest * peak).rounded()) }
    }

    /// A decaying sine, by the recurrence y[n] = 2r·cos ω·y[n−1] − r²·y[n−2]: computing a sine for every sample would
    /// be too slow on a small board.
    /// - Parameters:
    ///   - frequency: in periods per frame.
    ///   - decay: frames in which it falls to 1/e.
    private static func add(
        _ amplitude: Double, _ frequency: Double, _ decay: Double, to sum: inout [Double], from begin: Int
    ) {
        let angle = 2 * Double.pi * frequency
        let factor = exp(-1 / decay)
        let (first, second) = (2 * factor * cos(angle), factor * factor)
        var (last, current) = (0.0, amplitude * factor * sin(angle))
        for frame in (begin + 1)..<max(begin + 1, sum.count) {
            sum[frame] += current
            (last, current) = (current, first * current - second * last)
        }
    }
}
