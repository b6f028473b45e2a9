import Glibc
import SoundboxVoice

/// The two-tone bell before the speech, computed from these figures.
enum Chime {
    /// How much softer the chime is than the speech, in LU.
    static let distanceBelowSpeech = 4.0

    /// One strike: its base tone in Hz, and its start in seconds.
    private struct Strike {
        var frequency: Double
        var start: Double
    }

    /// One partial of the bell: its ratio to the base tone, its amplitude and its decay.
    private struct Partial {
        var ratio: Double
        var amplitude: Double
        /// Seconds to fall to 1/e.
        var decay: Double
    }

    /// E6 and A6, a rising fourth, in equal temperament.
    private static let strikes = [Strike(frequency: 1318.51, start: 0.01), Strike(frequency: 1760, start: 0.15)]
    /// A small metal bar: octave and twelfth decay faster than the base tone; the twelfth is slightly out of tune, as
    /// in metal.
    private static let partials = [
        Partial(ratio: 1, amplitude: 1, decay: 0.13), Partial(ratio: 2, amplitude: 0.28, decay: 0.07),
        Partial(ratio: 3.01, amplitude: 0.1, decay: 0.035),
    ]
    private static let duration = 0.6
    /// The rise of a strike in seconds, which avoids a click.
    private static let attack = 0.004

    /// The bell, before it is levelled by the caller.
    static func recording(named name: String, sampleRate: Int) -> Recording {
        let count = Int(duration * Double(sampleRate))
        let samples = (0..<count).map { frame -> Float in
            let time = Double(frame) / Double(sampleRate)
            return Float(0.4 * strikes.reduce(0) { $0 + sample(of: $1, at: time - $1.start) })
        }
        return Recording(name: name, sampleRate: sampleRate, samples: samples)
    }

    private static func sample(of strike: Strike, at time: Double) -> Double {
        guard time > 0 else { return 0 }
        return min(1, time / attack)
            * partials.reduce(0) { sum, partial in
                sum + partial.amplitude * exp(-time / partial.decay)
                    * sin(2 * .pi * strike.frequency * partial.ratio * time)
            }
    }
}
