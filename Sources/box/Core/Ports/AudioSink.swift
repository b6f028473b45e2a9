/// Plays PCM frames: on a card, into a file, nowhere, or into a test's recorder.
///
///     let format = try sink.open()
///     try sink.write([UInt8](repeating: 0, count: format.bytesPerPeriod))
///     try sink.drain()
///
/// A sink has no queue and does not judge what it plays. One thread calls it, the sound thread: ``open()``, then
/// ``write(_:)`` any number of times, then ``drain()``; then `open` … `drain` again for the next announcement. The
/// calls block that thread for as long as the device takes; no other thread waits for a sink.
///
/// ``interrupt()`` is the only call that any thread may make at any time. No other call may overlap another. A sink may
/// be `@unchecked Sendable` on that promise: only what `interrupt` touches needs a lock or an atomic.
///
/// A sink holds no lock while it blocks.
public protocol AudioSink: AnyObject, Sendable {
    /// Opens the device if it is not open. Returns the format that ``write(_:)`` takes from now on. Cancels an earlier
    /// ``interrupt()``.
    ///
    /// Called before every announcement, so it must be cheap when the device is already open. After an error it may be
    /// called again at any time. The format may then differ, because another device may have been plugged in.
    func open() throws(AudioSinkError) -> PCMFormat

    /// Takes whole interleaved frames in the format last returned by ``open()``: none, one period, or several.
    ///
    /// Blocks until the device has taken every frame, which is before they are heard: a sink for a real device runs at
    /// most one device buffer ahead of what is heard. The volume changes in steps of one write, so announcements are
    /// written a period at a time; silence may be written at once. A sink recovers from an underrun by itself.
    ///
    /// - Throws: ``AudioSinkError/interrupted`` after ``interrupt()``. After any error the device is closed, and what
    ///   was written since the last ``drain()`` may not have been heard.
    func write(_ frames: [UInt8]) throws(AudioSinkError)

    /// Blocks until the last frame written has left the speaker. Returns at once when nothing was written.
    ///
    /// There are at most two waits, for room for the last period and for its end. Each is bounded by twice the device's
    /// buffer, and at least ``SinkTimeout/least``. A device that hangs is closed and reported.
    ///
    /// - Throws: as ``write(_:)``.
    func drain() throws(AudioSinkError)

    /// Asks whether the device is there. Called every few seconds while nothing plays; makes no sound. A payment may
    /// wait behind this call, so it reads the known state and waits for nothing.
    ///
    /// Does not open a device that was closed with ``close()``: an amplifier would click. A device whose opening failed
    /// is left to ``open()``.
    /// - Throws: when the device is gone. It is closed then.
    func checkDevice() throws(AudioSinkError)

    /// Ends what the device plays: a `write` or `drain` that blocks, and any that follows before the next ``open()``,
    /// throws ``AudioSinkError/interrupted`` within 100 ms. What the device still holds is not heard.
    ///
    /// Any thread, at any time, closed or open. Never blocks. Does not end a call that a driver holds inside the sound
    /// library; see `TimedSink`.
    func interrupt()

    /// Closes the device without playing what it holds. Harmless when it is not open.
    func close()

    /// How many frames the open device can hold: how far a caller runs ahead of what is heard. 0 when it holds none.
    var bufferFrames: Int { get }

    /// How often the device ran dry in the middle of an announcement since the sink was made.
    var xrunCount: Int { get }

    /// When ``rest()`` is due if nothing plays before, by `CLOCK_MONOTONIC`; `nil` for never.
    var restDue: Duration? { get }

    /// Does what is due while nothing plays, such as switching an amplifier off.
    func rest()
}

extension AudioSink {
    /// A sink without a device cannot lose it.
    public func checkDevice() throws(AudioSinkError) {}

    /// A sink without a device keeps nothing back.
    public var bufferFrames: Int { 0 }

    /// A sink without a device never runs dry.
    public var xrunCount: Int { 0 }

    /// Most sinks have nothing to do while nothing plays.
    public var restDue: Duration? { nil }

    public func rest() {}
}

/// Why a sink could not take sound. Every case but ``unsupportedFormat(device:reason:)`` may pass by itself, so the
/// caller keeps its announcement and tries again.
public enum AudioSinkError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The device does not open: it is absent, busy, or this user may not open it.
    case unavailable(device: String, reason: String)
    /// The device opens, yet takes none of the formats the mixer can make.
    case unsupportedFormat(device: String, reason: String)
    /// The device went away or failed while it played.
    case writeFailed(device: String, reason: String)
    /// ``AudioSink/interrupt()`` was called.
    case interrupted

    public var description: String {
        switch self {
        case .unavailable(let device, let reason): "cannot open audio device \"\(device)\": \(reason)"
        case .unsupportedFormat(let device, let reason): "audio device \"\(device)\" takes no usable format: \(reason)"
        case .writeFailed(let device, let reason): "audio device \"\(device)\" stopped: \(reason)"
        case .interrupted: "the sound was interrupted"
        }
    }
}

/// How long a sink waits for a device that does nothing.
public enum SinkTimeout {
    /// A card makes room for a period long before it has played its buffer twice. A sound server moves in steps of its
    /// own, whatever buffer it grants: PulseAudio's null sink in steps of up to two seconds.
    public static let least = Duration.seconds(5)
}
