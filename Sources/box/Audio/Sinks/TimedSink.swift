import SoundboxCore

/// Reports the calls of another sink to the thread's ``CallTimeout``, so that the box can abandon a device whose calls
/// do not return.
///
///     let thread = SoundThread { callTimeout in
///         TimedSink(ALSASink(device: "default"), device: "default", callTimeout: callTimeout)
///     }
///
/// A sink bounds its own waits, but a driver may hold a call of the sound library itself: a card whose bus hangs, a
/// pipe that nobody reads, a server that stopped. Such a call cannot be ended. The ``CallTimeout`` expires then: the
/// ``SoundThread`` leaves this thread and its sinks behind and continues with new ones, and the caller gets an error as
/// from any failed device. If the call returns later, this sink closes its device and throws, and the thread ends.
///
/// The number of abandoned calls is bounded: while ``DeviceWatch/mostGivenUp`` calls have not returned, the device is
/// not opened again.
public final class TimedSink: AudioSink, @unchecked Sendable {
    // Sendable by the port's promise: one thread calls everything but `interrupt`, which touches `sink` only.
    /// How long a call may take before it is abandoned, in addition to the sink's own waits.
    public struct Limits: Sendable, Equatable {
        /// A card opens within a second; a sound server may have to be started.
        public var open: Duration
        /// How long the device may do nothing; see ``AudioSink/drain()``.
        public var timeout: Duration
        /// Added to the sink's own waits.
        public var margin: Duration
        public var close: Duration

        public init(
            open: Duration = .seconds(6), timeout: Duration = SinkTimeout.least, margin: Duration = .seconds(2),
            close: Duration = .seconds(3)
        ) {
            self.open = open
            self.timeout = timeout
            self.margin = margin
            self.close = close
        }
    }

    enum Call: String {
        case open = "opening it"
        case write = "giving it sound"
        case drain = "playing to the end"
        case close = "closing it"
        case check = "asking whether it is there"
    }

    private let sink: any AudioSink
    private let device: String
    private let callTimeout: CallTimeout
    private let limits: Limits
    private var format: PCMFormat?
    /// How long the device may do nothing before its sink gives up by itself.
    private var timeout: Duration

    /// - Parameter device: its name in errors.
    public init(_ sink: any AudioSink, device: String, callTimeout: CallTimeout, limits: Limits = Limits()) {
        self.sink = sink
        self.device = device
        self.callTimeout = callTimeout
        self.limits = limits
        timeout = limits.timeout
    }

    public func open() throws(AudioSinkError) -> PCMFormat {
        let stuck = callTimeout.watch.givenUpCount
        guard stuck < DeviceWatch.mostGivenUp else {
            throw .unavailable(
                device: device,
                reason:
                    "its driver still holds \(stuck) calls that never came back; pull the device out and put it back, "
                    + "or restart the machine")
        }
        let format = try timed(.open, limits.open) { () throws(AudioSinkError) in try sink.open() }
        self.format = format
        timeout = max(format.duration(ofFrames: sink.bufferFrames) * 2, limits.timeout)
        return format
    }

    public func write(_ frames: [UInt8]) throws(AudioSinkError) {
        let sound = format.map { $0.duration(ofFrames: frames.count / $0.bytesPerFrame) } ?? .zero
        try timed(.write, sound + timeout + limits.margin) { () throws(AudioSinkError) in try sink.write(frames) }
    }

    /// The sink may wait twice: for room for the last period, and for its end.
    public func drain() throws(AudioSinkError) {
        try timed(.drain, timeout * 2 + limits.margin) { () throws(AudioSinkError) in try sink.drain() }
    }

    public func checkDevice() throws(AudioSinkError) {
        try timed(.check, limits.close) { () throws(AudioSinkError) in try sink.checkDevice() }
    }

    public func interrupt() { sink.interrupt() }

    public func close() {
        try? timed(.close, limits.close) { () throws(AudioSinkError) in sink.close() }
    }

    public var bufferFrames: Int { sink.bufferFrames }
    public var xrunCount: Int { callTimeout.watch.xrunsOfGivenUp + sink.xrunCount }
    public var restDue: Duration? { sink.restDue }
    public func rest() { sink.rest() }

    private func timed<Value>(
        _ call: Call, _ limit: Duration, _ body: () throws(AudioSinkError) -> Value
    ) throws(AudioSinkError) -> Value {
        try callTimeout.begin(call, of: device, limit: limit)
        let result = Result { () throws(AudioSinkError) in try body() }
        do { try callTimeout.end(xruns: sink.xrunCount) } catch {
            // Too late: another thread plays by now.
            sink.close()
            callTimeout.watch.callCameBack()
            throw error
        }
        return try result.get()
    }
}
