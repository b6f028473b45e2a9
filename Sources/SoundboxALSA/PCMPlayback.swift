import Glibc
import SoundboxCore
import SoundboxSystem

/// Writes to one open and configured device, and gets it through whatever is not the end of it: full buffers,
/// interrupted calls, underruns, sleep.
///
/// ``write(_:)`` blocks for at most ``timeout`` after the last frame that was taken, ``drain()`` for as long again,
/// and either for a second more when the machine wakes up meanwhile. An interruption ends either soon. After an error
/// only closing the device is left.
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
    /// Whether the device has taken a frame since the thread slept.
    private var hasTaken = false

    init(driver: any PCMDriver, configuration: PCMConfiguration, interruption: Interruption) {
        self.driver = driver
        self.configuration = configuration
        self.interruption = interruption
    }

    private var format: PCMFormat { configuration.format }
    /// How long the device may do nothing before it counts as hung.
    var timeout: Duration { max(configuration.bufferDuration * 2, SinkTimeout.least) }

    /// Whether the next announcement can be written as things are; if not, the device is to be opened again.
    var isReady: Bool {
        switch driver.state {
        case .prepared, .running: true
        case .setup, .draining, .xrun, .suspended, .disconnected, .other: false
        }
    }

    // MARK: Writing

    /// Returns once the device has taken every frame. Bytes beyond the last whole frame are left out.
    mutating func write(_ frames: [UInt8]) throws(PCMError) {
        try write(frames.span.bytes, goesOnAfterUnderrun: true)
    }

    private mutating func write(_ bytes: RawSpan, goesOnAfterUnderrun: Bool) throws(PCMError) {
        var offset = 0
        let end = bytes.byteCount - bytes.byteCount % format.bytesPerFrame
        var attempt = Attempt(deadline: driver.now + timeout)
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
                attempt = Attempt(deadline: driver.now + timeout)
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

    /// Frames taken; zero when the buffer is full.
    private func writeWhatFits(_ frames: RawSpan) throws(PCMError) -> Int {
        do { return try driver.write(frames) } catch let error where error.code == EAGAIN { return 0 }
    }

    /// Sleeps for as long as a full buffer can spare, by a clock of its own: `snd_pcm_wait` wakes up with each tick of
    /// the device, or of its server. Where that was not enough, since the device moves in steps, a short while more.
    private mutating func awaitRoom(_ attempt: inout Attempt) throws(PCMError) {
        let start = driver.now
        let limit = attempt.deadline - start
        guard limit > .zero else { throw stalled("it took no sound for") }
        try sleep(for: min(limit, hasTaken ? configuration.sleep : configuration.sleep / 4))
        hasTaken = false
        // A machine that was too busy, or a process that was stopped.
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
        let deadline: Duration
        /// Whether the gap is counted.
        var isCounted = false
        private var failures = 0

        init(deadline: Duration) { self.deadline = deadline }

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

    /// Goes on where the machine fell asleep. A device that cannot has lost what it held: words, perhaps digits. That
    /// is an error, so that the announcement is repeated, rather than one with a hole in its amount.
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
            // It ran dry, earlier or just now, and only because the last frame was heard.
        }
        framesTaken = 0
        // The announcement was heard, so a device that fails now does so to the next one: `isReady` will tell.
        try? driver.prepare()
    }

    /// Hardware that moves whole periods would keep the last words to itself. Zero is silence in every encoding.
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
                // Repeatedly, also while it drains: dmix mixes what is left only when it is called.
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

    /// What is left to play, but never so long that the end goes unnoticed, nor so short that waiting is work.
    private func timeToSilence() -> Duration {
        let period = configuration.periodDuration
        guard let delay = try? driver.delay() else { return period }
        return min(max(format.duration(ofFrames: delay), .milliseconds(1)), period)
    }
}
