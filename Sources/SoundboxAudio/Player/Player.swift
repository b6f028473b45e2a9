import SoundboxCore
import SoundboxSystem
import SoundboxVoice
import Synchronization

/// Plays one announcement at a time on one sink, streamed period by period.
///
/// Nothing is queued here: ``play(_:_:)`` returns when the last frame has left the speaker, and must not be called again
/// before. Volume and mute may be changed from any thread at any time and act on the next period that is rendered.
///
/// Decodes and mixes on a thread of its own, so that neither a busy pool nor a slow disk holds up the sound.
public actor Player {
    private let executor = ThreadExecutor(name: "player")
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    /// How long the player's thread has been held by what it does now: normally a fraction of a period. Any thread.
    public nonisolated var timeInJob: Duration { executor.timeInJob }

    private let sink: any AudioSink
    private let timing: Timing
    private let sleep: @Sendable (Duration) async throws -> Void
    private let volumeLevel: Atomic<Int>
    private let muted = Atomic(false)
    private var voices: Voices
    private var chime: (samples: [Int16], sampleRate: Int)?
    private var mixer: Mixer?
    private var period: [UInt8] = []
    /// The format that the device took last.
    private var format: PCMFormat?
    /// The volume that the device was asked for last, and whether it does it.
    private var deviceVolume: (wanted: Volume, isTaken: Bool)?
    /// Closes the device after an idle time; cancelled by the next announcement.
    private var closing: Task<Void, Never>?

    /// - Parameter sleep: waits until the device has been idle for long enough.
    public init(
        sink: any AudioSink, voices: Voices, volume: Volume, timing: Timing = Timing(),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.sink = sink
        self.voices = voices
        self.timing = timing
        self.sleep = sleep
        volumeLevel = Atomic(volume.level)
    }

    /// The volume in force. Never blocks; any thread.
    public nonisolated var volume: Volume {
        get { Volume(volumeLevel.load(ordering: .relaxed)) }
        set { volumeLevel.store(newValue.level, ordering: .relaxed) }
    }

    /// Whether nothing is to be heard, whatever the volume. Never blocks; any thread.
    public nonisolated var isMuted: Bool {
        get { muted.load(ordering: .relaxed) }
        set { muted.store(newValue, ordering: .relaxed) }
    }

    /// What was agreed on with the device, and how it does; `nil` while it has never been open.
    public var device: DeviceStatus? {
        get async {
            guard let format else { return nil }
            return DeviceStatus(
                format: format, bufferFrames: await sink.bufferFrames, xrunCount: await sink.xrunCount,
                hasVolume: deviceVolume?.isTaken ?? false)
        }
    }

    /// Opens the device and decodes the chime for it, so that the first announcement starts at once.
    ///
    /// - Throws: what the sink reports. Harmless: ``play(_:_:)`` tries again.
    public func prepare() async throws(PlayerError) {
        _ = try chime(at: try await openSink().sampleRate)
        closeWhenIdle()
    }

    /// Plays with these recordings from now on: the same ones, of which others are left out.
    public func use(_ voices: Voices) { self.voices = voices }

    /// Plays the script to its last frame.
    ///
    /// The chime's first frames are written before anything else is decoded; the words follow while it sounds.
    /// - Throws: why it was not heard to its end; it then counts as not heard at all.
    public func play(_ script: AnnouncementScript, _ delivery: Delivery = Delivery()) async throws(PlayerError) {
        let hasChime = delivery.hasChime && voices.hasChime
        guard hasChime || script.hasWords else { throw .nothingToPlay }
        closing?.cancel()
        defer { closeWhenIdle() }
        let format = try await openSink()
        var mixer = self.mixer.flatMap { $0.format == format ? $0 : nil } ?? Mixer(format: format)
        var period = self.period
        self.period = []
        // Somebody else may have turned it meanwhile, or the mixer may be back.
        deviceVolume = nil
        var words = Words(script.elements, sampleRate: format.sampleRate)
        var framesToSpeech = format.frames(in: timing.leadIn)

        mixer.begin(volume: await gain(for: loudness(delivery)))
        if hasChime {
            mixer.play(try chime(at: format.sampleRate), on: .chime, after: framesToSpeech)
            framesToSpeech += format.frames(in: timing.chimeToSpeech)
        }
        while !words.areComplete || !mixer.isFinished {
            if !words.areComplete {
                if framesToSpeech < format.framesPerPeriod {
                    let speech = try words.joined(to: delivery.gap ?? timing.gap, voices)
                    mixer.play(speech, on: .speech, after: framesToSpeech)
                }
                framesToSpeech -= format.framesPerPeriod
            }
            if Task.isCancelled {
                // The last period fades: a cut in the middle of a wave would be a click.
                mixer.render(into: &period, volume: Volume(0))
                try await write(period)
                throw .cancelled
            }
            mixer.render(into: &period, volume: await gain(for: loudness(delivery)))
            try await write(period)
            // The device is ahead by its buffer now, and one recording takes a fraction of that.
            try words.decodeNext(voices)
        }
        do { try await sink.drain() } catch { throw .sink(error) }
        // Seconds of decoded speech are not kept until the next payment.
        mixer.stop()
        self.mixer = mixer
        self.period = period
    }

    /// Closes the sink.
    public func close() async {
        closing?.cancel()
        await sink.close()
    }

    private func openSink() async throws(PlayerError) -> PCMFormat {
        do {
            let format = try await sink.open()
            self.format = format
            return format
        } catch { throw .sink(error) }
    }

    private func write(_ period: [UInt8]) async throws(PlayerError) {
        do { try await sink.write(period) } catch { throw .sink(error) }
    }

    private func loudness(_ delivery: Delivery) -> Volume {
        isMuted ? Volume(0) : min(max(volume, delivery.loudness.lowerBound), delivery.loudness.upperBound)
    }

    /// What the samples are scaled by: the volume, or nothing where the device itself is as loud as that. Silence is
    /// always made here, by a ramp: switches click, and many elements do not go down to nothing.
    private func gain(for wanted: Volume) async -> Volume {
        guard wanted.level > 0 else { return wanted }
        if deviceVolume?.wanted != wanted { deviceVolume = (wanted, await sink.setVolume(wanted.level)) }
        return deviceVolume?.isTaken == true ? Volume(100) : wanted
    }

    /// The chime at the device's rate: decoded once, and again only when another device comes with another rate.
    private func chime(at sampleRate: Int) throws(PlayerError) -> [Int16] {
        if let chime, chime.sampleRate == sampleRate { return chime.samples }
        do {
            let samples = try voices.samples(of: .chime, at: sampleRate)
            chime = (samples, sampleRate)
            return samples
        } catch {
            throw .recording(.chime, error)
        }
    }

    private func closeWhenIdle() {
        guard let limit = timing.closeWhenIdle else { return }
        closing?.cancel()
        closing = Task {
            do { try await sleep(limit) } catch { return }
            // On this actor, where nothing else can begin between the look and the call.
            if !Task.isCancelled { await sink.close() }
        }
    }
}

