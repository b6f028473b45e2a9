import Glibc

/// Brings soft and loud sound nearer to one level, so that all of it is heard.
///
/// The gain follows the level of the last 5 ms, goes down faster than up, and moves in a straight line from millisecond to
/// millisecond. A steady tone finds it all but still, so it does not distort. In silence it stays as it is: nothing is
/// pumped up there, and the next word begins at its level.
struct Compressor: Sendable {
    /// The level that sound is brought towards, in dBFS (mean square of the samples; a full-scale sine is −3).
    static let target = -8.0
    /// 4:1. Of what sound is off the target, a quarter remains.
    static let slope = 0.75
    /// The most that soft sound is raised by, in dB.
    static let mostGain = 16.0
    /// Below this, in dBFS, counts as silence.
    static let floor = -50.0
    /// What recorded voices come at, in dBFS: from there the gain starts.
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

    /// The factor for the frame at hand.
    /// - Parameter sample: what the level is measured by: the same frame, or one that comes later.
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
