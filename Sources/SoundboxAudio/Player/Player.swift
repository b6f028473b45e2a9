import SoundboxCore
import SoundboxSpeech
import SoundboxVoice
import Synchronization

/// Plays one announcement at a time on a ``SoundThread``, streamed period by period.
///
/// Nothing is queued here: ``play(_:_:until:began:)`` returns when the last frame has left the speaker, and should not
/// be called again before. Volume and mute may be changed from any thread at any time and act on the next period that
/// is rendered.
public final class Player: Sendable {
    let thread: SoundThread
    let timing: Timing
    private let loudspeaker: Loudspeaker
    private let volumeLevel: Atomic<Int>
    private let muted = Atomic(false)
    private let voices: Mutex<Voices>
    private let memory = Mutex(Memory())
    /// The announcement that plays or waits for the thread. An interrupt ends whatever the device plays, so it is made
    /// under this lock: the next announcement cannot begin before.
    private let current = Mutex<Turn?>(nil)
    private let closed = Atomic(false)

    /// What is made once and used again.
    private struct Memory {
        var chime: (samples: [Int16], sampleRate: Int)?
        /// Away while an announcement uses it, and not brought back by one that failed.
        var mixer: Mixer?
        var device: DeviceStatus?
        /// The last one that was asked for.
        var preparation: Preparation?
        /// Whether the device could not be opened when it was tried last.
        var isFailing = false
    }

    /// - Parameters:
    ///   - timing: its `closeWhenIdle` is the thread's, not the player's.
    ///   - loudspeaker: what chime and words are made fit for.
    public init(
        on thread: SoundThread, voices: Voices, volume: Volume, timing: Timing = Timing(),
        loudspeaker: Loudspeaker = .full
    ) {
        self.thread = thread
        self.loudspeaker = loudspeaker
        self.voices = Mutex(voices)
        self.timing = timing
        volumeLevel = Atomic(volume.level)
    }

    /// With a thread of its own, for a sink whose calls always come back.
    public convenience init(
        sink: any AudioSink, voices: Voices, volume: Volume, timing: Timing = Timing(),
        loudspeaker: Loudspeaker = .full
    ) {
        let thread = SoundThread(closeWhenIdle: timing.closeWhenIdle) { _ in sink }
        self.init(on: thread, voices: voices, volume: volume, timing: timing, loudspeaker: loudspeaker)
    }

    /// The volume in force. Never blocks; any thread.
    public var volume: Volume {
        get { Volume(volumeLevel.load(ordering: .relaxed)) }
        set { volumeLevel.store(newValue.level, ordering: .relaxed) }
    }

    /// Whether nothing is to be heard, whatever the volume. Never blocks; any thread.
    public var isMuted: Bool {
        get { muted.load(ordering: .relaxed) }
        set { muted.store(newValue, ordering: .relaxed) }
    }

    /// What was agreed on with the device, and how it did, as of the last announcement; `nil` while it has never been
    /// open. Never blocks; any thread.
    public var device: DeviceStatus? { memory.withLock { $0.device } }

    /// As ``SoundThread/timeInJob``.
    public var timeInJob: Duration { thread.timeInJob }

    /// Plays with these recordings from the next announcement on: the same ones, of which others are left out. Never
    /// blocks; any thread.
    public func use(_ voices: Voices) {
        self.voices.withLock { $0 = voices }
        // Its words are those of the recordings before.
        memory.withLock { $0.preparation = nil }
    }

    /// Opens the device and decodes the chime for it, so that the first announcement starts at once. Where
    /// ``expect(_:)`` has just had that done, or is having it done, its outcome is this one's.
    ///
    /// - Throws: what the sink reports. Harmless: ``play(_:_:until:began:)`` tries again.
    public func prepare() async throws(PlayerError) {
        if let preparation, preparation.take() { return try await preparation.result().get() }
        try await onThread { device throws(PlayerError) in try self.makeReady(device) }.get()
    }

    /// Plays the script to its last frame. A cancelled task interrupts it.
    ///
    /// The chime's first frames are written before anything else is decoded; the words follow while it sounds.
    /// - Parameter end: has it end early, at the next end of a word that is not inside an amount; also before
    ///   it begins. A chime alone, a rest and the silence at the end end at once; sound that is no recording of the
    ///   voice ends where it is quiet, or after half a second.
    /// - Parameter began: told once, when its first period was written to the device. On the sound thread; must not
    ///   block.
    /// - Throws: why it was not heard to its end; it then counts as not heard at all.
    @discardableResult
    public func play(
        _ script: AnnouncementScript, _ delivery: Delivery = Delivery(), until end: EarlyEnd = EarlyEnd(),
        began: @escaping @Sendable () -> Void = {}
    ) async throws(PlayerError) -> Outcome {
        try await play(script, delivery, Turn(until: end, began: began))
    }

