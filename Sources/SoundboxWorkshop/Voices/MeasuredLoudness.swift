import CEBUR128
import SoundboxVoice

/// How loud a recording is to the ear, and how far its waves reach.
public struct MeasuredLoudness: Sendable, Equatable {
    /// Integrated loudness in LUFS (EBU R 128, ITU-R BS.1770-4); −∞ for silence.
    public let integrated: Double
    /// The highest point of the wave between and on the samples, in dBTP (BS.1770-4 annex 2); −∞ for silence.
    public let truePeak: Double
    /// The highest sample in dBFS; −∞ for silence.
    public let samplePeak: Double

    /// Measures a recording of any length above zero.
    ///
    /// BS.1770-4 averages over whole gating blocks of 400 ms and drops those below −70 LUFS or 10 LU under the mean.
    /// A word of 300 ms fills no block and has no integrated loudness at all; one of 600 ms has its middle counted
    /// several times and its ends once. A recording under 3 s (the window that EBU Tech 3341 calls short-term) is
    /// therefore measured in a loop that lasts at least that long: each moment weighs the same, wherever the blocks
    /// begin, and the result is the loudness of the word as it sounds within a sentence, whatever its length.
    /// Padding with silence instead would call a short word softer than a long one spoken alike.
    public init(of recording: Recording) throws(RecordingError) {
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
