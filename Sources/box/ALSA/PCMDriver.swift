import CALSA
import Glibc
import SoundboxCore
import SoundboxSystem

/// One playback device of alsa-lib, one method for each library call, so that a test can produce every error.
///
/// A driver decides nothing. It is not thread-safe and belongs to one thread. Its calls may block,
/// ``sleep(for:unless:)`` for the time it is given. Every method but ``open(_:)``, ``close()``, ``hasCard(_:)`` and
/// ``sleep(for:unless:)`` needs an open device. The errors are those of the alsa-lib function with the same name.
package protocol PCMDriver: AnyObject {
    /// Opens for playback in non-blocking mode: a busy device fails at once with `EBUSY`.
    func open(_ device: String) throws(PCMError)
    /// Closes without playing what is queued. Harmless when not open.
    func close()

    // Hardware parameters: reset, narrow down, apply. A setter that throws `EINVAL` has changed nothing.

    /// Starts again with everything the device can do, interleaved and without alsa-lib's own resampling.
    func resetHardwareParameters() throws(PCMError)
    func setEncoding(_ encoding: SampleEncoding) throws(PCMError)
    func setChannelCount(_ count: Int) throws(PCMError)
    /// Chooses the count nearest to `count` and returns it.
    func setChannelCount(near count: Int) throws(PCMError) -> Int
    /// Chooses the rate nearest to `rate`, in frames per second, and returns it.
    func setSampleRate(near rate: Int) throws(PCMError) -> Int
    /// Chooses the period nearest to `frames` and returns it.
    func setPeriod(near frames: Int) throws(PCMError) -> Int
    func setBuffer(near frames: Int) throws(PCMError)
    /// Installs the parameters, which also prepares the device, and returns the frames per period and in the buffer.
    func applyHardwareParameters() throws(PCMError) -> (period: Int, buffer: Int)
    /// - Parameter startThreshold: queued frames at which playing starts by itself.
    func applySoftwareParameters(startThreshold: Int) throws(PCMError)

    /// Whether a sound server plays, through an alsa-lib plugin.
    var isServer: Bool { get }
    /// The id of the open device's card; `nil` for one without a card, such as a sound server's.
    var card: String? { get }
    /// Whether there is a card with this id. Opens no playback device; needs no open device.
    func hasCard(_ id: String) -> Bool

    var state: PCMState { get }
    func prepare() throws(PCMError)
    func start() throws(PCMError)
    func resume() throws(PCMError)
    /// Plays what is queued and then stops. `EAGAIN` while it plays: call again.
    func drain() throws(PCMError)
    /// Queues whole interleaved frames, as many as there is room for, and returns how many.
    func write(_ frames: RawSpan) throws(PCMError) -> Int
    /// Frames between the next one to be written and the one being heard.
    func delay() throws(PCMError) -> Int

    /// Monotonic time, by which waits are measured. It belongs to the driver, so that a test driver's waits take no
    /// time.
    var now: Duration { get }
    /// Ends early when interrupted.
    func sleep(for duration: Duration, unless interruption: Interruption)
}

/// The states of `snd_pcm_state_t` that playback meets.
package enum PCMState: Sendable, Equatable {
    case setup, prepared, running, draining, xrun, suspended, disconnected
    /// A state that an open playback device of this box is never in.
    case other
}

/// A failed call of alsa-lib.
package struct PCMError: Error, Sendable, Equatable {
    /// An `errno` value, above zero.
    package var code: Int32
    /// What alsa-lib, or the caller who gave up, says beyond the code.
    package var detail: String?

    package init(_ code: Int32, detail: String? = nil) {
        self.code = code
        self.detail = detail
    }
}

/// The text that the installer reads on the phone: what is wrong, and what to do.
extension PCMError {
    /// Why the device does not open.
    /// - Parameters:
    ///   - cards: the cards that this user may open, named when the device is none of them.
    ///   - obstacle: why this user cannot open the others.
    package func reasonWhileOpening(cards: [ALSACard], _ obstacle: CardObstacle?) -> String {
        // alsa-lib reports no card when it may not open one.
        if cards.isEmpty, let obstacle, obstacle != .noCard, [ENOENT, ENODEV, ENXIO, EACCES, EPERM].contains(code) {
            return "\(obstacle)"
        }
        return switch code {
        case ENOENT, ENODEV, ENXIO:
            "there is no such device\(parenthesis); \(Self.listing(cards))"
        case EBUSY:
            "another program is using it; stop that program, or choose a device that shares the card, such as "
                + "\"default\""
        case EACCES: "\(CardObstacle.denied(device: nil))"
        case EPERM: "\(CardObstacle.fencedOff(device: nil))"
        case ECONNREFUSED:
            "its sound server does not answer\(parenthesis); start the server, or choose a card"
        default:
            "\(text)\(parenthesis)"
        }
    }

    /// Why the closed device will not open again.
    var reasonWhileClosed: String { "it was unplugged, or its driver is gone\(parenthesis)" }

    /// Why the device stopped playing.
    var reasonWhilePlaying: String {
        switch code {
        case ENODEV, ENXIO: reasonWhileClosed
        case ETIMEDOUT, ESTRPIPE: detail ?? text
        default: "\(text)\(parenthesis)"
        }
    }

    private var text: String { SystemError(code: code).description }
    private var parenthesis: String { detail.map { " (\($0))" } ?? "" }

    private static func listing(_ cards: [ALSACard]) -> String {
        guard !cards.isEmpty else { return "\(CardObstacle.noCard)" }
        return "choose one of " + cards.map { "\"\($0.name)\" (\($0.description))" }.joined(separator: ", ")
    }
}

/// Keeps what alsa-lib would write to stderr, to explain an error.
///
/// The text is kept per thread: read it on the thread that made the failing call. Never blocks.
enum ALSAMessages {
    // alsa-lib has one handler for the whole process; it is installed at the first use and stays.
    private static let handler: Void = soundbox_alsa_keep_messages()

    /// Deletes the messages of earlier calls.
    static func clear() {
        handler
        soundbox_alsa_message().pointee = 0
    }

    /// The first message since ``clear()``; `nil` when there was none.
    static var first: String? {
        var text = Substring(String(cString: soundbox_alsa_message()))
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return text.isEmpty ? nil : String(text)
    }
}
