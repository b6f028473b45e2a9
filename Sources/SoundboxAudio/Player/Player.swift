import SoundboxCore
import SoundboxSpeech
import SoundboxVoice
import Synchronization

/// Plays one announcement at a time on a ``SoundThread``, streamed period by period, and one ring under it.
///
/// Nothing is queued here: ``play(_:_:until:began:)`` returns when the last frame has left the speaker, and should not be called
/// again before. Volume and mute may be changed from any thread at any time and act on the next period that is rendered.
///
/// A ring has the thread between announcements and gives way within a period; while an announcement has it, the ring
/// sounds on in the same mixer.
public final class Player: Sendable {
    let thread: SoundThread
    let timing: Timing
    let floor: Floor
    private let loudspeaker: Loudspeaker
    private let volumeLevel: Atomic<Int>
    private let muted = Atomic(false)
    private let voices: Mutex<Voices>
    private let memory = Mutex(Memory())
    private let closed = Atomic(false)

    /// What is made once and used again.
    private struct Memory {
        var chime: (samples: [Int16], sampleRate: Int)?
        /// Away while somebody uses it, and not brought back by one whom the device has failed.
        var desk: Desk?
        var device: DeviceStatus?
        /// The last one that was asked for.
        var preparation: Preparation?
        /// Whether the device could not be opened when it was tried last.
        var isFailing = false
    }

    /// - Parameters:
    ///   - timing: its `closeWhenIdle` is the thread's, not the player's.
    ///   - loudspeaker: what chime, words and ring are made fit for.
    public init(
        on thread: SoundThread, voices: Voices, volume: Volume, timing: Timing = Timing(),
        loudspeaker: Loudspeaker = .full
    ) {
        self.thread = thread
        self.loudspeaker = loudspeaker
        self.voices = Mutex(voices)
        self.timing = timing
        volumeLevel = Atomic(volume.level)
        floor = Floor { thread.interrupt() }
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

    /// Opens the device and decodes the chime for it, so that the first announcement starts at once. Where ``expect(_:)``
    /// has just had that done, or is having it done, its outcome is this one's.
    ///
    /// - Throws: what the sink reports. Harmless: ``play(_:_:until:began:)`` tries again.
    public func prepare() async throws(PlayerError) {
        if let preparation, preparation.take() { return try await preparation.result().get() }
        try await onThread { device throws(PlayerError) in try self.makeReady(device) }.get()
    }

    /// Plays the script to its last frame. A cancelled task has it fade out within a period, and is answered then.
    ///
    /// The chime's first frames are written before anything else is decoded; the words follow while it sounds.
    /// - Parameter end: has it end early, at the next end of a word that is not inside an amount; also before
    ///   it begins. A chime alone, a rest and the silence at the end end at once; sound that is no recording of the voice ends
    ///   where it is quiet, or after half a second.
    /// - Parameter began: told once, when its first period was written to the device. On the sound thread; must not block.
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
        floor.begin(turn)
        defer { floor.end(turn) }
        let result = await withTaskCancellationHandler {
            await onThread { device throws(PlayerError) in try self.perform(script, delivery, turn, on: device) }
        } onCancel: {
            turn.stop()
        }
        return try result.get()
    }

    /// What became of an announcement.
    public enum Outcome: Sendable, Equatable {
        /// It was heard to its end: what mute and volume have left of its words, or of its chime where there are none.
        case heard(Manner)
        /// It was asked to end early, be it after its last word. No amount was cut in two.
        case stoppedEarly
    }

    /// Ends the announcement that plays at once, without a fade, however long the device takes; it counts as not heard.
    /// A ring goes on. Never blocks; any thread.
    public func interrupt() { floor.interruptAnnouncement() }

    /// Begins to ring: bell, words and a rest, again and again until ``stopRing()``, in place of a ring that sounds
    /// already. Announcements sound over the ring, which is held down by 12 dB under them. Never blocks; any thread.
    ///
    /// - Parameters:
    ///   - script: the words; empty for the bell alone.
    ///   - loudness: the volume of the ring is held within these. Mute counts nevertheless.
    ///   - failed: told each time that the ring, or its words, could not be heard. The ring is tried again until it is
    ///     stopped; without words that cannot be had. Any thread; must not block. May still be told when
    ///     ``stopRing()`` returns, and never afterwards of a ring that began later.
    ///   - began: told once, when the first of it was written to the device. As `failed`.
    public func startRing(
        _ script: AnnouncementScript, loudness: ClosedRange<Volume> = Volume(0)...Volume(100),
        failed: @escaping @Sendable (PlayerError) -> Void = { _ in }, began: @escaping @Sendable () -> Void = {}
    ) {
        let ring = Ring(script, loudness: loudness, failed: failed, began: began)
        floor.replaceRing(with: ring)
        post(ring)
    }

    /// Ends the ring. Alone, what the device holds of it is dropped, and it is silent within 100 ms; under an
    /// announcement it fades with the next period, and the announcement goes on. Never blocks; any thread; harmless when
    /// nothing rings.
    public func stopRing() { floor.replaceRing(with: nil) }

    /// Whether a ring was started and not stopped. Never blocks; any thread.
    public var isRinging: Bool { floor.ring != nil }

    /// Asks the device whether it is there. Nothing is heard of it, and one that is closed is not opened.
    /// - Throws: that it is gone.
    public func look() async throws(PlayerError) {
        do throws(AudioSinkError) { try await thread.look() } catch { throw .sink(error) }
    }

    /// Ends the ring, and closes the device behind the announcement that plays.
    public func close() async {
        closed.store(true, ordering: .releasing)
        stopRing()
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

    func takeDesk(for format: PCMFormat) -> Desk {
        let desk = memory.withLock { memory in
            defer { memory.desk = nil }
            return memory.desk
        }
        if let desk, desk.format == format { return desk }
        return Desk(format: format, loudspeaker: loudspeaker)
    }

    func keep(_ desk: Desk, _ status: DeviceStatus) {
        memory.withLock { memory in
            memory.desk = desk
            memory.device = status
        }
    }

    /// Whether the ring was the last to sound, and sounds no more: its desk is cleared away.
    func clearDesk(of ring: Ring) -> Bool {
        memory.withLock { memory in
            guard memory.desk?.ring === ring else { return false }
            memory.desk = nil
            return true
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
