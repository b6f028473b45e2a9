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
