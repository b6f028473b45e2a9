import Glibc
import SoundboxCore
import SoundboxSystem

/// Plays on an ALSA device: a card, or any other alsa-lib PCM.
///
///     let sink = ALSASink(device: "hw:CARD=Headphones")
///     let format = try sink.open()
///     try sink.write([UInt8](repeating: 0, count: format.bytesPerPeriod))
///     try sink.drain()
///
/// Every call may block its thread: ``write(_:)`` for twice the device's buffer, and at least five seconds, and
/// ``drain()`` for two such waits, before a device that does nothing is closed and reported. Underruns, interrupted
/// system calls and a sleep that the device resumes from are handled here. Any other error closes the device, and
/// ``open()`` starts again.
///
/// This sink cannot bound one wait: the PulseAudio plugin drains and closes inside alsa-lib and waits there for its
/// server. A server that hangs while its connection stays open blocks ``drain()`` and ``close()`` until libpulse gives
/// up, after 30 s.
public final class ALSASink: AudioSink, @unchecked Sendable {
    // Sendable by the port's promise: one thread calls everything but `interrupt`, which touches `interruption` only.

    /// The ALSA PCM name; empty before one is chosen.
    private var device: String
    private let choose: (@Sendable () -> String)?
    private let isStarting: @Sendable () -> Bool
    private let deviceDidChange: @Sendable (_ device: String, _ gone: String?) -> Void
    private let now: @Sendable () -> Duration
    /// When the card was first found gone.
    private var goneSince: Duration?
    /// The device in whose place another one was chosen.
    private var gone: String?
    private let interruption = Interruption()
    private let driver: any PCMDriver
    private let preferredRate: Int
    private var playback: PCMPlayback?
    private let loudness: CardLoudness?
    /// The card of the device when it was last open; `nil` for a device without a card.
    private var card: String?
    /// Underruns of earlier openings.
    private var earlierXruns = 0

    /// Opens nothing yet.
    /// - Parameters:
    ///   - device: an ALSA PCM name: `default`, `hw:CARD=Headphones`, …
    ///   - preferredRate: frames per second to ask for; the device's nearest is taken. Nearly every codec runs at
    ///     48,000.
    ///   - level: what to do with the controls of the device's card whenever it opens.
    ///   - levelDidChange: called with a line about each change, and each failure. Must not block.
    public convenience init(
        device: String, preferredRate: Int = 48_000, level: CardLevel = .keep,
        levelDidChange: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.init(
            device: device, preferredRate: preferredRate, driver: ALSAPCM(), level: level, mixer: ALSAMixer(),
            levelDidChange: levelDidChange)
    }

    /// Chooses a device when it is first opened, and again when its card has been gone for ``replugTimeout``. In the first
    /// minute after power on, while the kernel is still finding cards, and from a device without a card, it changes to
    /// a better card, but never in the middle of an announcement. Otherwise it keeps its card: a shop that plugs in a
    /// headset keeps its loudspeaker.
    /// - Parameters:
    ///   - choose: returns the device of the most likely card. May block.
    ///   - deviceDidChange: called with the device whenever it changes, and the one whose card is gone since. Must not
    ///     block.
    public convenience init(
        choosing choose: @escaping @Sendable () -> String, level: CardLevel = .keep,
        levelDidChange: @escaping @Sendable (String) -> Void = { _ in },
        deviceDidChange: @escaping @Sendable (_ device: String, _ gone: String?) -> Void = { _, _ in }
    ) {
        self.init(
            device: "", choosing: choose, isStarting: { .monotonicNow < .seconds(60) },
            driver: ALSAPCM(), level: level, mixer: ALSAMixer(), levelDidChange: levelDidChange,
            deviceDidChange: deviceDidChange)
    }

