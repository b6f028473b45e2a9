import SoundboxCore
import SoundboxSystem

/// One playback device of alsa-lib, call for call, so that every error of every call can be produced in a test.
///
/// A driver decides nothing. It is not thread-safe and its calls may block, ``sleep(for:unless:)`` for as long as it is
/// told to: it belongs to one thread. Every method but ``open(_:)``, ``close()``, ``hasCard(_:)`` and
/// ``sleep(for:unless:)`` needs an open device. The errors are those of the alsa-lib function of the same name.
package protocol PCMDriver: AnyObject {
    /// Opens for playback in non-blocking mode: a busy device fails at once with `EBUSY`.
    func open(_ device: String) throws(PCMError)
    /// Closes without playing what is queued. Harmless when not open.
    func close()

    // Hardware parameters: reset, narrow down, apply. A setter that throws `EINVAL` has changed nothing.

    /// Starts over with everything the device can do, interleaved and without alsa-lib's own resampling.
    func resetHardwareParameters() throws(PCMError)
    func setEncoding(_ encoding: SampleEncoding) throws(PCMError)
    func setChannelCount(_ count: Int) throws(PCMError)
    /// Settles for the count nearest to `count` and returns it.
    func setChannelCount(near count: Int) throws(PCMError) -> Int
    /// Settles for the rate nearest to `rate`, in frames per second, and returns it.
    func setSampleRate(near rate: Int) throws(PCMError) -> Int
    /// Settles for the period nearest to `frames` and returns it.
    func setPeriod(near frames: Int) throws(PCMError) -> Int
    func setBuffer(near frames: Int) throws(PCMError)
    /// Installs the parameters, which also prepares the device, and returns the frames per period and in the buffer.
    func applyHardwareParameters() throws(PCMError) -> (period: Int, buffer: Int)
    /// - Parameter startThreshold: queued frames at which playing starts by itself.
    func applySoftwareParameters(startThreshold: Int) throws(PCMError)

    /// Whether a sound server plays, behind a plugin of alsa-lib.
    var isServer: Bool { get }
    /// The id of the card that the open device is on; `nil` for one without a card, such as a sound server's.
    var card: String? { get }
    /// Whether there is a card with this id. Opens no device of it that plays; needs no open device.
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

    /// Monotonic time, by which waits are measured. It is the driver's, so that a scripted driver's waits take none.
    var now: Duration { get }
    /// Ends early with the interruption.
    func sleep(for duration: Duration, unless interruption: Interruption)
}

/// `snd_pcm_state_t`, as far as playback meets it.
package enum PCMState: Sendable, Equatable {
    case setup, prepared, running, draining, xrun, suspended, disconnected
    /// One that an open playback device of this box is never in.
    case other
}

/// A failed call of alsa-lib.
package struct PCMError: Error, Sendable, Equatable {
    /// An `errno` value, above zero.
    package var code: Int32
    /// What alsa-lib, or the caller who gave up, had to say beyond the code.
    package var detail: String?

    package init(_ code: Int32, detail: String? = nil) {
        self.code = code
        self.detail = detail
    }
}
