import SoundboxAudio
import SoundboxCore
import SoundboxVoice
import Synchronization

/// Renders scripts as the box would play them, through its own player and mixer, without chime and surroundings.
struct SpeechRenderer {
    /// Short, so that the end is found to less than a millisecond; see ``recording(of:)``.
    private static let framesPerPeriod = 16

    private let player: Player
    private let sink: CollectingSink
    private let sampleRate: Int

    init(voice: Voice) {
        sampleRate = voice.recordings.sampleRate
        sink = CollectingSink(
            format: PCMFormat(
                sampleRate: sampleRate, channelCount: 1, encoding: .int16, framesPerPeriod: Self.framesPerPeriod))
        player = Player(
            sink: sink, voices: Voices(first: voice), volume: Volume(100), timing: Timing(leadIn: .zero))
    }

    /// The words and rests of the script at the voice's own rate; up to 15 frames longer than they are.
    ///
    /// Decodes recordings, so it blocks on the disk. One caller at a time.
    func recording(of script: AnnouncementScript) async throws(PlayerError) -> Recording {
        try await player.play(script, Delivery(hasChime: false, gap: .zero))
        let samples = sink.takeSamples().map { Float($0) / 32768 }
        return Recording(name: script.text, sampleRate: sampleRate, samples: samples)
    }
}

/// Keeps what is written to it, in 16 bits and one channel.
private final class CollectingSink: AudioSink {
    private let format: PCMFormat
    private let samples = Mutex<[Int16]>([])

    init(format: PCMFormat) { self.format = format }

    func open() -> PCMFormat { format }

    func write(_ frames: [UInt8]) {
        samples.withLock { samples in
            for byte in stride(from: 0, to: frames.count - 1, by: 2) {
                samples.append(Int16(bitPattern: UInt16(frames[byte]) | UInt16(frames[byte + 1]) << 8))
            }
        }
    }

    /// What was written since the last call.
    func takeSamples() -> [Int16] {
        samples.withLock { samples in
            defer { samples = [] }
            return samples
        }
    }

    func drain() {}
    func interrupt() {}
    func close() {}
}
