import CSndFile
import Glibc
import SoundboxSystem

/// A sound file, decoded.
///
///     let file = try AudioFile(reading: "/usr/share/soundbox/sounds/zh-CN/chime.opus")
///     print(file.recording.duration, file.channelCount)
public struct AudioFile: Sendable {
    /// The sound, mixed to mono, at the file's own rate.
    public let recording: Recording
    /// How many channels the file holds.
    public let channelCount: Int
    /// `nil` for a file of another kind than voices have.
    public let format: RecordingFormat?
    /// Whether its comment is ``comment(origin:)``: it was written from a synthesiser, and no person spoke it.
    public let isSynthesized: Bool
    /// What the synthesiser made it from: its settings and the text. `nil` if the file does not say.
    package let origin: String?

    /// Marks every synthesised file, in its comment. No tool overwrites a file without this mark unless asked to.
    private static let synthesisMark = "Made by \"make sounds\"; made again when voice.yaml changes."
    private static let originMark = " From "

    /// The comment of a synthesised file.
    /// - Parameter origin: what it was synthesised from, to be read as ``origin``.
    package static func comment(origin: String?) -> String { synthesisMark + (origin.map { originMark + $0 } ?? "") }

    /// Reads any file that libsndfile knows (WAV, FLAC, Ogg, MP3 …). Blocks on the disk.
    ///
    /// Safe with untrusted files: length, rate and channels are bounded, whatever the header claims.
    /// - Parameter limit: a longer file is refused before it fills the memory.
    public init(reading path: String, limit: Duration = .seconds(300)) throws(RecordingError) {
        let file: DecodedFile
        (recording, file) = try Self.decoded(path, limit: limit, isSpoken: false)
        channelCount = file.channelCount
        format = file.format
        isSynthesized = file.comment?.hasPrefix(Self.synthesisMark) == true
        let beforeOrigin = Self.synthesisMark + Self.originMark
        origin = file.comment.flatMap { $0.hasPrefix(beforeOrigin) ? String($0.dropFirst(beforeOrigin.count)) : nil }
    }

    /// A recording that is spoken. It must be whole and audible: with half a word, or a silent one, the box would say
    /// another amount. Blocks on the disk.
    static func spoken(_ path: String) throws(RecordingError) -> Recording {
        try decoded(path, limit: .seconds(300), isSpoken: true).recording
    }

    private static func decoded(
        _ path: String, limit: Duration, isSpoken: Bool
    ) throws(RecordingError) -> (recording: Recording, file: DecodedFile) {
        var block: [Float] = []
        var samples: [Float] = []
        let file = try decode(path, limit: limit, isSpoken: isSpoken, in: &block) { frames, channels in
            if channels == 1 { samples += frames } else { samples += mono(frames, channels: channels) }
        }
        return (Recording(name: path, sampleRate: file.sampleRate, samples: samples), file)
    }

    /// Checks that ``spoken(_:)`` would succeed, and keeps nothing. Blocks on the disk.
    ///
    /// - Parameter block: scratch memory, to be reused for the next file.
    static func prove(_ path: String, in block: inout [Float]) throws(RecordingError) {
        _ = try decode(path, limit: .seconds(300), isSpoken: true, in: &block) { _, _ in }
    }

    /// Writes `recording` as 16-bit mono FLAC. Blocks on the disk.
    ///
    /// The file appears under its name complete or not at all: it is written under another name, read back and renamed.
    /// - Parameters:
    ///   - isSynthesized: whether to mark it as such, so that another run may replace it.
    ///   - origin: what it was synthesised from, to be read as ``origin``.
    package static func writeFLAC(
        _ recording: Recording, to path: String, isSynthesized: Bool, origin: String? = nil
    ) throws(RecordingError) {
        let partial = path + ".partial"
        do throws(RecordingError) {
            let comment = isSynthesized ? comment(origin: origin) : nil
            do { try write(recording, to: partial, comment: comment) } catch {
                throw .unwritable(file: path, reason: error.reason)
            }
            // Closing a FLAC file writes its last frames and does not report whether the disk took them.
            guard try AudioFile(reading: partial).recording.pcm16 == recording.pcm16 else {
                throw .unwritable(file: path, reason: "the disk gives back something else")
            }
            guard rename(partial, path) == 0 else {
                throw .unwritable(file: path, reason: SystemError.last.description)
            }
        } catch {
            unlink(partial)
            throw error
        }
    }

