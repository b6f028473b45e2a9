import Glibc

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
