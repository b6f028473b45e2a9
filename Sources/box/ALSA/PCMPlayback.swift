import Glibc
import SoundboxCore
import SoundboxSystem

/// Writes to one open and configured device and handles what it can recover from: full buffers, interrupted calls,
/// underruns, sleep.
///
/// ``write(_:)`` blocks for at most ``timeout`` after the last frame that was taken, ``drain()`` for twice that, and
/// either for a second more when the machine wakes up meanwhile. An interruption ends either soon. After an error the
/// device must be closed.
struct PCMPlayback {
    /// How often in a row the device may fail without taking a frame before it counts as broken.
    static let failuresTolerated = 8
    static let resumeAttempts = 10
    static let pauseBetweenResumes = Duration.milliseconds(100)

    let driver: any PCMDriver
    let configuration: PCMConfiguration
    let interruption: Interruption
    /// Underruns so far: the device ran dry in the middle of an announcement, which is heard as a gap.
    private(set) var xrunCount = 0
    /// Frames taken since the device was last prepared.
    private var framesTaken = 0
    /// Whether the device has taken a frame since the thread last slept.
    private var hasTaken = false

    init(driver: any PCMDriver, configuration: PCMConfiguration, interruption: Interruption) {
        self.driver = driver
        self.configuration = configuration
        self.interruption = interruption
    }

    private var format: PCMFormat { configuration.format }
    /// How long the device may do nothing before it counts as hung.
    var timeout: Duration { max(configuration.bufferDuration * 2, SinkTimeout.least) }

    /// Whether the next announcement can be written without opening the device again.
    var isReady: Bool {
        switch driver.state {
        case .prepared, .running: true
        case .setup, .draining, .xrun, .suspended, .disconnected, .other: false
        }
    }

    // MARK: Writing

    /// Returns once the device has taken every frame. Ignores bytes after the last whole frame.
    mutating func write(_ frames: [UInt8]) throws(PCMError) {
        try write(frames.span.bytes, goesOnAfterUnderrun: true)
    }

    private mutating func write(_ bytes: RawSpan, goesOnAfterUnderrun: Bool) throws(PCMError) {
        var offset = 0
        let end = bytes.byteCount - bytes.byteCount % format.bytesPerFrame
        var attempt = Attempt()
        while offset < end {
            do {
                let taken = try writeWhatFits(bytes.extracting(offset..<end))
                guard taken > 0 else {
                    try awaitRoom(&attempt)
                    continue
                }
                hasTaken = true
                framesTaken += taken
                offset += taken * format.bytesPerFrame
                attempt = Attempt()
            } catch let error where error.code == EPIPE && goesOnAfterUnderrun {
                // Everything taken so far was heard: nothing is lost, and the rest follows after the gap.
                try attempt.tolerate(error)
                if !attempt.isCounted { xrunCount += 1 }
                try prepare()
            } catch let error where error.code == ESTRPIPE {
                try attempt.tolerate(error)
                try resume()
            } catch let error where error.code == EINTR {
                try attempt.tolerate(error)
            }
        }
    }

    /// How many frames were taken; zero when the buffer is full.
    private func writeWhatFits(_ frames: RawSpan) throws(PCMError) -> Int {
        do { return try driver.write(frames) } catch let error where error.code == EAGAIN { return 0 }
    }

    /// Sleeps for as long as a full buffer can spare, by its own clock: `snd_pcm_wait` would wake up with each tick of
    /// the device or its server. If there is still no room, since the device moves in steps, it sleeps a short while
    /// more.
    private mutating func awaitRoom(_ attempt: inout Attempt) throws(PCMError) {
        let start = driver.now
        let deadline = attempt.deadline ?? start + timeout
        attempt.deadline = deadline
        let limit = deadline - start
        guard limit > .zero else { throw stalled("it took no sound for") }
        try sleep(for: min(limit, hasTaken ? configuration.sleep : configuration.sleep / 4))
        hasTaken = false
        // The machine was too busy, or the process was stopped.
        if configuration.isServer, driver.now - start > configuration.bufferDuration, !attempt.isCounted {
            attempt.isCounted = true
            xrunCount += 1
        }
    }

