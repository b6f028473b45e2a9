import Glibc
import SoundboxVoice

/// Brings recordings to one loudness without letting their peaks reach full scale.
struct Leveler {
    /// LUFS.
    var target: Double

    /// dBTP that no levelled recording exceeds; a tenth below what ``RecordingCheck`` demands.
    static let peakCeiling = RecordingCheck.highestPeak - 0.1

    /// `recording` at ``target``, or as loud as its peaks allow where that is still within a check's tolerance.
    ///
    /// - Throws: ``RecordingError/unusable(file:reason:)`` when the peaks do not allow that: the voice's loudness
    ///   is then set too high for this recording.
    func leveled(_ recording: Recording) throws(RecordingError) -> Recording {
        let before = try MeasuredLoudness(of: recording)
        guard before.integrated.isFinite else { throw .unusable(file: recording.name, reason: "it is silent") }
        let gain = gridded(min(target - before.integrated, Self.peakCeiling - before.truePeak))
        guard before.integrated + gain >= target - RecordingCheck.loudnessTolerance / 2 else {
            let reachable = gridded(Self.peakCeiling - before.truePeak + before.integrated)
            throw .unusable(
                file: recording.name,
                reason: "its peaks allow \(reachable) LUFS only, the voice asks for \(target); lower \"loudness\"")
        }
        let factor = Float(Double.amplitude(ofDecibels: gain))
        return Recording(
            name: recording.name, sampleRate: recording.sampleRate, samples: recording.samples.map { $0 * factor })
    }

    /// Rounded down to a hundredth: the last bits of a measurement, which differ between processors, then hardly ever
    /// reach the samples.
    private func gridded(_ decibels: Double) -> Double { floor(decibels * 100) / 100 }
}