    private static func write(
        _ recording: Recording, to path: String, comment: String?
    ) throws(RecordingError) {
        let file = try SoundFile(
            creating: path, sampleRate: recording.sampleRate, channelCount: 1,
            format: Int32(SF_FORMAT_FLAC | SF_FORMAT_PCM_16))
        if let comment { file.comment = comment }
        try file.writeFrames(recording.pcm16)
    }
}

/// What a file says of its sound.
private typealias DecodedFile = (sampleRate: Int, channelCount: Int, format: RecordingFormat?, comment: String?)

/// Decodes a file block by block.
///
/// - Parameters:
///   - isSpoken: refuses what is not whole or cannot be heard, see ``AudioFile/spoken(_:)``.
///   - block: scratch memory, resized as needed.
///   - take: called with interleaved frames and the number of their channels.
private func decode(
    _ path: String, limit: Duration, isSpoken: Bool, in block: inout [Float], take: (ArraySlice<Float>, Int) -> Void
) throws(RecordingError) -> DecodedFile {
    let file = try SoundFile(reading: path, mayBeCutOff: !isSpoken)
    guard (4000...192_000).contains(file.sampleRate), (1...8).contains(file.channelCount) else {
        throw .unexpectedFormat(
            file: path, expected: "4,000–192,000 Hz and 1–8 channels",
            found: "\(file.sampleRate) Hz and \(file.channelCount) channels")
    }
    let channels = file.channelCount
    let mostFrames = Recording(name: path, sampleRate: file.sampleRate, samples: []).frames(in: limit)
    if block.count != 4096 * channels { block = [Float](repeating: 0, count: 4096 * channels) }
    var decoded = 0
    var peak: Float = 0
    while true {
        let frames = file.readFrames(into: &block)
        if let error = file.error {
            throw file.diskFailed ? .unavailable(file: path, reason: error) : .unreadable(file: path, reason: error)
        }
        if frames <= 0 { break }
        decoded += frames
        guard decoded <= mostFrames else {
            throw .unusable(file: path, reason: "it lasts longer than \(limit)")
        }
        let samples = block.prefix(frames * channels)
        let largest = samples.withUnsafeBufferPointer(largestMagnitude)
        guard largest.isFinite else {
            throw .unreadable(file: path, reason: "it holds samples that are not numbers")
        }
        peak = max(peak, largest)
        take(samples, channels)
    }
    let format = RecordingFormat(file.format)
    // A truncated FLAC file ends without an error. The header of one made as a stream claims no length. A damaged packet
    // of Opus may be passed over.
    if format == .flac || format == .opus, file.frameCount < .max, decoded < file.frameCount {
        throw .unreadable(file: path, reason: "it ends after \(decoded) frames of \(file.frameCount)")
    }
    guard decoded > 0 else { throw .unusable(file: path, reason: "it holds no sound") }
    if isSpoken {
        // Of others nobody knows whether they are whole.
        guard format != nil else {
            throw .unexpectedFormat(
                file: path, expected: "Opus, FLAC or WAV",
                found: SoundFile.description(file.format, file.sampleRate, channels))
        }
        guard peak >= softest else { throw .unusable(file: path, reason: "nothing in it is louder than -40 dBFS") }
    }
    return (file.sampleRate, channels, format, file.comment)
}

/// The peak of a recording that can be heard behind a counter; voices have -10 dBFS and more.
private let softest = Float(0.01)

/// Infinity, or what is no number, where there is any.
private func largestMagnitude(_ samples: UnsafeBufferPointer<Float>) -> Float {
    // As integers, which are compared many at a time; infinity and what is no number are the largest ones.
    var largest: UInt32 = 0
    for sample in samples { largest = max(largest, sample.magnitude.bitPattern) }
    return Float(bitPattern: largest)
}

/// The mean of the channels.
private func mono(_ interleaved: ArraySlice<Float>, channels: Int) -> [Float] {
    stride(from: interleaved.startIndex, to: interleaved.endIndex, by: channels).map { frame in
        interleaved[frame..<frame + channels].reduce(0, +) / Float(channels)
    }
}
