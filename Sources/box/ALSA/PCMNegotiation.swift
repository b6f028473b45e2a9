import Glibc
import SoundboxCore

/// What a device and the box agreed on.
struct PCMConfiguration: Equatable {
    /// Its periods are the mixer's; the device's may differ.
    var format: PCMFormat
    var bufferFrames: Int
    /// The device's own period, in which it moves sound.
    var periodFrames: Int
    /// How many frames a full buffer plays before the thread fills it again.
    var framesPerSleep: Int
    /// Whether a sound server plays. It fills a gap with silence and does not report it.
    var isServer: Bool

    /// How long a full buffer plays.
    var bufferDuration: Duration { format.duration(ofFrames: bufferFrames) }
    var periodDuration: Duration { format.duration(ofFrames: periodFrames) }
    var sleep: Duration { format.duration(ofFrames: framesPerSleep) }
}

/// Why a device and the box did not agree.
enum PCMNegotiationError: Error, Equatable {
    /// The device works, but not with any format of the mixer.
    case unsupported(String)
    /// The device failed meanwhile.
    case failed(PCMError)
}

/// Finds the format that an open device takes with the least conversion, and installs it.
struct PCMNegotiation {
    /// In order of preference. The recordings have 16 bits, which cost the least; some digital amplifiers need the
    /// others.
    static let encodings: [SampleEncoding] = [.int16, .int32, .int24, .int24Packed, .float32]
    /// The rates that ``PCMFormat`` allows.
    static let rates = 8_000...192_000
    /// The mixer renders a period of a card at once, 40 ms: each render costs a write, and a volume key is heard within
    /// ``buffer`` and one render. For a sound server it renders a whole ``sleep``, since each write wakes two threads of
    /// the server's library.
    static let rendersPerSecond = 25
    /// A card takes 40 ms at once.
    static let period = Duration.milliseconds(40)
    /// The thread fills the buffer every 80 ms: each time costs a wake-up, and with a sound server those of its process
    /// and of two threads of its library. A server takes as much at once.
    static let sleep = Duration.milliseconds(80)
    /// A volume key is heard within 300 ms, after what the device holds.
    static let buffer = Duration.milliseconds(240)
    /// With a shorter buffer the thread sleeps less, so that this is left when it wakes up: it may be late by that much
    /// before the sound breaks off. The device begins to play when it has this.
    static let reserve = Duration.milliseconds(80)

    let driver: any PCMDriver
    /// Frames per second to ask for; the device's nearest is taken.
    let preferredRate: Int

    /// Leaves the device prepared.
    func run() throws(PCMNegotiationError) -> PCMConfiguration {
        do {
            return try configure(sizesAreOurs: true)
        } catch .failed(let error) where error.code == EINVAL {
            // Some drivers refuse a combination of sizes only when it is installed; their own choice always works.
            return try configure(sizesAreOurs: false)
        }
    }

    private func configure(sizesAreOurs: Bool) throws(PCMNegotiationError) -> PCMConfiguration {
        try requireInterleaving()
        let encoding = try chooseEncoding()
        let channelCount = try chooseChannelCount()
        let rate = try checked { () throws(PCMError) in try driver.setSampleRate(near: preferredRate) }
        guard Self.rates.contains(rate) else { throw .unsupported("its nearest rate is \(rate) Hz") }
        let sizes = try checked { () throws(PCMError) in
            if sizesAreOurs { try askForSizes(rate: rate) }
            return try driver.applyHardwareParameters()
        }
        guard sizes.period > 0, sizes.buffer >= sizes.period else {
            throw .unsupported("it has \(sizes.buffer) frames of buffer for periods of \(sizes.period)")
        }
        // Enough before the first frame is heard, and reachable by whole periods.
        let reserve = frames(Self.reserve, rate: rate)
        let periodsToStart = max(2, (reserve + sizes.period - 1) / sizes.period)
        let startThreshold = max(1, min(periodsToStart, sizes.buffer / sizes.period - 1)) * sizes.period
        try checked { () throws(PCMError) in try driver.applySoftwareParameters(startThreshold: startThreshold) }
        let wantedSleep = frames(Self.sleep, rate: rate)
        // At least one period of the device: with a short buffer the thread wakes for each.
        let framesPerSleep = max(sizes.period, min(wantedSleep, sizes.buffer - reserve))
        let format = PCMFormat(
            sampleRate: rate, channelCount: channelCount, encoding: encoding,
            framesPerPeriod: min(driver.isServer ? wantedSleep : rate / Self.rendersPerSecond, framesPerSleep))
        return PCMConfiguration(
            format: format, bufferFrames: sizes.buffer, periodFrames: sizes.period, framesPerSleep: framesPerSleep,
            isServer: driver.isServer)
    }

    private func frames(_ duration: Duration, rate: Int) -> Int { Int(duration / .milliseconds(1)) * rate / 1000 }

    private func requireInterleaving() throws(PCMNegotiationError) {
        guard try accepts({ () throws(PCMError) in try driver.resetHardwareParameters() }) else {
            throw .unsupported("it does not take interleaved samples")
        }
    }

    private func chooseEncoding() throws(PCMNegotiationError) -> SampleEncoding {
        for encoding in Self.encodings where try accepts({ () throws(PCMError) in try driver.setEncoding(encoding) }) {
            return encoding
        }
        throw .unsupported("it takes none of \(Self.encodings.map(\.rawValue).joined(separator: ", "))")
    }

    /// One channel, else two, else what the device insists on (some HDMI outputs need eight).
    private func chooseChannelCount() throws(PCMNegotiationError) -> Int {
        for count in 1...2 where try accepts({ () throws(PCMError) in try driver.setChannelCount(count) }) {
            return count
        }
        return try checked { () throws(PCMError) in try driver.setChannelCount(near: 2) }
    }

    private func askForSizes(rate: Int) throws(PCMError) {
        let period = try driver.setPeriod(near: frames(driver.isServer ? Self.sleep : Self.period, rate: rate))
        // Long periods must not make a buffer of one or two.
        try driver.setBuffer(near: max(frames(Self.buffer, rate: rate), period * 3))
    }

    /// Whether the device can do it: it refuses with `EINVAL`.
    private func accepts(_ call: () throws(PCMError) -> Void) throws(PCMNegotiationError) -> Bool {
        do {
            try call()
            return true
        } catch {
            if error.code == EINVAL { return false }
            throw .failed(error)
        }
    }

    @discardableResult
    private func checked<Value>(_ call: () throws(PCMError) -> Value) throws(PCMNegotiationError) -> Value {
        do { return try call() } catch { throw .failed(error) }
    }
}
