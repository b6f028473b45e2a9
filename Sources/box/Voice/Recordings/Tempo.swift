import CSonic

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
