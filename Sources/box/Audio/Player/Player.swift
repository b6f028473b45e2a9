import SoundboxCore
import SoundboxSpeech
import SoundboxVoice
import Synchronization

/// Plays one announcement at a time on a ``SoundThread``, streamed period by period.
///
///     let voices = Voices(first: try VoiceFolder(path: sounds).voice("zh-CN"))
///     let player = Player(on: thread, voices: voices, volume: Volume(80))
///     let script = voices.script(for: .payment(try Money("12.50", .CNY), channel: "alipay"))
///     try await player.play(script)
///
/// There is no queue: ``play(_:_:until:began:)`` returns when the last frame has left the speaker, and must not be
/// called again before. Volume and mute may be changed from any thread at any time; they act from the next period on.
public final class Player: Sendable {
    let thread: SoundThread
    let timing: Timing
    private let loudspeaker: Loudspeaker
    private let volumeLevel: Atomic<Int>
    private let muted = Atomic(false)
    private let voices: Mutex<Voices>
    let decoded = DecodedRecordings()
    private let memory = Mutex(Memory())
    /// The announcement that plays or waits for the thread. An interrupt ends whatever the device plays, so it is made
    /// under this lock: the next announcement cannot begin meanwhile.
    private let current = Mutex<Turn?>(nil)
    private let closed = Atomic(false)

    /// Made once and reused.
    private struct Memory {
        /// `nil` while an announcement uses it, and after one that failed.
        var mixer: Mixer?
        var device: DeviceStatus?
        /// The last preparation that was asked for.
        var preparation: Preparation?
        /// Whether the last attempt to open the device failed.
        var isFailing = false
    }

    /// - Parameters:
    ///   - timing: `closeWhenIdle` in it has no effect here; it belongs to the thread.
    ///   - loudspeaker: chime and words are processed for it.
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

    /// Makes a thread of its own, for a sink whose calls always return.
    public convenience init(
        sink: any AudioSink, voices: Voices, volume: Volume, timing: Timing = Timing(),
        loudspeaker: Loudspeaker = .full
    ) {
        let thread = SoundThread(closeWhenIdle: timing.closeWhenIdle) { _ in sink }
        self.init(on: thread, voices: voices, volume: volume, timing: timing, loudspeaker: loudspeaker)
    }

    /// Call when the box must stop. Never blocks; any thread.
    package func hurry() { thread.hurry() }

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

    /// The device's format and counters as of the last announcement; `nil` if it was never open. Never blocks; any
    /// thread.
    public var device: DeviceStatus? { memory.withLock { $0.device } }

    /// As ``SoundThread/timeInJob``.
    public var timeInJob: Duration { thread.timeInJob }

    /// Uses these recordings from the next announcement on: the same voices, with other recordings left out. Never
    /// blocks; any thread.
    public func use(_ voices: Voices) {
        self.voices.withLock { $0 = voices }
        // Once it is used again, its file may be another one.
        decoded.forget { voices.isLeftOut($0) }
        // The prepared words are those of the earlier recordings.
        memory.withLock { $0.preparation = nil }
    }

    /// Opens the device and decodes the chime for it, so that the first announcement starts at once. If ``expect(_:)``
    /// did that a moment ago, or is doing it, its result is used.
    ///
    /// - Throws: what the sink reports. Harmless: ``play(_:_:until:began:)`` tries again.
    public func prepare() async throws(PlayerError) {
        if let preparation, preparation.claim() { return try await preparation.result().get() }
        try await onThread { device throws(PlayerError) in try self.makeReady(device) }.get()
    }

    /// Plays the script to its last frame. Cancelling the task interrupts it.
    ///
    /// The chime's first frames are written before anything else is decoded; the words are decoded while it plays.
    /// - Parameter end: ends the announcement early, at the next end of a word that is not inside an amount; may be
    ///   raised before it begins. A chime alone, a rest and the silence at the end stop at once. Sound that is no
    ///   recording of the voice stops where it is quiet, or after half a second.
    /// - Parameter began: called once, when the first period was written to the device. On the sound thread; must not
    ///   block.
    /// - Throws: why it was not heard to its end. It then counts as not heard at all.
    @discardableResult
    public func play(
        _ script: AnnouncementScript, _ delivery: Delivery = Delivery(), until end: EarlyEnd = EarlyEnd(),
        began: @escaping @Sendable () -> Void = {}
    ) async throws(PlayerError) -> Outcome {
        try await play(script, delivery, Turn(until: end, began: began))
    }

    /// Plays the script as ``play(_:_:until:began:)`` does, and reports where its elements lie.
    ///
    /// - Parameter wereLaid: called once, before the first word is written, with the frames of each element of the
    ///   script, counted from the announcement's first frame. Two recordings that overlap share the frames of their
    ///   overlap. On the sound thread; must not block.
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
        // An announcement left behind with its thread may be answered after the next one has begun.
        defer { current.withLock { if $0 === turn { $0 = nil } } }
        let result = await withTaskCancellationHandler {
            await onThread { device throws(PlayerError) in try self.perform(script, delivery, turn, on: device) }
        } onCancel: {
            interrupt(turn)
        }
        return try result.get()
    }

    /// How an announcement ended.
    public enum Outcome: Sendable, Equatable {
        /// Heard to its end. The value says how much mute and volume left of its words, or of its chime if there are no
        /// words.
        case heard(Audibility)
        /// Ended early as asked, even if after its last word. No amount was cut.
        case stoppedEarly
    }

    /// Ends the announcement that plays or waits for the thread: at once and without a fade, within 100 ms. What the
    /// device still holds is not heard. The announcement counts as not heard, and ``play(_:_:until:began:)`` throws
    /// ``PlayerError/cancelled``. Never blocks; any thread; harmless when nothing plays.
    public func interrupt() { interrupt(nil) }

    /// - Parameter turn: interrupts only this announcement; `nil` interrupts the current one.
    private func interrupt(_ turn: Turn?) {
        current.withLock { current in
            guard let current, turn == nil || turn === current else { return }
            current.stop()
            thread.interrupt()
        }
    }

    /// Whether an announcement plays, or waits for the thread.
    var isPlaying: Bool { current.withLock { $0 != nil } }

    /// Asks the device whether it is there. Makes no sound and does not open a closed device.
    /// - Throws: when the device is gone.
    public func checkDevice() async throws(PlayerError) {
        do throws(AudioSinkError) { try await thread.checkDevice() } catch { throw .sink(error) }
    }

    /// Closes the device after the announcement that plays.
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

    /// - Returns: `nil` while the last preparation is not answered, or while the device fails.
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

    /// An announcement was heard. Frees its decoded speech, which is seconds of sound.
    func keep(_ mixer: Mixer, _ status: DeviceStatus) {
        memory.withLock { memory in
            memory.mixer = mixer
            memory.mixer?.stop()
            memory.device = status
        }
    }

    /// The chime at the device's rate.
    func chime(of voices: Voices, at sampleRate: Int) throws(PlayerError) -> [Int16] {
        do { return try decoded.samples(of: .chime, by: voices, at: sampleRate) } catch {
            throw .recording(.chime, error)
        }
    }
}

extension DeviceStatus {
    init(_ device: SoundDevice, _ format: PCMFormat) {
        self.init(format: format, bufferFrames: device.bufferFrames, xrunCount: device.xrunCount)
    }
}
