import CSonic
import CSoxr
import SoundboxCore

/// Converts the rate of a whole recording when it is loaded; nothing is converted while it plays.
///
///     let converted = try Resampler.resample(recording, to: 48_000)
public enum Resampler {
    /// `recording` at `sampleRate`, with libsoxr's high quality (`SOXR_HQ`: 20 bits, linear phase, so no delay).
    ///
    /// The length is that of the original to the nearest frame. Takes about a millisecond per second of sound on a
    /// small board. Peaks may exceed those of the old samples by what lies between them, which a true-peak limit allows
    /// for.
    public static func resample(_ recording: Recording, to sampleRate: Int) throws(RecordingError) -> Recording {
        if recording.sampleRate == sampleRate || recording.samples.isEmpty {
            return Recording(name: recording.name, sampleRate: sampleRate, samples: recording.samples)
        }
        let ratio = Double(sampleRate) / Double(recording.sampleRate)
        let length = Int((Double(recording.samples.count) * ratio).rounded())
        var quality = soxr_quality_spec(UInt(SOXR_HQ), 0)
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

/// How fast a voice speaks, as a factor of its recordings. The pitch stays.
///
///     voice.tempo = Tempo(1.2)
///
/// Applied to whole recordings when they are decoded; nothing is stretched while it plays.
public struct Tempo: Sendable, Equatable {
    /// Beyond this range, syllables begin to blur or to run together.
    public static let range = 0.8...1.5
    public static let recorded = Tempo(1)

    public let factor: Double

    /// A factor outside ``range`` becomes the nearest end.
    public init(_ factor: Double) {
        self.factor = min(max(factor, Self.range.lowerBound), Self.range.upperBound)
    }

    /// `recording`, shorter by the factor: pitch periods are left out or repeated, with overlaps (libsonic's PICOLA).
    ///
    /// Never blocks; takes well under a millisecond for a word.
    func applied(to recording: Recording) throws(RecordingError) -> Recording {
        guard self != .recorded, !recording.samples.isEmpty else { return recording }
        guard let stream = sonicCreateStream(Int32(recording.sampleRate), 1) else { throw outOfMemory(recording) }
        defer { sonicDestroyStream(stream) }
        sonicSetSpeed(stream, Float(factor))
        var result = recording
        let isTaken = result.samples.withUnsafeMutableBufferPointer { samples in
            sonicWriteFloatToStream(stream, samples.baseAddress, Int32(samples.count)) != 0
        }
        guard isTaken, sonicFlushStream(stream) != 0 else { throw outOfMemory(recording) }
        let available = Int(sonicSamplesAvailable(stream))
        result.samples = [Float](unsafeUninitializedCapacity: available) { buffer, count in
            count = Int(sonicReadFloatFromStream(stream, buffer.baseAddress, Int32(available)))
        }
        return result
    }

    private func outOfMemory(_ recording: Recording) -> RecordingError {
        .unusable(file: recording.name, reason: "cannot change its tempo: out of memory")
    }
}