    package init(
        device: String, choosing choose: (@Sendable () -> String)? = nil,
        isStarting: @escaping @Sendable () -> Bool = { false }, preferredRate: Int = 48_000,
        driver: sending any PCMDriver, level: CardLevel = .keep,
        mixer: sending any MixerDriver = ALSAMixer(),
        levelDidChange: @escaping @Sendable (String) -> Void = { _ in },
        deviceDidChange: @escaping @Sendable (_ device: String, _ gone: String?) -> Void = { _, _ in },
        now: @escaping @Sendable () -> Duration = { .monotonicNow }
    ) {
        self.device = device
        self.now = now
        self.choose = choose
        self.isStarting = isStarting
        self.deviceDidChange = deviceDidChange
        self.preferredRate = preferredRate
        self.driver = driver
        loudness = level == .raise ? CardLoudness(driver: mixer, didChange: levelDidChange) : nil
    }

    /// How often the device ran dry in the middle of an announcement since the sink was created: the board is too slow,
    /// or the buffer too short.
    public var xrunCount: Int { earlierXruns + (playback?.xrunCount ?? 0) }

    public func open() throws(AudioSinkError) -> PCMFormat {
        interruption.clear()
        if hasBetterCard { card = nil } else if let playback, playback.isReady { return playback.configuration.format }
        close()
        chooseDevice()
        do {
            try driver.open(device)
        } catch {
            throw .unavailable(device: device, reason: reason(error))
        }
        do {
            let configuration = try PCMNegotiation(driver: driver, preferredRate: preferredRate).run()
            playback = PCMPlayback(
                driver: driver, configuration: configuration, interruption: interruption)
            card = driver.card
            goneSince = nil
            // A sound server has no card, and its volume belongs to its user.
            if let card { loudness?.raise("hw:CARD=\(card)") }
            return configuration.format
        } catch {
            driver.close()
            switch error {
            case .unsupported(let reason):
                throw .unsupportedFormat(device: device, reason: reason)
            case .failed(let error):
                throw .unavailable(device: device, reason: reason(error))
            }
        }
    }

    private var hasBetterCard: Bool {
        guard let choose, !device.isEmpty, isStarting() || card == nil else { return false }
        return choose() != device
    }

    /// A card that is present but does not open, such as a busy one, stays chosen: another card may have no listener,
    /// and what it plays would count as heard.
    private func chooseDevice() {
        guard let choose else { return }
        if let card {
            guard !driver.hasCard(card) else { return goneSince = nil }
            let since = goneSince ?? now()
            goneSince = since
            guard now() - since >= Self.replugTimeout else { return }
            gone = device
        }
        card = nil
        let choice = choose()
        if choice == gone { gone = nil }
        guard choice != device else { return }
        device = choice
        deviceDidChange(choice, gone)
    }

    /// A plug that is moved, or a USB card that starts anew after a dip of its power, comes back within seconds.
    package static let replugTimeout = Duration.seconds(10)

    public func write(_ frames: [UInt8]) throws(AudioSinkError) {
        try check()
        guard playback != nil else { throw .writeFailed(device: device, reason: "it is not open") }
        do {
            try playback?.write(frames)
        } catch {
            throw failed(error)
        }
    }

    public func drain() throws(AudioSinkError) {
        try check()
        do {
            try playback?.drain()
        } catch {
            throw failed(error)
        }
    }

    /// Asks an open device for its state; for a closed one, whether its card is present.
    public func checkDevice() throws(AudioSinkError) {
        if hasBetterCard { return _ = try open() }
        if playback == nil {
            guard let card, !driver.hasCard(card) else { return }
            throw .unavailable(device: device, reason: PCMError(ENODEV).reasonWhileClosed)
        }
        // ``open()`` repairs any other state, such as suspended.
        guard driver.state == .disconnected else { return }
        close()
        throw .writeFailed(device: device, reason: PCMError(ENODEV).reasonWhilePlaying)
    }

    public func interrupt() { interruption.raise() }

    public func close() {
        earlierXruns = xrunCount
        playback = nil
        driver.close()
    }

    public var bufferFrames: Int { playback?.configuration.bufferFrames ?? 0 }

    private func reason(_ error: PCMError) -> String {
        error.reasonWhileOpening(cards: ALSACards.cards(), CardObstacle.current())
    }

    private func check() throws(AudioSinkError) {
        guard interruption.isInForce else { return }
        close()
        throw .interrupted
    }

    private func failed(_ error: PCMError) -> AudioSinkError {
        close()
        return interruption.isInForce ? .interrupted : .writeFailed(device: device, reason: error.reasonWhilePlaying)
    }
}
