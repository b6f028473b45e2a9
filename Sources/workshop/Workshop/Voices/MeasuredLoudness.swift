import CEBUR128
import Glibc
import SoundboxVoice

/// The perceived loudness of a recording, and its peaks:
///
///     let measured = try MeasuredLoudness(of: recording)
///     print(measured.integrated, "LUFS,", measured.truePeak, "dBTP")
struct MeasuredLoudness: Sendable, Equatable {
    /// Integrated loudness in LUFS (EBU R 128, ITU-R BS.1770-4); −∞ for silence.
    let integrated: Double
    /// The highest point of the wave, also between samples, in dBTP (BS.1770-4 annex 2); −∞ for silence.
    let truePeak: Double
    /// The highest sample in dBFS; −∞ for silence.
    let samplePeak: Double

    /// Measures a recording; it must not be empty.
    ///
    /// BS.1770-4 averages over whole gating blocks of 400 ms and drops those below −70 LUFS or 10 LU under the mean. A
    /// word of 300 ms fills no block and has no integrated loudness; in a word of 600 ms, the middle counts several
    /// times and the ends once. A recording under 3 s (the short-term window of EBU Tech 3341) is therefore measured in
    /// a loop of at least that length: every moment has the same weight, and the result is the loudness of the word
    /// within a sentence, for any length. Padding with silence would make a short word softer than a long one at the
    /// same level.
    init(of recording: Recording) throws(RecordingError) {
        guard !recording.samples.isEmpty else { throw .unusable(file: recording.name, reason: "it is empty") }
        let mode = Int32(EBUR128_MODE_I.rawValue | EBUR128_MODE_TRUE_PEAK.rawValue)
        var state = ebur128_init(1, UInt(recording.sampleRate), mode)
        guard state != nil else {
            throw .unusable(
                file: recording.name, reason: "its loudness cannot be measured at \(recording.sampleRate) Hz")
        }
        defer { ebur128_destroy(&state) }
        let shortest = recording.frames(in: .seconds(3))
        for _ in 0..<max(1, (shortest + recording.samples.count - 1) / recording.samples.count) {
            try check(ebur128_add_frames_float(state, recording.samples, recording.samples.count), recording)
        }
        var (loudness, truePeak, samplePeak) = (0.0, 0.0, 0.0)
        try check(ebur128_loudness_global(state, &loudness), recording)
        try check(ebur128_true_peak(state, 0, &truePeak), recording)
        try check(ebur128_sample_peak(state, 0, &samplePeak), recording)
        integrated = loudness
        self.truePeak = .decibels(ofAmplitude: truePeak)
        self.samplePeak = .decibels(ofAmplitude: samplePeak)
    }
}

private func check(_ code: Int32, _ recording: Recording) throws(RecordingError) {
    guard code == EBUR128_SUCCESS.rawValue else {
        throw .unusable(file: recording.name, reason: "its loudness cannot be measured (libebur128 error \(code))")
    }
}

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
