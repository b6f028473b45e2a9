import Glibc
import SoundboxCore

/// Adapts sound to a small loudspeaker: an ``Equaliser``, a ``Compressor`` and a ``PeakLimiter``, in this order.
///
/// Pure: the same frames give the same frames, into whatever periods they are cut. Processing allocates nothing.
struct SmallSpeakerChain: Sendable {
    /// How far the compressor looks ahead, in seconds: enough to see a word begin.
    private static let lookAhead = 0.0015

    /// How many frames sound is delayed: at most 5 ms.
    let latency: Int
    private var equaliser: Equaliser
    private var compressor: Compressor
    private var limiter: PeakLimiter
    /// Frames that the compressor has measured and not yet changed.
    private var delayed: [Float]
    private var place = 0
    private var framesToSettle = 0

    /// - Parameters:
    ///   - resonance: of the loudspeaker, in Hz.
    ///   - sampleRate: frames per second, 8,000 or more.
    init(resonance: Int, sampleRate: Int) {
        equaliser = Equaliser(resonance: resonance, sampleRate: sampleRate)
        compressor = Compressor(sampleRate: sampleRate)
        limiter = PeakLimiter(sampleRate: sampleRate)
        delayed = [Float](repeating: 0, count: max(1, Int(Self.lookAhead * Double(sampleRate))))
        latency = delayed.count + limiter.latency
    }

    /// Starts again, in silence.
    mutating func reset() {
        equaliser.reset()
        compressor.reset()
        limiter.reset()
        for index in delayed.indices { delayed[index] = 0 }
        (place, framesToSettle) = (0, 0)
    }

    /// Replaces the samples, which are at full volume, by the processed ones that leave the chain meanwhile.
    mutating func process(_ samples: inout [Float]) {
        for frame in samples.indices {
            let shaped = equaliser.filter(samples[frame])
            let gain = Float(compressor.gain(following: shaped))
            samples[frame] = limiter.limit(delayed[place] * gain)
            delayed[place] = Float(shaped)
            place = place + 1 == delayed.count ? 0 : place + 1
            framesToSettle += 1
            if framesToSettle == compressor.stepFrames { settle() }
        }
    }

    private mutating func settle() {
        framesToSettle = 0
        equaliser.settle()
    }
}

/// Shapes the spectrum for a small loudspeaker: removes what lies below its resonance, and raises the frequencies that
/// make words intelligible.
struct Equaliser: Sendable {
    /// The frequencies that distinguish consonants, in Hz, and how much they are raised, in dB.
    private static let presence = (frequency: 3000.0, q: 0.8, decibels: 4.0)
    /// The quality factor of each half of a fourth-order Butterworth filter, 24 dB per octave.
    private static let butterworth = (0.541_196, 1.306_563)

    private var lowCut: Biquad
    private var steepLowCut: Biquad
    private var presence: Biquad

    /// - Parameters:
    ///   - resonance: of the loudspeaker, in Hz.
    ///   - sampleRate: frames per second, 8,000 or more.
    init(resonance: Int, sampleRate: Int) {
        let rate = Double(sampleRate)
        lowCut = .highPass(Double(resonance) / rate, q: Self.butterworth.0)
        steepLowCut = .highPass(Double(resonance) / rate, q: Self.butterworth.1)
        presence = .bell(Self.presence.frequency / rate, q: Self.presence.q, decibels: Self.presence.decibels)
    }

    mutating func filter(_ sample: Float) -> Double {
        presence.filter(steepLowCut.filter(lowCut.filter(Double(sample))))
    }

    /// As ``Biquad/settle()``. Call it now and then.
    mutating func settle() {
        lowCut.settle()
        steepLowCut.settle()
        presence.settle()
    }

    mutating func reset() {
        lowCut.reset()
        steepLowCut.reset()
        presence.reset()
    }
}

/// A second-order filter, by the formulas of Robert Bristow-Johnson's Audio EQ Cookbook.
///
/// In double precision: at 300 Hz and 48 kHz the rounding of floats would be audible as noise.
struct Biquad: Sendable {
    private let b0, b1, b2, a1, a2: Double
    private var first = 0.0
    private var second = 0.0

    private init(b: (Double, Double, Double), a: (Double, Double, Double)) {
        (b0, b1, b2) = (b.0 / a.0, b.1 / a.0, b.2 / a.0)
        (a1, a2) = (a.1 / a.0, a.2 / a.0)
    }

