/// How the process that decodes clips hands a sound back: a header of 12 bytes, then samples of 16 bits, all in little
/// endian. Whoever reads it trusts the other side with nothing but the samples.
///
/// | bytes | content |
/// |---|---|
/// | 0–3 | `SBX1` |
/// | 4–7 | frames per second |
/// | 8–11 | frames |
public enum DecodedClip {
    public static let rates = 8000...48_000
    public static let headerSize = 12
    private static let magic = Array("SBX1".utf8)

    /// What a sound of this length takes at most.
    public static func mostBytes(for longest: Duration) -> Int {
        headerSize + 2 * frames(in: longest, at: rates.upperBound)
    }

    /// Rounded down.
    public static func frames(in duration: Duration, at rate: Int) -> Int {
        let (seconds, attoseconds) = min(max(duration, .zero), .seconds(3600)).components
        return Int(seconds) * rate + Int(attoseconds / 1_000_000_000) * rate / 1_000_000_000
    }

    public static func bytes(of sound: PCMSound) -> [UInt8] {
        var bytes = magic
        bytes.reserveCapacity(headerSize + 2 * sound.samples.count)
        for value in [sound.sampleRate, sound.samples.count] {
            for shift in stride(from: 0, to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
        }
        for sample in sound.samples {
            bytes.append(UInt8(truncatingIfNeeded: sample))
            bytes.append(UInt8(truncatingIfNeeded: sample >> 8))
        }
        return bytes
    }

    /// - Returns: `nil` for anything but a whole sound of at most `longest`, with a sample at least.
    public static func sound(from bytes: [UInt8], longest: Duration) -> PCMSound? {
        guard bytes.count > headerSize, bytes.starts(with: magic) else { return nil }
        func number(at offset: Int) -> Int {
            bytes[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        let rate = number(at: 4)
        let count = number(at: 8)
        guard rates.contains(rate), count > 0, count <= frames(in: longest, at: rate),
            bytes.count == headerSize + 2 * count
        else { return nil }
        let samples = [Int16](unsafeUninitializedCapacity: count) { buffer, initialized in
            for index in 0..<count {
                let offset = headerSize + 2 * index
                buffer[index] = Int16(bitPattern: UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8)
            }
            initialized = count
        }
        return PCMSound(samples: samples, sampleRate: rate)
    }
}

/// Why the process that decodes found no sound: its exit code, since it is asked for nothing else.
public enum ClipDecodingFailure: Int32, Error, Sendable, CaseIterable, CustomStringConvertible {
    case noSoundFile = 10
    case damaged = 11
    case unexpectedFormat = 12
    case tooLong = 13
    case empty = 14
    case notConfined = 15

    public var description: String {
        switch self {
        case .noSoundFile: "expected WAV, FLAC, Ogg Vorbis, Ogg Opus or MP3"
        case .damaged: "it is damaged, or its length is not what its header says"
        case .unexpectedFormat: "expected 8,000–48,000 Hz and one or two channels"
        case .tooLong: "it lasts longer than allowed"
        case .empty: "it holds no sound"
        case .notConfined: "the process that decodes could not be confined"
        }
    }
}
