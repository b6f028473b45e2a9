import SoundboxCore
import SoundboxSystem
import Synchronization

/// Plays one announcement at a time on one sink, streamed period by period.
///
/// Nothing is queued here: ``play(_:)`` returns when the last frame has left the speaker, and must not be called again
/// before. The volume may be changed from any thread at any time and acts on the next period that is rendered.
///
/// Decodes and mixes on a thread of its own, so that neither a busy pool nor a slow disk holds up the sound.
public actor Player {
    private let executor = ThreadExecutor(name: "player")
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// What surrounds the words of every announcement.
    public struct Timing: Sendable, Equatable {
        /// Silence first, for codecs that swallow the first milliseconds after a pause.
        public var leadIn: Duration
        /// From the start of the chime to the first word: the chime's tail rings on under the speech.
        public var chimeToSpeech: Duration
        /// Silence at the end, so that two announcements in a row are heard as two.
        public var tail: Duration

        public init(
            leadIn: Duration = .milliseconds(20), chimeToSpeech: Duration = .milliseconds(550),
            tail: Duration = .milliseconds(500)
        ) {
            self.leadIn = leadIn
            self.chimeToSpeech = chimeToSpeech
            self.tail = tail
        }
    }

    private let sink: any AudioSink
    private let voice: Voice
    private let timing: Timing
    private let volumeLevel: Atomic<Int>
    private var sound: VoiceSound?
    private var mixer: Mixer?
    private var period: [UInt8] = []

    public init(sink: any AudioSink, voice: Voice, volume: Volume, timing: Timing = Timing()) {
        self.sink = sink
        self.voice = voice
        self.timing = timing
        volumeLevel = Atomic(volume.level)
    }

    /// The volume in force. Never blocks; any thread.
    public nonisolated var volume: Volume {
        get { Volume(volumeLevel.load(ordering: .relaxed)) }
        set { volumeLevel.store(newValue.level, ordering: .relaxed) }
    }

    /// Decodes the voice for the sink's format, so that the first announcement need not wait for it.
    ///
    /// - Throws: what the sink reports. Harmless: ``play(_:)`` tries again.
    public func prepare() async throws(AudioSinkError) {
        _ = try sound(at: try await sink.open().sampleRate)
    }

    /// Plays the script to its last frame.
    ///
    /// - Throws: what the sink reports, and when the task is cancelled; the announcement then counts as not heard and
    ///   is to be played again from its start.
    public func play(_ script: AnnouncementScript) async throws(AudioSinkError) {
        let format = try await sink.open()
        let timeline = try timeline(of: script, at: format.sampleRate)
        var mixer = self.mixer.flatMap { $0.format == format ? $0 : nil } ?? Mixer(format: format)
        mixer.begin(timeline, volume: volume)
        var period = self.period
        self.period = []
        while !mixer.isFinished {
            guard !Task.isCancelled else { throw .writeFailed(device: "player", reason: "the box is shutting down") }
            mixer.render(into: &period, volume: volume)
            try await sink.write(period)
        }
        try await sink.drain()
        self.mixer = mixer
        self.period = period
    }

    /// Closes the sink.
    public func close() async {
        await sink.close()
    }

    private func timeline(of script: AnnouncementScript, at sampleRate: Int) throws(AudioSinkError) -> Timeline {
        let sound = try sound(at: sampleRate)
        func frames(_ duration: Duration) -> Bus.Clip {
            .silence(Int(duration / .nanoseconds(1_000_000_000 / Double(sampleRate))))
        }
        let words: [Bus.Clip] = script.elements.map { element in
            switch element {
            case .phrase(let index): .samples(sound.phrases[index])
            case .pause(let duration): frames(duration)
            }
        }
        return Timeline(
            chime: Bus([frames(timing.leadIn), .samples(sound.chime)]),
            speech: Bus([frames(timing.leadIn), frames(timing.chimeToSpeech)] + words + [frames(timing.tail)]))
    }

    /// The voice at the device's rate: converted once, and again only when another device comes with another rate.
    private func sound(at sampleRate: Int) throws(AudioSinkError) -> VoiceSound {
        if let sound, sound.sampleRate == sampleRate { return sound }
        do {
            let loaded = try voice.sound(at: sampleRate)
            sound = loaded
            return loaded
        } catch {
            throw .unsupportedFormat(device: "voice \(voice.language.locale)", reason: error.description)
        }
    }
}
