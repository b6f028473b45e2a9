import SoundboxCore

/// Plays nothing, in real time: it keeps its callers waiting exactly as a sound card with a buffer would.
///
/// Takes no thread: waiting is done on Swift's clock and blocks nobody. A caller whose task is cancelled is not held
/// back.
public actor NullSink<DeviceClock: Clock>: AudioSink where DeviceClock.Duration == Duration {
    private let format: PCMFormat
    private let buffer: Duration
    private let clock: DeviceClock
    /// When the last frame written leaves the speaker that is not there; `nil` before the first write.
    private var endOfSound: DeviceClock.Instant?

    /// - Parameters:
    ///   - buffer: how far a caller may run ahead of what is heard.
    ///   - clock: what real time is.
    public init(format: PCMFormat = .mono48kHz, buffer: Duration = .milliseconds(100), clock: DeviceClock) {
        self.format = format
        self.buffer = buffer
        self.clock = clock
    }

    public func open() -> PCMFormat { format }

    public func write(_ frames: [UInt8]) async {
        // A caller that came late has let the buffer run empty: sound goes on from now, as after an underrun.
        let start = max(endOfSound ?? clock.now, clock.now)
        let end = start.advanced(by: format.duration(ofFrames: frames.count / format.bytesPerFrame))
        endOfSound = end
        try? await clock.sleep(until: end.advanced(by: .zero - buffer), tolerance: nil)
    }

    public func drain() async {
        if let endOfSound { try? await clock.sleep(until: endOfSound, tolerance: nil) }
    }

    public func close() {
        endOfSound = nil
    }
}

extension NullSink where DeviceClock == ContinuousClock {
    public init(format: PCMFormat = .mono48kHz) {
        self.init(format: format, clock: ContinuousClock())
    }
}
