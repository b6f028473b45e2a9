import SoundboxCore
import SoundboxSystem
import Synchronization

/// Times another sink from outside, and does without it when it does not come back.
///
/// A sink bounds its own waits, yet a driver may hold a call of the sound library itself: a card whose bus hangs, a pipe
/// that nobody reads, a server that stopped. Such a call cannot be ended. The sink is then given up together with the
/// thread that it holds, the caller gets an error as from any other device that fails, and another sink is made for the
/// next opening.
///
/// Given up sinks are bounded: while ``mostGivenUp`` calls have not come back, the device is not opened again. When
/// one comes back, its sink is closed.
///
/// Time is counted by a clock that rests while the machine sleeps.
public actor TimedSink: AudioSink {
    /// Each holds a thread and what the driver keeps for an open device. Two, so that one call that never returns does
    /// not cost the card: it may open when it was pulled out and put back.
    static let mostGivenUp = 2

    /// How long a call may take before it counts as stuck. The sink's own waits come first.
    public struct Limits: Sendable, Equatable {
        /// A card opens within a second; a sound server may have to be started.
        public var open: Duration
        /// The port's bound, which ``AudioSink/drain()`` states.
        public var patience: Duration
        /// Beyond what the sink's own waits take.
        public var margin: Duration
        public var close: Duration

        public init(
            open: Duration = .seconds(6), patience: Duration = SinkPatience.least, margin: Duration = .seconds(2),
            close: Duration = .seconds(3)
        ) {
            self.open = open
            self.patience = patience
            self.margin = margin
            self.close = close
        }
    }

    private enum Call: String {
        case open = "opening it"
        case write = "giving it sound"
        case drain = "playing to the end"
        case close = "closing it"
        case setVolume = "setting its volume"
    }

    private let device: String
    private let limits: Limits
    private let watch: DeviceWatch
    private let make: @Sendable () -> any AudioSink
    /// `nil` once it was given up, until the next opening.
    private var sink: (any AudioSink)?
    private var bufferDuration = Duration.zero
    private var givenUpCount = 0
    private var lastKnown = (bufferFrames: 0, xruns: 0)
    /// Of sinks that were given up.
    private var earlierXruns = 0

    /// - Parameters:
    ///   - device: what errors call it.
    ///   - watch: knows of the calls, for whoever stops the box.
    ///   - make: makes the sink that plays; called again after one was given up. Must not block.
    public init(
        device: String, limits: Limits = Limits(), watch: DeviceWatch = DeviceWatch(),
        make: @escaping @Sendable () -> any AudioSink
    ) {
        self.device = device
        self.limits = limits
        self.watch = watch
        self.make = make
    }

    public func open() async throws(AudioSinkError) -> PCMFormat {
        guard givenUpCount < Self.mostGivenUp else {
            throw .unavailable(
                device: device,
                reason:
                    "its driver still holds \(givenUpCount) calls that never came back; pull the device out and put "
                    + "it back, or restart the machine")
        }
        let sink = self.sink ?? make()
        self.sink = sink
        let opened = try await timed(.open, limits.open) { () async throws(AudioSinkError) in
            let format = try await sink.open()
            return (format: format, bufferFrames: await sink.bufferFrames, xruns: await sink.xrunCount)
        }
        bufferDuration = opened.format.duration(ofFrames: opened.bufferFrames)
        lastKnown = (opened.bufferFrames, opened.xruns)
        return opened.format
    }

    public func write(_ frames: [UInt8]) async throws(AudioSinkError) {
        guard let sink else { throw .writeFailed(device: device, reason: "it is not open") }
        try await timed(.write, patience + limits.margin) { () async throws(AudioSinkError) in
            try await sink.write(frames)
        }
    }

    /// The sink may wait twice: for room for the last period, and for its end.
    public func drain() async throws(AudioSinkError) {
        guard let sink else { return }
        lastKnown.xruns = try await timed(.drain, patience * 2 + limits.margin) { () async throws(AudioSinkError) in
            try await sink.drain()
            return await sink.xrunCount
        }
    }

    public func close() async {
        guard let sink else { return }
        lastKnown.bufferFrames = 0
        try? await timed(.close, limits.close) { () async throws(AudioSinkError) in await sink.close() }
    }

    public func setVolume(_ level: Int) async -> Bool {
        guard let sink else { return false }
        let isTaken = try? await timed(.setVolume, limits.close) { () async throws(AudioSinkError) in
            await sink.setVolume(level)
        }
        return isTaken ?? false
    }

    /// As of the last opening: asking a device that hangs would hang.
    public var bufferFrames: Int { lastKnown.bufferFrames }

    /// As of the last opening or the last announcement that was heard.
    public var xrunCount: Int { earlierXruns + lastKnown.xruns }

    private var patience: Duration { max(bufferDuration * 2, limits.patience) }

    /// Waits for the call, and for no longer than it may take.
    private func timed<Value: Sendable>(
        _ call: Call, _ limit: Duration, _ body: @escaping @Sendable () async throws(AudioSinkError) -> Value
    ) async throws(AudioSinkError) -> Value {
        let wait = Wait<Value>()
        let limit = watch.begin(limit: limit) { wait.giveUp() }
        Task {
            do throws(AudioSinkError) { wait.end(.success(try await body())) } catch { wait.end(.failure(error)) }
        }
        let timer = Task {
            do { try await SuspendingClock().sleep(for: limit) } catch { return }
            wait.giveUp()
        }
        await wait.isOver.wait()
        timer.cancel()
        watch.end()
        if let result = wait.result { return try result.get() }
        giveUp(wait)
        let reason = "\(call.rawValue) did not come back in time; it is given up until the driver answers"
        throw call == .open
            ? .unavailable(device: device, reason: reason) : .writeFailed(device: device, reason: reason)
    }

    /// Leaves the sink to the call that holds it, and has it closed when that comes back.
    private func giveUp<Value: Sendable>(_ wait: Wait<Value>) {
        guard let stuck = sink else { return }
        sink = nil
        earlierXruns += lastKnown.xruns
        lastKnown = (0, 0)
        givenUpCount += 1
        DeviceWatch.noteStuck(1)
        Task {
            await wait.hasEnded.wait()
            await stuck.close()
            givenUpCount -= 1
            DeviceWatch.noteStuck(-1)
        }
    }
}

/// The end of a call, or of the patience with it, whichever comes first.
private final class Wait<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, AudioSinkError>

    private enum State {
        case pending
        case ended(Outcome)
        case givenUp
    }

    private let state = Mutex(State.pending)
    /// Nothing more is waited for.
    let isOver = OneTimeSignal()
    /// The call has come back, be it too late.
    let hasEnded = OneTimeSignal()

    /// `nil` when the call was given up.
    var result: Outcome? {
        state.withLock { state in if case .ended(let outcome) = state { outcome } else { nil } }
    }

    func end(_ outcome: Outcome) {
        state.withLock { state in if case .pending = state { state = .ended(outcome) } }
        isOver.signal()
        hasEnded.signal()
    }

    func giveUp() {
        state.withLock { state in if case .pending = state { state = .givenUp } }
        isOver.signal()
    }
}
