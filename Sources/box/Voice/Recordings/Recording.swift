import Glibc
import SoundboxCore

/// One piece of mono sound in memory.
public struct Recording: Sendable, Equatable {
    /// The name in errors: a file name or path.
    public var name: String
    /// Frames per second.
    public var sampleRate: Int
    /// Full scale at ±1.0.
    public var samples: [Float]

    public init(name: String, sampleRate: Int, samples: [Float]) {
        self.name = name
        self.sampleRate = sampleRate
        self.samples = samples
    }

    /// The mean of the samples: 0 unless the recording equipment has a fault.
    package var offset: Double {
        samples.isEmpty ? 0 : samples.reduce(0.0) { $0 + Double($1) } / Double(samples.count)
    }

    public var duration: Duration {
        .nanoseconds(Int64(samples.count) * 1_000_000_000 / Int64(sampleRate))
    }

    /// The number of frames nearest to `duration` at this recording's rate.
    package func frames(in duration: Duration) -> Int {
        let (seconds, attoseconds) = duration.components
        return Int(((Double(seconds) + Double(attoseconds) * 1e-18) * Double(sampleRate)).rounded())
    }

    /// The samples as 16-bit PCM, rounded to nearest and limited to full scale.
    ///
    /// Not dithered: the result must be the same every time, and rounding at −96 dBFS lies far below the noise of any
    /// recording. A sample that was read from 16-bit PCM becomes the same integer again.
    package var pcm16: [Int16] {
        [Int16](unsafeUninitializedCapacity: samples.count) { output, count in
            samples.withUnsafeBufferPointer { samples in
                // By pointers, so that the compiler vectorises it.
                for place in samples.indices {
                    let limited = min(max(Double(samples[place]) * 32768, -32768), 32767)
                    output[place] = Int16(truncatingIfNeeded: Int32(nearest: limited))
                }
            }
            count = samples.count
        }
    }
}

extension Double {
    /// An amplitude ratio as decibels; −∞ for 0.
    package static func decibels(ofAmplitude ratio: Double) -> Double { 20 * log10(ratio) }

    /// Decibels as an amplitude ratio.
    package static func amplitude(ofDecibels decibels: Double) -> Double { pow(10, decibels / 20) }
}

/// Why a sound file could not be read, written, measured or made. Every case names the file.
public enum RecordingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file is no sound, or incomplete. It stays unusable until somebody replaces it.
    case unreadable(file: String, reason: String)
    /// The file cannot be read now, but perhaps later: see ``isPassing(_:)``.
    case unavailable(file: String, reason: String)
    /// The file cannot be created, or the disk is full. An existing file is not changed.
    case unwritable(file: String, reason: String)
    /// The file holds sound of another format than expected.
    case unexpectedFormat(file: String, expected: String, found: String)
    /// The sound itself cannot be used: silent, too long, or too peaky for the wanted loudness.
    case unusable(file: String, reason: String)
    /// The synthesiser failed.
    case synthesisFailed(file: String, reason: String)

    /// Whether the same file may be readable at the next attempt, without anybody changing it.
    public var isPassing: Bool {
        if case .unavailable = self { true } else { false }
    }

    /// Whether an error of a system call may be temporary: the process is short of descriptors or memory, the disk did
    /// not answer, or the folder is being replaced.
    static func isPassing(_ code: Int32) -> Bool {
        [EMFILE, ENFILE, ENOMEM, EIO, ENOENT, ENOTDIR, EACCES, ESTALE, EAGAIN, EINTR, ETIMEDOUT, ENODEV].contains(code)
    }

    /// What is wrong, without the file's name.
    public var reason: String {
        switch self {
        case .unreadable(_, let reason), .unavailable(_, let reason), .unwritable(_, let reason),
            .unusable(_, let reason), .synthesisFailed(_, let reason):
            reason
        case .unexpectedFormat(_, let expected, let found): "it holds \(found), expected \(expected)"
        }
    }

    public var description: String {
        switch self {
        case .unreadable(let file, let reason), .unavailable(let file, let reason):
            "cannot read recording \"\(file)\": \(reason)"
        case .unwritable(let file, let reason): "cannot write recording \"\(file)\": \(reason)"
        case .unexpectedFormat(let file, let expected, let found):
            "recording \"\(file)\" holds \(found), expected \(expected)"
        case .unusable(let file, let reason): "recording \"\(file)\" is of no use: \(reason)"
        case .synthesisFailed(let file, let reason): "cannot synthesise \"\(file)\": \(reason)"
        }
    }
}
