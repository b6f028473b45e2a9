/// Where PCM frames become sound: a card, a file, nothing, a test's recorder.
///
/// A sink has no queue and no opinion about what is played. The player calls it from one loop and never
/// concurrently: `open`, then `write` any number of times, then `drain`, and again `write` … `drain` for the
/// next announcement. A sink whose calls block does so on a thread of its own, never on Swift's shared pool.
public protocol AudioSink: Sendable {
    /// Opens the device if it is not open and returns the format that it takes from now on.
    ///
    /// Called before every announcement, so it is cheap when the device is already open. After an error it may be
    /// called again at any time; the format may then differ, since another device may have been plugged in.
    func open() async throws(AudioSinkError) -> PCMFormat

    /// Takes interleaved frames in the format last returned by ``open()``, at most one period of them.
    ///
    /// Returns once the device has taken every frame, which is before they are heard: a sink for a real device
    /// holds the caller back so that it runs at most one device buffer ahead. A sink recovers from an underrun by
    /// itself. On an error the device is closed, and what was written since the last ``drain()`` may not have
    /// been heard.
    func write(_ frames: [UInt8]) async throws(AudioSinkError)

    /// Returns once the last frame written has left the speaker, or at once when nothing was written.
    ///
    /// The wait is bounded: by twice the device's buffer, and at least ``SinkPatience/least``. A device that hangs is
    /// closed and reported.
    func drain() async throws(AudioSinkError)

    /// Closes the device. Harmless when it is not open.
    func close() async

    /// Has the device itself be so loud, where it has a volume that is the box's to set: at once, for what it plays and
    /// for what follows. Called before every announcement and with every change, on an open device.
    ///
    /// - Parameter level: 1–100, each step about as audible as the next. Silence is the caller's to make.
    /// - Returns: whether the device does it. Otherwise the caller scales its samples.
    func setVolume(_ level: Int) async -> Bool

    /// Frames that the open device can hold, by which a caller runs ahead of what is heard; 0 when it holds none.
    var bufferFrames: Int { get async }

    /// How often the device ran dry in the middle of an announcement since the sink was made. Never blocks for long.
    var xrunCount: Int { get async }
}

extension AudioSink {
    /// Most sinks have no volume of their own.
    public func setVolume(_ level: Int) async -> Bool { false }

    /// A sink without a device keeps nothing back.
    public var bufferFrames: Int { get async { 0 } }

    /// A sink without a device never runs dry.
    public var xrunCount: Int { get async { 0 } }
}

/// Why a sink could not take sound. Every case but ``unsupportedFormat(device:reason:)`` may pass by itself, so the
/// caller keeps its announcement and tries again.
public enum AudioSinkError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The device does not open: it is absent, busy, or not ours to open.
    case unavailable(device: String, reason: String)
    /// The device opens, yet takes none of the formats the mixer can make.
    case unsupportedFormat(device: String, reason: String)
    /// The device went away or failed while it played.
    case writeFailed(device: String, reason: String)

    public var description: String {
        switch self {
        case .unavailable(let device, let reason): "cannot open audio device \"\(device)\": \(reason)"
        case .unsupportedFormat(let device, let reason): "audio device \"\(device)\" takes no usable format: \(reason)"
        case .writeFailed(let device, let reason): "audio device \"\(device)\" stopped: \(reason)"
        }
    }
}

/// How long a sink waits for a device that does nothing.
public enum SinkPatience {
    /// A card makes room for a period long before it has played its buffer twice. A sound server moves in steps of its
    /// own, whatever buffer it grants: PulseAudio's null sink in steps of up to two seconds.
    public static let least = Duration.seconds(5)
}
