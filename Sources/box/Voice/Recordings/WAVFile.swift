import CSndFile
import Glibc
import SoundboxCore

/// One open WAV file to which frames are appended. Every call may block on the disk.
///
///     var file = try WAVFile(creating: "/tmp/out.wav", format: format)
///     try file.write(frames)
package struct WAVFile: ~Copyable {
    /// The most bytes of sound in one file: a WAV file counts them in 32 bits, and its header needs some.
    package static let mostBytes = Int(UInt32.max) - 4096

    private let file: SoundFile
    private let path: String
    private let format: PCMFormat
    private var bytes: Int

    /// Creates the file or empties the existing one.
    package init(creating path: String, format: PCMFormat) throws(RecordingError) {
        file = try SoundFile(
            creating: path, sampleRate: format.sampleRate, channelCount: format.channelCount, format: format.wav)
        self.path = path
        self.format = format
        bytes = 0
    }

    /// Appends to an existing file.
    /// - Throws: ``RecordingError/unexpectedFormat(file:expected:found:)`` when it is not a WAV file of this format; it
    ///   is not changed then.
    package init(continuing path: String, format: PCMFormat) throws(RecordingError) {
        // Opened for reading first: opening for writing could already change a file that is not a WAV file.
        let present = try SoundFile(reading: path).bytes(continuedIn: format, path: path)
        file = try SoundFile(continuing: path)
        bytes = present
        self.path = path
        self.format = format
    }

    /// Appends whole frames in the file's format.
    package mutating func write(_ frames: [UInt8]) throws(RecordingError) {
        let stored = format.encoding == .int24 ? packed(frames) : frames
        guard bytes + stored.count <= Self.mostBytes else {
            throw .unwritable(file: path, reason: "it is full: a WAV file ends at 4 GiB")
        }
        try file.writeRaw(stored)
        bytes += stored.count
    }
}

extension SoundFile {
    fileprivate func bytes(continuedIn wanted: PCMFormat, path: String) throws(RecordingError) -> Int {
        guard format == wanted.wav, sampleRate == wanted.sampleRate, channelCount == wanted.channelCount else {
            throw .unexpectedFormat(
                file: path,
                expected: Self.description(wanted.wav, wanted.sampleRate, wanted.channelCount),
                found: Self.description(format, sampleRate, channelCount))
        }
        return frameCount * wanted.bytesPerStoredFrame
    }
}

extension PCMFormat {
    /// Container and encoding for libsndfile. WAV has no 24 bits in four bytes; they are stored in three.
    fileprivate var wav: Int32 {
        let encoding =
            switch encoding {
            case .int16: SF_FORMAT_PCM_16
            case .int24, .int24Packed: SF_FORMAT_PCM_24
            case .int32: SF_FORMAT_PCM_32
            case .float32: SF_FORMAT_FLOAT
            }
        return Int32(SF_FORMAT_WAV | encoding)
    }

    fileprivate var bytesPerStoredFrame: Int { encoding == .int24 ? channelCount * 3 : bytesPerFrame }
}

/// Samples of four bytes without their highest byte, which repeats the sign.
private func packed(_ samples: [UInt8]) -> [UInt8] {
    var packed: [UInt8] = []
    packed.reserveCapacity(samples.count / 4 * 3)
    for start in stride(from: 0, to: samples.count, by: 4) {
        packed += samples[start..<min(start + 3, samples.count)]
    }
    return packed
}

extension RIFFChunks {
    /// - Returns: what is wrong, in words; `nil` when nothing is. Blocks on the disk; does not change the file's
    ///   position.
    static func problem(in file: Int32, mayBeCutOff: Bool = true) -> String? {
        var status = stat()
        guard fstat(file, &status) == 0 else { return nil }
        return problem(size: Int(status.st_size), mayBeCutOff: mayBeCutOff) { offset, count in
            var bytes = [UInt8](repeating: 0, count: count)
            return pread(file, &bytes, count, off_t(offset)) == count ? bytes : nil
        }
    }
}
