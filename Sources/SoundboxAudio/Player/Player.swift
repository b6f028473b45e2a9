import SoundboxCore
import SoundboxVoice
import Synchronization

/// Plays one announcement at a time on a ``SoundThread``, streamed period by period.
///
/// Nothing is queued here: ``play(_:_:)`` returns when the last frame has left the speaker, and should not be called
/// again before. Volume and mute may be changed from any thread at any time and act on the next period that is rendered.
public final class Player: Sendable {
    private let thread: SoundThread
    private let timing: Timing
    private let volumeLevel: Atomic<Int>
    private let muted = Atomic(false)
    private let voices: Mutex<Voices>
    private let memory = Mutex(Memory())
    /// Ends the announcement that plays.
    private let stop = Mutex<Stop?>(nil)

    /// What is made once and used again.
    private struct Memory {
        var chime: (samples: [Int16], sampleRate: Int)?
        /// Away while an announcement uses them, and not brought back by one that failed.
        var tools: Tools?
        var device: DeviceStatus?
    }

    /// - Parameter timing: its `closeWhenIdle` is the thread's, not the player's.
    public init(on thread: SoundThread, voices: Voices, volume: Volume, timing: Timing = Timing()) {
        self.thread = thread
        self.voices = Mutex(voices)
        self.timing = timing
        volumeLevel = Atomic(volume.level)
    }