/// The speech of one announcement, decoded piece by piece.
private struct Words {
    private let elements: [AnnouncementScript.Element]
    private let sampleRate: Int
    private var pieces: [Splicer.Piece] = []
    /// Whether the speech was joined and handed over.
    private(set) var areComplete = false

    init(_ elements: [AnnouncementScript.Element], sampleRate: Int) {
        self.elements = elements
        self.sampleRate = sampleRate
    }

    /// Decodes one more recording, if one is left.
    mutating func decodeNext(_ voices: Voices) throws(PlayerError) {
        guard !areComplete, pieces.count < elements.count else { return }
        switch elements[pieces.count] {
        case .pause(let duration): pieces.append(silence(duration))
        case .phrase(let index):
            do { pieces.append(.sound(try voices.samples(of: .phrase(index), at: sampleRate))) } catch {
                throw .recording(.phrase(index), error)
            }
        }
    }

    /// Decodes what is left and joins all.
    mutating func joined(to gap: Duration, _ voices: Voices) throws(PlayerError) -> [Int16] {
        while pieces.count < elements.count { try decodeNext(voices) }
        areComplete = true
        let joined = Splicer(sampleRate: sampleRate).joined(pieces + [silence(gap)])
        pieces = []
        return joined
    }

    private func silence(_ duration: Duration) -> Splicer.Piece {
        .silence(Int(duration / .nanoseconds(1_000_000_000 / Double(sampleRate))))
    }
}
