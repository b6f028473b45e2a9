import SoundboxCore
import SoundboxSystem

/// Plays on an ALSA device: a card, or whatever else alsa-lib has a name for.
///
/// Every call runs on the sink's own thread and may block it: ``write(_:)`` and ``drain()`` for twice the device's
/// buffer, and at least five seconds, before a device that does nothing is closed and reported. Underruns, interrupted
/// calls and a sleep that the device resumes from are handled here; everything else closes the device, and ``open()``
/// tries again from the start.
///
/// One bound is not this sink's: the PulseAudio plugin drains and closes inside alsa-lib and waits there for its
/// server. A server that hangs while its connection stays open holds ``drain()`` and ``close()`` up until libpulse gives
/// up, after 30 s.
public actor ALSASink: AudioSink {
    /// The ALSA PCM name.
    public nonisolated let device: String

    private let executor: ThreadExecutor
    private let driver: any PCMDriver
    private let preferredRate: Int
    private var playback: PCMPlayback?
    private var deviceVolume: DeviceVolume?
    /// Underruns of the times the device was open before.
    private var earlierXruns = 0

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Opens nothing yet.
    /// - Parameters:
    ///   - device: an ALSA PCM name: `default`, `hw:CARD=Headphones`, …
    ///   - preferredRate: frames per second to ask for; the device's nearest is taken. 48,000 is what nearly every
    ///     codec runs at.
    ///   - mixer: what ``setVolume(_:)`` sets; `nil` leaves the volume to the caller.
    ///   - mixerDidFail: told why ``setVolume(_:)`` cannot, once per reason. Must not block.
    public init(
        device: String, preferredRate: Int = 48_000, mixer: MixerElement? = nil,
        mixerDidFail: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.init(
            device: device, preferredRate: preferredRate, driver: ALSAPCM(), mixer: mixer, mixerDriver: ALSAMixer(),
            mixerDidFail: mixerDidFail)
    }

    package init(
        device: String, preferredRate: Int = 48_000, driver: sending any PCMDriver, mixer: MixerElement? = nil,
        mixerDriver: sending any MixerDriver = ALSAMixer(),
        mixerDidFail: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.device = device
        self.preferredRate = preferredRate
        self.driver = driver
        deviceVolume = mixer.map { DeviceVolume($0, driver: mixerDriver, didFail: mixerDidFail) }
        executor = ThreadExecutor(name: "alsa")
    }

    /// How often the device ran dry in the middle of an announcement since the sink was created: a board too slow, or
    /// a buffer too short.
    public var xrunCount: Int { earlierXruns + (playback?.xrunCount ?? 0) }

    public func open() throws(AudioSinkError) -> PCMFormat {
        if let playback, playback.isReady { return playback.configuration.format }
        close()
        do {
            try driver.open(device)
        } catch {
            throw .unavailable(device: device, reason: error.reasonWhileOpening(cards: ALSACards.cards()))
        }
        do {
            let configuration = try PCMNegotiation(driver: driver, preferredRate: preferredRate).run()
            playback = PCMPlayback(driver: driver, configuration: configuration)
            deviceVolume?.open()
            return configuration.format
        } catch {
            driver.close()
            switch error {
            case .unsupported(let reason):
                throw .unsupportedFormat(device: device, reason: reason)
            case .failed(let error):
                throw .unavailable(device: device, reason: error.reasonWhileOpening(cards: ALSACards.cards()))
            }
        }
    }

    public func write(_ frames: [UInt8]) throws(AudioSinkError) {
        guard playback != nil else { throw .writeFailed(device: device, reason: "it is not open") }
        do {
            try playback?.write(frames)
        } catch {
            throw failed(error)
        }
    }

    public func drain() throws(AudioSinkError) {
        do {
            try playback?.drain()
        } catch {
            throw failed(error)
        }
    }

    public func close() {
        earlierXruns = xrunCount
        playback = nil
        driver.close()
        deviceVolume?.close()
    }

    // Asynchronous so that it is this one and not the protocol's own that a caller outside the actor gets.
    public func setVolume(_ level: Int) async -> Bool { deviceVolume?.set(level) ?? false }

    public var bufferFrames: Int { playback?.configuration.bufferFrames ?? 0 }

    private func failed(_ error: PCMError) -> AudioSinkError {
        close()
        return .writeFailed(device: device, reason: error.reasonWhilePlaying)
    }
}