    /// With a thread of its own, for a sink whose calls always come back.
    public convenience init(sink: any AudioSink, voices: Voices, volume: Volume, timing: Timing = Timing()) {
        let thread = SoundThread(closeWhenIdle: timing.closeWhenIdle) { _ in sink }
        self.init(on: thread, voices: voices, volume: volume, timing: timing)
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
    public func use(_ voices: Voices) { self.voices.withLock { $0 = voices } }

    /// Opens the device and decodes the chime for it, so that the first announcement starts at once.
    ///
    /// - Throws: what the sink reports. Harmless: ``play(_:_:)`` tries again.
    public func prepare() async throws(PlayerError) {
        try await onThread { device throws(PlayerError) in
            let format = try self.open(device)
            _ = try self.chime(of: self.voices.withLock { $0 }, at: format.sampleRate)
        }.get()
    }

    /// Plays the script to its last frame. A cancelled task has it fade out within a period, and is answered then.
    ///
    /// The chime's first frames are written before anything else is decoded; the words follow while it sounds.
    /// - Returns: what mute and volume have left of its words, or of its chime where there are no words.
    /// - Throws: why it was not heard to its end; it then counts as not heard at all.
    @discardableResult
    public func play(
        _ script: AnnouncementScript, _ delivery: Delivery = Delivery()
    ) async throws(PlayerError) -> Manner {
        let stop = Stop()
        self.stop.withLock { $0 = stop }
        let result = await withTaskCancellationHandler {
            await onThread { device throws(PlayerError) in
                try self.perform(script, delivery, on: device, until: stop)
            }
        } onCancel: {
            stop.raise()
        }
        return try result.get()
    }

    /// Ends what plays at once, without a fade, however long the device takes; it counts as not heard. Never blocks; any
    /// thread.
    public func interrupt() {
        stop.withLock { $0 }?.raise()
        thread.interrupt()
    }

    /// Asks the device whether it is there. Nothing is heard of it, and one that is closed is not opened.
    /// - Throws: that it is gone.
    public func look() async throws(PlayerError) {
        do throws(AudioSinkError) { try await thread.look() } catch { throw .sink(error) }
    }

    /// Closes the device.
    public func close() async { await thread.close() }

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
    private func perform(
        _ script: AnnouncementScript, _ delivery: Delivery, on device: SoundDevice, until stop: Stop
    ) throws(PlayerError) -> Manner {
        if stop.isRaised { throw .cancelled }
        let voices = voices.withLock { $0 }
        let hasChime = delivery.hasChime && voices.hasChime
        guard hasChime || script.hasWords else { throw .nothingToPlay }
        let format = try open(device)
        var tools = takeTools(for: format)
        var words = Words(script.elements, sampleRate: format.sampleRate)
        var framesToSpeech = format.frames(in: timing.leadIn)
        // From the period that is rendered next to the end of the last word.
        var framesOfWords = 0
        var manner = Manner.aloud
        // Somebody else may have turned the device meanwhile, or its mixer may be back: it is told anew.
        var loudness = DeviceLoudness(device)

        tools.mixer.begin(volume: loudness.gain(for: wanted(delivery).volume))
        if hasChime {
            tools.mixer.play(try chime(of: voices, at: format.sampleRate), on: .chime, after: framesToSpeech)
            framesToSpeech += format.frames(in: timing.chimeToSpeech)
        }
        while !words.areComplete || !tools.mixer.isFinished {
            if !words.areComplete {
                if framesToSpeech < format.framesPerPeriod {
                    let gap = delivery.gap ?? timing.gap
                    let speech = try words.joined(to: gap, voices)
                    tools.mixer.play(speech, on: .speech, after: framesToSpeech)
                    framesOfWords = framesToSpeech + speech.count - format.frames(in: gap)
                }
                framesToSpeech -= format.framesPerPeriod
            }
            if stop.isRaised {
                // The last period fades: a cut in the middle of a wave would be a click.
                tools.mixer.render(into: &tools.period, volume: Volume(0))
                try? device.write(tools.period)
                throw .cancelled
            }
            let (volume, isMuted) = wanted(delivery)
            // Judged by what is rendered, since that is what sounds. A key that is pressed after the last word, or under
            // the chime before the first one, takes nothing away.
            if volume.level == 0, framesOfWords > 0 || !script.hasWords, manner == .aloud {
                manner = isMuted ? .muted : .atVolume0
            }
            framesOfWords -= format.framesPerPeriod
            tools.mixer.render(into: &tools.period, volume: loudness.gain(for: volume))
            try write(tools.period, on: device, until: stop)
            // The device is ahead by its buffer now, and one recording takes a fraction of that.
            try words.decodeNext(voices)
        }
        try played(stop) { () throws(AudioSinkError) in try device.drain() }
        // Seconds of decoded speech are not kept until the next payment.
        tools.mixer.stop()
        memory.withLock { memory in
            memory.tools = tools
            memory.device = DeviceStatus(device, format, hasVolume: loudness.isDevices)
        }
        return manner
    }

    private func open(_ device: SoundDevice) throws(PlayerError) -> PCMFormat {
        let format: PCMFormat
        do { format = try device.open() } catch { throw .sink(error) }
        memory.withLock { memory in
            memory.device = DeviceStatus(device, format, hasVolume: memory.device?.hasVolume ?? false)
        }
        return format
    }

    private func write(_ period: [UInt8], on device: SoundDevice, until stop: Stop) throws(PlayerError) {
        try played(stop) { () throws(AudioSinkError) in try device.write(period) }
    }

    /// An interrupt that was meant for this announcement is its end, and no fault of the device.
    private func played(_ stop: Stop, _ body: () throws(AudioSinkError) -> Void) throws(PlayerError) {
        do { try body() } catch .interrupted where stop.isRaised {
            throw .cancelled
        } catch {
            throw .sink(error)
        }
    }

    private func wanted(_ delivery: Delivery) -> (volume: Volume, isMuted: Bool) {
        let isMuted = isMuted
        let volume = min(max(volume, delivery.loudness.lowerBound), delivery.loudness.upperBound)
        return (isMuted ? Volume(0) : volume, isMuted)
    }

    private func takeTools(for format: PCMFormat) -> Tools {
        let tools = memory.withLock { memory in
            defer { memory.tools = nil }
            return memory.tools
        }
        if let tools, tools.mixer.format == format { return tools }
        return Tools(mixer: Mixer(format: format))
    }

    /// The chime at the device's rate: decoded once, and again only when another device comes with another rate.
    private func chime(of voices: Voices, at sampleRate: Int) throws(PlayerError) -> [Int16] {
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

/// Says that an announcement is to end. Any thread.
private final class Stop: Sendable {
    private let raised = Atomic(false)
    var isRaised: Bool { raised.load(ordering: .acquiring) }
    func raise() { raised.store(true, ordering: .releasing) }
}

private struct Tools: Sendable {
    var mixer: Mixer
    var period: [UInt8] = []
}

/// Who makes the volume: the device, where it has one, or the samples.
private struct DeviceLoudness {
    private let device: SoundDevice
    private var last: (wanted: Volume, isTaken: Bool)?

    init(_ device: SoundDevice) { self.device = device }

    var isDevices: Bool { last?.isTaken ?? false }

    /// What the samples are scaled by: the volume, or nothing where the device itself is as loud as that. Silence is
    /// always made here, by a ramp: switches click, and many elements do not go down to nothing.
    mutating func gain(for wanted: Volume) -> Volume {
        guard wanted.level > 0 else { return wanted }
        if last?.wanted != wanted { last = (wanted, device.setVolume(wanted.level)) }
        return isDevices ? Volume(100) : wanted
    }
}

extension DeviceStatus {
    fileprivate init(_ device: SoundDevice, _ format: PCMFormat, hasVolume: Bool) {
        self.init(
            format: format, bufferFrames: device.bufferFrames, xrunCount: device.xrunCount, hasVolume: hasVolume)
    }
}
