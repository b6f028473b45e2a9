import Glibc
import SoundboxCore
import SoundboxSystem

/// Plays on an ALSA device: a card, or whatever else alsa-lib has a name for.
///
/// Every call may block its thread: ``write(_:)`` and ``drain()`` for twice the device's buffer, and at least five
/// seconds, before a device that does nothing is closed and reported. Underruns, interrupted system calls and a sleep
/// that the device resumes from are handled here; everything else closes the device, and ``open()`` tries again from the
/// start.
///
/// One bound is not this sink's: the PulseAudio plugin drains and closes inside alsa-lib and waits there for its
/// server. A server that hangs while its connection stays open holds ``drain()`` and ``close()`` up until libpulse gives
/// up, after 30 s.
public final class ALSASink: AudioSink, @unchecked Sendable {
    // Sendable by the port's promise: one thread calls everything but `interrupt`, which touches `interruption` only.

    /// The ALSA PCM name; empty before one is chosen.
    private var device: String
    private let choose: (@Sendable () -> String)?
    private let isStarting: @Sendable () -> Bool
    private let deviceDidChange: @Sendable (String) -> Void
    private let interruption = Interruption()
    private let driver: any PCMDriver
    private let preferredRate: Int
    private var playback: PCMPlayback?
    private let loudness: CardLoudness?
    /// Where the device was when it was open last; `nil` for one without a card.
    private var card: String?
    /// Underruns of the times the device was open before.
    private var earlierXruns = 0

    /// Opens nothing yet.
    ///
    /// ```swift
    /// let sink = ALSASink(device: "hw:CARD=Headphones")
    /// let format = try sink.open()
    /// try sink.write(frames)
    /// try sink.drain()
    /// ```
    /// - Parameters:
    ///   - device: an ALSA PCM name: `default`, `hw:CARD=Headphones`, …
    ///   - preferredRate: frames per second to ask for; the device's nearest is taken. 48,000 is what nearly every
    ///     codec runs at.
    ///   - level: what becomes of the controls of the card, where the device is on one, whenever it opens.
    ///   - levelDidChange: told what was changed, and what could not be. Must not block.
    public convenience init(
        device: String, preferredRate: Int = 48_000, level: CardLevel = .keep,
        levelDidChange: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.init(
            device: device, preferredRate: preferredRate, driver: ALSAPCM(), level: level, mixer: ALSAMixer(),
            levelDidChange: levelDidChange)
    }

    /// Chooses a device when it is opened first, and again when the card it was on is gone. A better card is taken in
    /// the first minute after power on, when the kernel is still finding them, and never later: a shop that plugs in a
    /// headset keeps its loudspeaker. It is never taken in the middle of an announcement.
    /// - Parameters:
    ///   - choose: the device of the likeliest card that is there now. May block.
    ///   - deviceDidChange: told which it is, whenever that changes. Must not block.
    public convenience init(
        choosing choose: @escaping @Sendable () -> String, level: CardLevel = .keep,
        levelDidChange: @escaping @Sendable (String) -> Void = { _ in },
        deviceDidChange: @escaping @Sendable (String) -> Void = { _ in }
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
        deviceDidChange: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.device = device
        self.choose = choose
        self.isStarting = isStarting
        self.deviceDidChange = deviceDidChange
        self.preferredRate = preferredRate
        self.driver = driver
        loudness = level == .raise ? CardLoudness(driver: mixer, didChange: levelDidChange) : nil
    }

    /// How often the device ran dry in the middle of an announcement since the sink was created: a board too slow, or
    /// a buffer too short.
    public var xrunCount: Int { earlierXruns + (playback?.xrunCount ?? 0) }

    public func open() throws(AudioSinkError) -> PCMFormat {
        interruption.takeBack()
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
            // A sound server has no card, and its volume is its user's.
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
        guard let choose, card != nil, isStarting() else { return false }
        return choose() != device
    }

    /// A card that is there and does not open, such as a busy one, stays the choice: on the next best one nobody may
    /// listen, and what it plays would count as heard.
    private func chooseDevice() {
        guard let choose, card.map({ !driver.hasCard($0) }) ?? true else { return }
        card = nil
        let choice = choose()
        guard choice != device else { return }
        device = choice
        deviceDidChange(choice)
    }

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

    /// An open device is asked for its state, one that is closed whether its card is there.
    public func look() throws(AudioSinkError) {
        if hasBetterCard { return _ = try open() }
        if playback == nil {
            guard let card, !driver.hasCard(card) else { return }
            throw .unavailable(device: device, reason: PCMError(ENODEV).reasonWhileClosed)
        }
        // Whatever else it may be, such as suspended, is for `open` to mend.
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
