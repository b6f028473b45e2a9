import Glibc
import SoundboxVoice

/// Adjusts recordings to one loudness, with peaks below full scale.
struct Leveler {
    /// LUFS.
    var target: Double

    /// The highest true peak in dBTP, 0.1 dB below the limit of ``RecordingCheck``.
    static let peakCeiling = RecordingCheck.highestPeak - 0.1

    /// `recording` at ``target``, or as loud as its peaks allow, if that is within half of the check's tolerance.
    ///
    /// - Throws: ``RecordingError/unusable(file:reason:)`` if the peaks do not allow that: the voice's loudness is too
    ///   high for this recording.
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

    /// Rounded down to 0.01 dB, so that the last bits of a measurement, which differ between processors, rarely change
    /// the samples.
    private func gridded(_ decibels: Double) -> Double { floor(decibels * 100) / 100 }
}