    /// - Parameters:
    ///   - frequency: where a filter of Q 0.71 has lost 3 dB, in periods per frame; below 0.5.
    ///   - q: the quality factor of its resonance.
    static func highPass(_ frequency: Double, q: Double) -> Biquad {
        let angle = 2 * Double.pi * frequency
        let alpha = sin(angle) / (2 * q)
        let edge = 1 + cos(angle)
        return Biquad(b: (edge / 2, -edge, edge / 2), a: (1 + alpha, -2 * cos(angle), 1 - alpha))
    }

    /// - Parameters:
    ///   - frequency: of the bell's middle, in periods per frame; below 0.5.
    ///   - q: the higher, the narrower.
    ///   - decibels: the gain in the middle.
    static func bell(_ frequency: Double, q: Double, decibels: Double) -> Biquad {
        let angle = 2 * Double.pi * frequency
        let alpha = sin(angle) / (2 * q)
        let root = pow(10, decibels / 40)
        return Biquad(
            b: (1 + alpha * root, -2 * cos(angle), 1 - alpha * root),
            a: (1 + alpha / root, -2 * cos(angle), 1 - alpha / root))
    }

    /// In the transposed direct form II, which has the smallest rounding error.
    mutating func filter(_ sample: Double) -> Double {
        let output = b0 * sample + first
        first = b1 * sample - a1 * output + second
        second = b2 * sample - a2 * output
        return output
    }

    /// Clears a state that has decayed: denormal numbers take a processor ten times as long.
    mutating func settle() {
        if abs(first) < 1e-20, abs(second) < 1e-20 { reset() }
    }

    mutating func reset() {
        first = 0
        second = 0
    }
}

/// Brings soft and loud sound nearer to one level, so that all of it is heard.
///
/// The gain follows the level of the last 5 ms. It falls faster than it rises, and changes linearly from millisecond to
/// millisecond. During a steady tone it hardly moves, so it adds no distortion. In silence it stays as it is: noise is
/// not raised, and the next word begins at its level.
struct Compressor: Sendable {
    /// The level that sound is brought towards, in dBFS (mean square of the samples; a full-scale sine is −3).
    static let target = -8.0
    /// 4:1. A quarter of the distance from the target remains.
    static let slope = 0.75
    /// The most by which soft sound is raised, in dB.
    static let mostGain = 16.0
    /// Sound below this level counts as silence, in dBFS.
    static let floor = -50.0
    /// The level of recorded voices, in dBFS; the gain starts there.
    private static let usualLevel = -24.0
    /// Time constants, in seconds.
    private static let averaging = 0.005
    private static let attack = 0.002
    private static let release = 0.080

    /// A millisecond.
    let stepFrames: Int
    private let (averagingShare, attackShare, releaseShare): (Double, Double, Double)
    private var frame = 0
    private var energy = 0.0
    private var meanSquare = 0.0
    private var decibels = 0.0
    /// The gain of the next frame, and what it changes by with every frame.
    private var gain = 1.0
    private var gainStep = 0.0

    /// - Parameter sampleRate: frames per second.
    init(sampleRate: Int) {
        stepFrames = max(1, sampleRate / 1000)
        let step = Double(stepFrames) / Double(sampleRate)
        averagingShare = 1 - exp(-step / Self.averaging)
        attackShare = 1 - exp(-step / Self.attack)
        releaseShare = 1 - exp(-step / Self.release)
        reset()
    }

    mutating func reset() {
        (frame, energy, meanSquare, gainStep) = (0, 0, 0, 0)
        decibels = Self.gain(at: Self.usualLevel)
        gain = pow(10, decibels / 20)
    }

    /// The factor for the current frame.
    /// - Parameter sample: the level is measured from this: the same frame, or a later one.
    mutating func gain(following sample: Double) -> Double {
        defer { gain += gainStep }
        energy += sample * sample
        frame += 1
        if frame == stepFrames { step() }
        return gain
    }

    private mutating func step() {
        meanSquare += (energy / Double(stepFrames) - meanSquare) * averagingShare
        (frame, energy) = (0, 0)
        let level = 10 * log10(meanSquare + 1e-20)
        if level > Self.floor {
            let wanted = Self.gain(at: level)
            decibels += (wanted - decibels) * (wanted < decibels ? attackShare : releaseShare)
        }
        gainStep = (pow(10, decibels / 20) - gain) / Double(stepFrames)
    }

    /// In dB, for a level in dBFS.
    private static func gain(at level: Double) -> Double { min((target - level) * slope, mostGain) }
}
