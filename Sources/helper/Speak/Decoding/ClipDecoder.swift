import CSndFile
import Glibc
import SoundboxCore
import SoundboxSystem

/// Decodes an untrusted sound file in memory:
///
///     let sound = try ClipDecoder.decode(bytes, longest: .seconds(30))
///
/// For a confined process: libsndfile and its libraries parse untrusted bytes here. Opens no file; memory is
/// proportional to the file and to the longest allowed sound.
public enum ClipDecoder {
    /// - Parameters:
    ///   - encoded: WAV (PCM, float, A-law or µ-law), FLAC, Ogg Vorbis, Ogg Opus or MP3.
    ///   - longest: a longer sound is refused, by its header or its content.
    /// - Returns: the mean of the channels, at the file's sample rate.
    public static func decode(_ encoded: [UInt8], longest: Duration) throws(ClipDecodingFailure) -> PCMSound {
        guard isKnown(encoded) else { throw .noSoundFile }
        guard RIFFChunks.problem(in: encoded) == nil else { throw .damaged }
        return try encoded.withUnsafeBytes { bytes in
            Result(catching: { () throws(ClipDecodingFailure) in try decode(bytes, longest) })
        }.get()
    }

    private static func decode(
        _ bytes: UnsafeRawBufferPointer, _ longest: Duration
    ) throws(ClipDecodingFailure) -> PCMSound {
        var source = MemorySource(bytes: bytes)
        var info = SF_INFO()
        // The library keeps the pointer while the file is open, which is within this closure.
        return try withUnsafeMutablePointer(to: &source) { (source) throws(ClipDecodingFailure) in
            var calls = MemorySource.calls
            guard let file = sf_open_virtual(&calls, Int32(SFM_READ), &info, source) else { throw .damaged }
            defer { sf_close(file) }
            return try samples(of: file, info, longest)
        }
    }

    /// Checks the first bytes before a library parses the file. ``isAllowed(_:)`` then checks the format that the
    /// library has found.
    private static func isKnown(_ bytes: [UInt8]) -> Bool {
        func begins(with text: String, at offset: Int = 0) -> Bool { bytes.dropFirst(offset).starts(with: text.utf8) }
        if begins(with: "RIFF") { return begins(with: "WAVE", at: 8) }
        if begins(with: "fLaC") || begins(with: "OggS") || begins(with: "ID3") { return true }
        // The first eleven bits of a frame of MPEG audio are set.
        return bytes.count > 3 && bytes[0] == 0xFF && bytes[1] & 0xE0 == 0xE0
    }

    private static func isAllowed(_ format: Int32) -> Bool {
        let encoding = Int(format) & SF_FORMAT_SUBMASK
        return switch Int(format) & SF_FORMAT_TYPEMASK {
        case SF_FORMAT_WAV, SF_FORMAT_WAVEX:
            // Other encodings of WAV (ADPCM, GSM …) are rare, and each is one more decoder.
            [
                SF_FORMAT_PCM_U8, SF_FORMAT_PCM_16, SF_FORMAT_PCM_24, SF_FORMAT_PCM_32, SF_FORMAT_FLOAT,
                SF_FORMAT_DOUBLE, SF_FORMAT_ULAW, SF_FORMAT_ALAW,
            ].contains(encoding)
        case SF_FORMAT_FLAC: true
        case SF_FORMAT_OGG: encoding == SF_FORMAT_VORBIS || encoding == SF_FORMAT_OPUS
        case SF_FORMAT_MPEG: encoding == SF_FORMAT_MPEG_LAYER_III
        default: false
        }
    }