    private func sleep(for duration: Duration) throws(PCMError) {
        driver.sleep(for: duration, unless: interruption)
        try checkInterruption()
    }

    private func checkInterruption() throws(PCMError) {
        if interruption.isInForce { throw PCMError(ECANCELED) }
    }

    private func stalled(_ words: String) -> PCMError {
        PCMError(ETIMEDOUT, detail: "\(words) \(Int(timeout / .milliseconds(1))) ms")
    }

    /// What happened since the device last took a frame.
    private struct Attempt {
        /// `nil` before the first wait: a write that the device takes at once reads no clock.
        var deadline: Duration?
        /// Whether the gap was counted as an underrun.
        var isCounted = false
        private var failures = 0

        mutating func tolerate(_ error: PCMError) throws(PCMError) {
            failures += 1
            if failures > PCMPlayback.failuresTolerated { throw error }
        }
    }

    // MARK: Recovery

    private mutating func prepare() throws(PCMError) {
        try driver.prepare()
        framesTaken = 0
    }

    /// Continues where the machine fell asleep. A device that cannot resume has lost its buffer: words, perhaps digits.
    /// That is an error, so that the announcement is repeated instead of played with a hole in its amount.
    private func resume() throws(PCMError) {
        for _ in 0..<Self.resumeAttempts {
            do {
                return try driver.resume()
            } catch let error where error.code == EAGAIN || error.code == EINTR {
                try sleep(for: Self.pauseBetweenResumes)
            } catch {
                break
            }
        }
        throw PCMError(ESTRPIPE, detail: "the machine slept and the sound card lost what it was playing")
    }

    // MARK: Draining

    /// Returns once the last frame was heard, with the device prepared for the next announcement.
    mutating func drain() throws(PCMError) {
        guard framesTaken > 0 else { return }
        do {
            try fillPeriod()
            if driver.state == .prepared { try driver.start() }
            try awaitSilence()
        } catch let error where error.code == EPIPE {
            // It ran dry only because the last frame was heard, which is no underrun.
        }
        framesTaken = 0
        // The announcement was heard. If the device fails now, ``isReady`` reports that for the next one.
        try? driver.prepare()
    }

    /// Hardware that moves whole periods would never play an incomplete last one. Zero is silence in every encoding.
    private mutating func fillPeriod() throws(PCMError) {
        let excess = framesTaken % configuration.periodFrames
        guard excess > 0 else { return }
        let silence = [UInt8](repeating: 0, count: (configuration.periodFrames - excess) * format.bytesPerFrame)
        try write(silence.span.bytes, goesOnAfterUnderrun: false)
    }

    private mutating func awaitSilence() throws(PCMError) {
        let deadline = driver.now + timeout
        while true {
            do {
                // Called repeatedly, also while it drains: dmix mixes the rest only when it is called.
                return try driver.drain()
            } catch let error where error.code == EAGAIN || error.code == EINTR {
                // The kernel answers EAGAIN even when it is done, so the state decides.
            } catch let error where error.code == ESTRPIPE {
                try resume()
            }
            switch driver.state {
            case .setup, .xrun, .prepared: return
            case .disconnected: throw PCMError(ENODEV)
            case .running, .draining, .suspended, .other: break
            }
            let limit = deadline - driver.now
            guard limit > .zero else { throw stalled("it did not finish playing within") }
            try sleep(for: min(limit, timeToSilence()))
        }
    }

    /// The time until the end, bounded below and above: short enough to notice the end, long enough to be no busy loop.
    private func timeToSilence() -> Duration {
        let period = configuration.periodDuration
        guard let delay = try? driver.delay() else { return period }
        return min(max(format.duration(ofFrames: delay), .milliseconds(1)), period)
    }
}
