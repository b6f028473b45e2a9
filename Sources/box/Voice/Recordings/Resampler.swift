import CSoxr
import SoundboxCore

/// Converts the rate of a whole recording when it is loaded; nothing is converted while it plays.
///
///     let converted = try Resampler.resample(recording, to: 48_000)
public enum Resampler {
    /// How exactly soxr computes, with linear phase, so without delay.
    public enum Quality: Sendable {
        /// 20 bits (`SOXR_HQ`): for what is played.
        case high
        /// 28 bits (`SOXR_VHQ`): for what is stored.
        case best
    }

    /// `recording` at `sampleRate`, by libsoxr.
    ///
    /// The length is that of the original to the nearest frame. Takes about a millisecond per second of sound on a
    /// small board. Peaks may exceed those of the old samples by what lies between them, which a true-peak limit allows
    /// for.
    public static func resample(
        _ recording: Recording, to sampleRate: Int, quality: Quality = .high
    ) throws(RecordingError) -> Recording {
        if recording.sampleRate == sampleRate || recording.samples.isEmpty {
            return Recording(name: recording.name, sampleRate: sampleRate, samples: recording.samples)
        }
        let ratio = Double(sampleRate) / Double(recording.sampleRate)
        let length = Int((Double(recording.samples.count) * ratio).rounded())
        var quality = soxr_quality_spec(UInt(quality == .best ? SOXR_VHQ : SOXR_HQ), 0)
        var format = soxr_io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_I)
        var written = 0
        var failure: String?
        let samples = [Float](unsafeUninitializedCapacity: length) { output, count in
            let error = soxr_oneshot(
                Double(recording.sampleRate), Double(sampleRate), 1, recording.samples, recording.samples.count, nil,
                output.baseAddress, length, &written, &format, &quality, nil)
            if let error { failure = String(cString: error) }
            // The filter's tail may end a frame early; silence fills the rest.
            output[written...].initialize(repeating: 0)
            count = length
        }
        if let failure { throw .unusable(file: recording.name, reason: "cannot convert its rate: \(failure)") }
        return Recording(name: recording.name, sampleRate: sampleRate, samples: samples)
    }
}

extension PCMSound {
    /// The sound at a device's rate. Takes about a millisecond per second of sound on a small board.
    package func samples(at sampleRate: Int) throws(RecordingError) -> [Int16] {
        guard self.sampleRate > 0 else {
            throw .unusable(file: "sound", reason: "its rate is \(self.sampleRate) Hz; expected more than 0")
        }
        if sampleRate == self.sampleRate { return samples }
        let recording = Recording(
            name: "sound", sampleRate: self.sampleRate, samples: samples.map { Float($0) / 32768 })
        return try Resampler.resample(recording, to: sampleRate).pcm16
    }
}
