import SoundboxCore
import SoundboxSpeech
import SoundboxVoice
import Synchronization

/// Renders scripts as the box would play them, with its own player and mixer, without chime: as fast as the processor
/// can.
///
///     let renderer = SpeechRenderer(voice: voice)
///     let script = voice.writer.script(for: .prompt(.greeting))
///     try await renderer.write(script, to: "/tmp/greeting.wav")
public struct SpeechRenderer: Sendable {
    private let player: Player
    private let sink: CollectingSink
    private let format: PCMFormat

    /// - Parameters:
    ///   - framesPerPeriod: the result may be too long by less than this. Short periods find the end to less than a
    ///     millisecond; long ones take less time.
    ///   - loudspeaker: the sound is processed for it.
    public init(voice: Voice, framesPerPeriod: Int = 16, loudspeaker: Loudspeaker = .full) {
        format = PCMFormat(
            sampleRate: voice.recordings.sampleRate, channelCount: 1, encoding: .int16, framesPerPeriod: framesPerPeriod
        )
        sink = CollectingSink(format: format)
        player = Player(
            sink: sink, voices: Voices(first: voice), volume: Volume(100), timing: Timing(leadIn: .zero),
            loudspeaker: loudspeaker)
    }

    /// The words and rests of the script at the voice's own rate; too long by less than one period.
    ///
    /// Decodes recordings, so it blocks on the disk. One caller at a time.
    package func recording(of script: AnnouncementScript) async throws(PlayerError) -> Recording {
        try await speech(of: script).recording
    }

    /// Writes the words and rests of the script as a WAV file: mono, 16 bits, at the voice's own rate. Overwrites an
    /// existing file. Blocks on the disk. One caller at a time.
    /// - Throws: ``PlayerError`` when it cannot be spoken, ``RecordingError`` when it cannot be written.
    public func write(_ script: AnnouncementScript, to path: String) async throws {
        // Frames of an announcement that failed.
        _ = sink.takeFrames()
        try await player.play(script, Delivery(hasChime: false, gap: .zero))
        var file = try WAVFile(creating: path, format: format)
        try file.write(sink.takeFrames())
    }

    /// As ``recording(of:)``, with the places of its parts as the player has laid them out.
    package func speech(of script: AnnouncementScript) async throws(PlayerError) -> RenderedSpeech {
        let places = Mutex<[Range<Int>]>([])
        // Frames of an announcement that failed.
        _ = sink.takeFrames()
        try await player.play(script, Delivery(hasChime: false, gap: .zero)) { laid in places.withLock { $0 = laid } }
        let frames = sink.takeFrames()
        let samples = stride(from: 0, to: frames.count - 1, by: 2).map { byte in
            Float(Int16(bitPattern: UInt16(frames[byte]) | UInt16(frames[byte + 1]) << 8)) / 32768
        }
        return RenderedSpeech(
            recording: Recording(name: script.text, sampleRate: format.sampleRate, samples: samples),
            places: places.withLock { $0 })
    }
}

/// Speech as the box plays it.
package struct RenderedSpeech: Sendable {
    package let recording: Recording
    /// For each element of the script the frames in which it sounds; two recordings that overlap share the frames of
    /// the overlap.
    package let places: [Range<Int>]
}

/// Keeps what is written to it, in 16 bits and one channel.
private final class CollectingSink: AudioSink {
    private let format: PCMFormat
    private let frames = Mutex<[UInt8]>([])

    init(format: PCMFormat) { self.format = format }

    func open() -> PCMFormat { format }

    func write(_ period: [UInt8]) { frames.withLock { $0 += period } }

    /// What was written since the last call.
    func takeFrames() -> [UInt8] {
        frames.withLock { frames in
            defer { frames = [] }
            return frames
        }
    }

    func drain() {}
    func interrupt() {}
    func close() {}
}
