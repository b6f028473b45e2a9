import SoundboxCore
import SoundboxSystem

/// Plays nothing, in real time: it blocks its caller exactly as a sound card with a buffer would.
///
///     let sink = NullSink()
///     let format = sink.open()
///     try sink.write([UInt8](repeating: 0, count: format.bytesPerPeriod))
///     try sink.drain()  // returns 20 ms after the write began
///
/// Waits end at moments that follow from the frames alone, so one delay does not add to the next.
public final class NullSink: AudioSink, @unchecked Sendable {
    // Sendable by the port's promise: one thread calls everything but `interrupt`, which touches `interruption` only.
    private let format: PCMFormat
    private let buffer: Duration
    private let period: Duration
    private let clock: any NullClock
    private let interruption = Interruption()
    /// When the last frame written would leave the speaker; `nil` before the first write.
    private var endOfSound: Duration?

    /// - Parameters:
    ///   - buffer: how far a caller may run ahead of what is heard.
    ///   - period: the free space that a caller waits for when the buffer is full, as with a card: fewer and longer
    ///     waits.
    public convenience init(
        format: PCMFormat = .mono48kHz, buffer: Duration = .milliseconds(120), period: Duration = .milliseconds(40)
    ) {
        self.init(format: format, buffer: buffer, period: period, clock: RealTime())
    }

    /// - Parameter clock: the source of time.
    package init(
        format: PCMFormat = .mono48kHz, buffer: Duration = .milliseconds(120), period: Duration = .milliseconds(40),
        clock: any NullClock
    ) {
        self.format = format
        self.buffer = buffer
        self.period = period
        self.clock = clock
    }

    public func open() -> PCMFormat {
        interruption.clear()
        return format
    }

    public func write(_ frames: [UInt8]) throws(AudioSinkError) {
        try check()
        // A caller that came late has let the buffer run empty: sound continues from now, as after an underrun.
        let start = max(endOfSound ?? clock.now, clock.now)
        let end = start + format.duration(ofFrames: frames.count / format.bytesPerFrame)
        endOfSound = end
        // Frames without room wait until there is room for a whole period.
        if end - buffer > clock.now { try sleep(until: max(end, start + period) - buffer) }
    }

    public func drain() throws(AudioSinkError) {
        try check()
        if let endOfSound { try sleep(until: endOfSound) }
    }

    public func interrupt() { interruption.raise() }

    public func close() { endOfSound = nil }

    private func sleep(until moment: Duration) throws(AudioSinkError) {
        guard moment > clock.now else { return }
        clock.sleep(until: moment, interruption)
        try check()
    }

    private func check() throws(AudioSinkError) {
        guard interruption.isInForce else { return }
        close()
        throw .interrupted
    }
}

/// The time source of a ``NullSink``.
package protocol NullClock: Sendable {
    var now: Duration { get }
    /// Blocks until `moment`, or until interrupted.
    func sleep(until moment: Duration, _ interruption: Interruption)
}

private struct RealTime: NullClock {
    var now: Duration { .monotonicNow }
    func sleep(until moment: Duration, _ interruption: Interruption) { interruption.sleep(until: moment) }
}

extension PCMFormat {
    /// The format of sinks without a device: 48 kHz mono in 16 bits, in periods of 20 ms.
    public static let mono48kHz = PCMFormat(
        sampleRate: 48_000, channelCount: 1, encoding: .int16, framesPerPeriod: 960)
}