    /// Plays the script as ``play(_:_:until:began:)`` does, and tells where its elements lie.
    ///
    /// - Parameter wereLaid: told once, before the first word is written: for each element of the script the frames in
    ///   which it sounds, counted from the first one that is written of this announcement. Two recordings that overlap
    ///   share the frames of their overlap. On the sound thread; must not block.
    @discardableResult
    package func play(
        _ script: AnnouncementScript, _ delivery: Delivery, wereLaid: @escaping @Sendable ([Range<Int>]) -> Void
    ) async throws(PlayerError) -> Outcome {
        try await play(script, delivery, Turn(until: EarlyEnd(), wereLaid: wereLaid))
    }

    private func play(
        _ script: AnnouncementScript, _ delivery: Delivery, _ turn: Turn
    ) async throws(PlayerError) -> Outcome {
        current.withLock { $0 = turn }
        // One that was left behind with its thread may be answered after the next one has begun.
        defer { current.withLock { if $0 === turn { $0 = nil } } }
        let result = await withTaskCancellationHandler {
            await onThread { device throws(PlayerError) in try self.perform(script, delivery, turn, on: device) }
        } onCancel: {
            interrupt(turn)
        }
        return try result.get()
    }

    /// What became of an announcement.
    public enum Outcome: Sendable, Equatable {
        /// It was heard to its end: what mute and volume have left of its words, or of its chime where there are none.
        case heard(Audibility)
        /// It was asked to end early, be it after its last word. No amount was cut in two.
        case stoppedEarly
    }

    /// Ends the announcement that plays, or waits for the thread: at once and without a fade, within 100 ms. What the
    /// device holds of it is not heard. It counts as not heard, and ``play(_:_:until:began:)`` throws
    /// ``PlayerError/cancelled``. Never blocks; any thread; harmless when nothing plays.
    public func interrupt() { interrupt(nil) }

    /// - Parameter turn: is left alone unless it is the current one; `nil` for whichever is.
    private func interrupt(_ turn: Turn?) {
        current.withLock { current in
            guard let current, turn == nil || turn === current else { return }
            current.stop()
            thread.interrupt()
        }
    }

    /// Whether an announcement plays, or waits for the thread.
    var isPlaying: Bool { current.withLock { $0 != nil } }

    /// Asks the device whether it is there. Nothing is heard of it, and one that is closed is not opened.
    /// - Throws: that it is gone.
    public func look() async throws(PlayerError) {
        do throws(AudioSinkError) { try await thread.look() } catch { throw .sink(error) }
    }

    /// Closes the device behind the announcement that plays.
    public func close() async {
        closed.store(true, ordering: .releasing)
        await thread.close()
    }

    private func onThread<Value: Sendable>(
        _ body: @escaping @Sendable (SoundDevice) throws(PlayerError) -> Value
    ) async -> Result<Value, PlayerError> {
        do throws(AudioSinkError) {
            return try await thread.run { device in Result { () throws(PlayerError) in try body(device) } }
        } catch {
            return .failure(.sink(error))
        }
    }
}

// MARK: On the sound thread

extension Player {
    var currentVoices: Voices { voices.withLock { $0 } }
    var isClosed: Bool { closed.load(ordering: .acquiring) }
    var preparation: Preparation? { memory.withLock { $0.preparation } }

    /// - Returns: `nil` while the last one is not answered, or the device fails.
    func beginPreparation(for utterance: Utterance) -> Preparation? {
        memory.withLock { memory in
            if memory.isFailing || memory.preparation?.isPending == true { return nil }
            let preparation = Preparation(for: utterance)
            memory.preparation = preparation
            return preparation
        }
    }

    func open(_ device: SoundDevice) throws(PlayerError) -> PCMFormat {
        let format: PCMFormat
        do { format = try device.open() } catch {
            memory.withLock { $0.isFailing = true }
            throw .sink(error)
        }
        memory.withLock { memory in
            memory.isFailing = false
            memory.device = DeviceStatus(device, format)
        }
        return format
    }

    func takeMixer(for format: PCMFormat) -> Mixer {
        if let mixer = memory.withLock({ $0.mixer.take() }), mixer.format == format { return mixer }
        return Mixer(format: format, loudspeaker: loudspeaker)
    }

    /// An announcement was heard. Seconds of its decoded speech are not kept.
    func keep(_ mixer: Mixer, _ status: DeviceStatus) {
        memory.withLock { memory in
            memory.mixer = mixer
            memory.mixer?.stop()
            memory.device = status
        }
    }

    /// The chime at the device's rate: decoded once, and again only when another device comes with another rate.
    func chime(of voices: Voices, at sampleRate: Int) throws(PlayerError) -> [Int16] {
        if let chime = memory.withLock({ $0.chime }), chime.sampleRate == sampleRate { return chime.samples }
        do {
            let samples = try voices.samples(of: .chime, at: sampleRate)
            memory.withLock { $0.chime = (samples, sampleRate) }
            return samples
        } catch {
            throw .recording(.chime, error)
        }
    }
}

extension DeviceStatus {
    init(_ device: SoundDevice, _ format: PCMFormat) {
        self.init(format: format, bufferFrames: device.bufferFrames, xrunCount: device.xrunCount)
    }
}
