import CSndFile
import Glibc

/// A sound file as it was found on disk, decoded.
public struct AudioFile: Sendable {
    /// The sound, mixed to mono, at the file's own rate.
    public let recording: Recording
    /// How many channels the file holds.
    public let channelCount: Int
    /// Whether the file is FLAC.
    public let isFLAC: Bool
    /// Whether ``writeFLAC(_:to:isSynthesized:)`` made it from a synthesiser, and no person spoke it.
    public let isSynthesized: Bool

    /// Stands in the comment of every synthesised file. No tool overwrites a file without it unasked.
    private static let synthesisMark = "Made by \"make sounds\"; made again when voice.yaml changes."

    /// Reads any file that libsndfile knows (WAV, FLAC, Ogg, MP3 …). Blocks on the disk.
    ///
    /// Safe on foreign files: length, rate and channels are bounded, whatever the header claims.
    /// - Parameter limit: a longer file is refused before it fills the memory.
    public init(reading path: String, limit: Duration = .seconds(300)) throws(RecordingError) {
        let file = try SoundFile(reading: path)
        guard (4000...192_000).contains(file.sampleRate), (1...8).contains(file.channelCount) else {
            throw .unexpectedFormat(
                file: path, expected: "4,000–192,000 Hz and 1–8 channels",
                found: "\(file.sampleRate) Hz and \(file.channelCount) channels")
        }
        var recording = Recording(name: path, sampleRate: file.sampleRate, samples: [])
        let channels = file.channelCount
        let mostFrames = recording.frames(in: limit)
        var block = [Float](repeating: 0, count: 4096 * channels)
        while true {
            let frames = file.readFrames(into: &block)
            if frames <= 0 { break }
            recording.samples.append(contentsOf: mono(block.prefix(frames * channels), channels: channels))
            guard recording.samples.count <= mostFrames else {
                throw .unusable(file: path, reason: "it lasts longer than \(limit)")
            }
        }
        if let error = file.error { throw .unreadable(file: path, reason: error) }
        isFLAC = Int(file.format) & SF_FORMAT_TYPEMASK == SF_FORMAT_FLAC
        // A FLAC file that was cut off ends without an error. The header of one made as a stream claims no length.
        if isFLAC, file.frameCount < .max, recording.samples.count < file.frameCount {
            throw .unreadable(
                file: path, reason: "it ends after \(recording.samples.count) frames of \(file.frameCount)")
        }
        guard recording.samples.allSatisfy(\.isFinite) else {
            throw .unreadable(file: path, reason: "it holds samples that are not numbers")
        }
        self.recording = recording
        channelCount = channels
        isSynthesized = file.comment == Self.synthesisMark
    }

    /// Writes `recording` as 16-bit mono FLAC. Blocks on the disk.
    ///
    /// The file appears under its name complete or not at all: it is written beside it, read back and renamed.
    /// - Parameter isSynthesized: whether it is marked as such, so that another run may replace it.
    static func writeFLAC(_ recording: Recording, to path: String, isSynthesized: Bool) throws(RecordingError) {
        let partial = path + ".partial"
        do throws(RecordingError) {
            do { try write(recording, to: partial, isSynthesized) } catch {
                throw .unwritable(file: path, reason: error.reason)
            }
            // Closing a FLAC file writes its last frames and tells nobody whether the disk took them.
            guard try AudioFile(reading: partial).recording.pcm16 == recording.pcm16 else {
                throw .unwritable(file: path, reason: "the disk gives back something else")
            }
            guard rename(partial, path) == 0 else {
                throw .unwritable(file: path, reason: String(cString: strerror(errno)))
            }
        } catch {
            unlink(partial)
            throw error
        }
    }

    private static func write(
        _ recording: Recording, to path: String, _ isSynthesized: Bool
    ) throws(RecordingError) {
        let file = try SoundFile(
            creating: path, sampleRate: recording.sampleRate, channelCount: 1,
            format: Int32(SF_FORMAT_FLAC | SF_FORMAT_PCM_16))
        if isSynthesized { file.comment = synthesisMark }
        try file.writeFrames(recording.pcm16)
    }
}

/// The mean of the channels of interleaved frames.
private func mono(_ interleaved: ArraySlice<Float>, channels: Int) -> [Float] {
    if channels == 1 { return Array(interleaved) }
    return stride(from: interleaved.startIndex, to: interleaved.endIndex, by: channels).map { frame in
        interleaved[frame..<frame + channels].reduce(0, +) / Float(channels)
    }
}