    private static func samples(
        of file: OpaquePointer, _ info: SF_INFO, _ longest: Duration
    ) throws(ClipDecodingFailure) -> PCMSound {
        guard isAllowed(info.format) else { throw .noSoundFile }
        let rate = Int(info.samplerate)
        let channels = Int(info.channels)
        guard WAV.rates.contains(rate), (1...2).contains(channels) else { throw .unexpectedFormat }
        let most = WAV.frames(in: longest, at: rate)
        // A stream without a length claims the maximum.
        guard info.frames <= most || info.frames == .max else { throw .tooLong }
        var block = [Float](repeating: 0, count: 4096 * channels)
        var samples: [Int16] = []
        while true {
            let frames = Int(sf_readf_float(file, &block, 4096))
            // Check now: the next call resets the error, and the damaged block is silence.
            guard sf_error(file) == SF_ERR_NO_ERROR else { throw .damaged }
            guard frames > 0 else { break }
            guard frames <= 4096 else { throw .damaged }
            guard samples.count + frames <= most else { throw .tooLong }
            for frame in 0..<frames {
                var mean = block[frame * channels]
                if channels == 2 { mean = (mean + block[frame * channels + 1]) / 2 }
                guard mean.isFinite else { throw .damaged }
                samples.append(Int16((min(max(mean, -1), 1) * 32_767).rounded()))
            }
        }
        // A truncated FLAC file ends without an error.
        if Int(info.format) & SF_FORMAT_TYPEMASK == SF_FORMAT_FLAC, info.frames < .max, samples.count < info.frames {
            throw .damaged
        }
        guard !samples.isEmpty else { throw .empty }
        return PCMSound(samples: samples, sampleRate: rate)
    }
}

/// A file in memory for libsndfile (sndfile.h, "SF_VIRTUAL_IO").
private struct MemorySource {
    let bytes: UnsafeRawBufferPointer
    fileprivate var position = 0

    init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    static var calls: SF_VIRTUAL_IO {
        SF_VIRTUAL_IO(
            get_filelen: { sf_count_t(source($0)?.pointee.bytes.count ?? 0) },
            seek: { source($2)?.pointee.seek($0, $1) ?? -1 },
            read: { source($2)?.pointee.read($0, $1) ?? 0 },
            write: { _, _, _ in 0 },
            tell: { sf_count_t(source($0)?.pointee.position ?? 0) })
    }

    fileprivate mutating func seek(_ offset: sf_count_t, _ whence: Int32) -> sf_count_t {
        let origin: Int
        switch whence {
        case SEEK_SET: origin = 0
        case SEEK_CUR: origin = position
        case SEEK_END: origin = bytes.count
        default: return -1
        }
        let (target, overflows) = origin.addingReportingOverflow(Int(offset))
        guard !overflows, (0...bytes.count).contains(target) else { return -1 }
        position = target
        return sf_count_t(target)
    }

    fileprivate mutating func read(_ buffer: UnsafeMutableRawPointer?, _ count: sf_count_t) -> sf_count_t {
        guard let buffer, count > 0 else { return 0 }
        let taken = min(Int(count), bytes.count - position)
        UnsafeMutableRawBufferPointer(start: buffer, count: taken).copyMemory(
            from: UnsafeRawBufferPointer(rebasing: bytes[position..<position + taken]))
        position += taken
        return sf_count_t(taken)
    }
}

private func source(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<MemorySource>? {
    pointer?.assumingMemoryBound(to: MemorySource.self)
}

/// Why a file cannot be decoded. The descriptions are for people.
public enum ClipDecodingFailure: Error, Sendable, CustomStringConvertible {
    case noSoundFile
    case damaged
    case unexpectedFormat
    case tooLong
    case empty

    public var description: String {
        switch self {
        case .noSoundFile: "expected WAV, FLAC, Ogg Vorbis, Ogg Opus or MP3"
        case .damaged: "it is damaged, or its length is not what its header says"
        case .unexpectedFormat: "expected 8,000–48,000 Hz and one or two channels"
        case .tooLong: "it lasts longer than allowed"
        case .empty: "it holds no sound"
        }
    }
}

/// Decodes standard input in a process that has given up all other rights:
///
///     StandardStreams.answer { WAV.bytes(of: try ConfinedDecoder.sound(longest: .seconds(30))) }
public enum ConfinedDecoder {
    /// Bytes of address space: for the program and its libraries, the encoded file, the samples and the decoder.
    private static let memory: UInt = 512 << 20
    private static let processorSeconds: UInt32 = 10

    /// Gives up files, network and other processes before it reads a byte. Call on the main thread of a process that
    /// has no other thread and ends after the answer.
    public static func sound(longest: Duration) throws -> PCMSound {
        do throws(SystemError) {
            try Confinement.enter(memory: memory, processorSeconds: processorSeconds)
        } catch {
            throw SpeakError("the process that decodes could not be confined: \(error)")
        }
        return try ClipDecoder.decode(StandardStreams.input(most: ClipSettings.mostBytes), longest: longest)
    }
}
