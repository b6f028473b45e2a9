import VoiceTestSupport

@testable import SoundboxVoice

extension Recording {
    /// White noise of an RMS level in dBFS, the same for the same seed.
    static func noise(
        level: Double, lasting duration: Duration, sampleRate: Int = 22_050, seed: UInt64 = 1
    ) -> Recording {
        var noise = Recording.silence(lasting: duration, sampleRate: sampleRate)
        // A uniform distribution over ±a has an RMS of a / √3.
        let amplitude = Float(Double.amplitude(ofDecibels: level) * 3.0.squareRoot())
        // A linear congruential generator: numbers by Knuth (MMIX).
        var state = seed
        noise.samples = noise.samples.map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return amplitude * (Float(state >> 40) / Float(1 << 23) - 1)
        }
        return noise
    }

    /// Both at once; the result is as long as `self`.
    func mixed(with other: Recording) -> Recording {
        var mix = self
        for frame in 0..<min(samples.count, other.samples.count) { mix.samples[frame] += other.samples[frame] }
        return mix
    }

    /// Words that differ in pitch, with silence before, between and after.
    static func take(
        of pitches: [Double], pause: Duration = .seconds(1), amplitude: Double = 0.3, sampleRate: Int = 22_050
    ) -> Recording {
        let rest = Recording.silence(lasting: pause, sampleRate: sampleRate)
        return pitches.reduce(rest) { take, pitch in
            take + .tone(pitch, amplitude: amplitude, lasting: .milliseconds(350), sampleRate: sampleRate) + rest
        }
    }

    /// How often the wave goes up through zero in a second, between its margins: the pitch of a tone.
    var pitch: Double {
        let samples = samples[samples.count / 4..<samples.count * 3 / 4]
        let crossings = zip(samples, samples.dropFirst()).count { $0 < 0 && $1 >= 0 }
        return Double(crossings) * Double(sampleRate) / Double(samples.count)
    }
}
