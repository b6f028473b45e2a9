import Glibc
import SoundboxALSA
import SoundboxCore
import SoundboxSystem
import Synchronization

/// A sound card in memory: it has a buffer, plays it in a time of its own that passes only while the sink waits or
/// when the test says so, and fails with any error at any call.
final class ScriptedPCM: PCMDriver, Sendable {
    enum Call: Sendable, CaseIterable {
        case open, reset, encoding, channels, channelsNear, rate, period, buffer, hardware, software
        case prepare, start, resume, drain, write, delay
    }

    /// What the card can do, and how it behaves.
    struct Card: Sendable {
        var encodings = SampleEncoding.allCases
        var channelCounts = [1, 2]
        var rates = 8_000...192_000
        var periods = 1...10_000
        var buffers = 1...100_000
        /// Nothing is played before this time.
        var standsStillUntil = Duration.zero
        /// Takes no more than this in one call.
        var framesPerWrite = Int.max
        var isServer = false
        /// What the call that drains answers when everything was played.
        var answersAgainWhenDrained = false
    }

    struct Failure: Sendable {
        var error: PCMError
        var callsBefore: Int
        var times: Int
        var state: PCMState?
    }

    struct Contents: Sendable {
        var card: Card
        var isOpen = false
        /// Of the card; `nil` for a device without one.
        var id: String? = "Device"
        var isThere = true
        var state = PCMState.other
        var failures: [Call: Failure] = [:]
        var calls: [Call] = []
        var openings: [String] = []
        var closings = 0
        var now = Duration.zero
        var clockReads = 0
        var encoding: SampleEncoding?
        var channelCount: Int?
        var rate = 0
        var period = 0
        var buffer = 0
        var startThreshold = 0
        var queued: [UInt8] = []
        var heard: [UInt8] = []
        /// Time that passed without filling a whole frame.
        var unplayed = Duration.zero
        var sleeps = 0
        /// By how much the next sleep is too long.
        var late = Duration.zero
        /// Called with every sleep.
        var isWaiting: @Sendable () -> Void = {}
    }

    private let contents: Mutex<Contents>

    init(card: Card = Card()) {
        contents = Mutex(Contents(card: card))
    }

    /// A copy of everything, to look at.
    var seen: Contents { contents.withLock { $0 } }

    func change(_ body: (inout sending Contents) -> Void) {
        contents.withLock { body(&$0) }
    }

    /// Makes `call` fail, `times` times, after it went well `callsBefore` times more; the card goes to `state`.
    func fail(_ call: Call, _ code: Int32, callsBefore: Int = 0, times: Int = 1, state: PCMState? = nil) {
        contents.withLock {
            $0.failures[call] = Failure(error: PCMError(code), callsBefore: callsBefore, times: times, state: state)
        }
    }

    /// The caller is busy elsewhere while the card plays on.
    func passTime(_ duration: Duration) {
        contents.withLock { $0.passTime(duration) }
    }

    private func perform<Value: Sendable>(
        _ call: Call, _ body: (inout sending Contents) throws(PCMError) -> sending Value
    ) throws(PCMError) -> Value {
        try contents.withLock { contents throws(PCMError) in
            contents.calls.append(call)
            try contents.failIfPlanned(call)
            guard contents.isOpen || call == .open else { throw PCMError(EBADF) }
            return try body(&contents)
        }
    }

    // MARK: PCMDriver

    func open(_ device: String) throws(PCMError) {
        try perform(.open) { contents throws(PCMError) in
            guard contents.isThere else { throw PCMError(ENODEV) }
            contents.openings.append(device)
            contents.isOpen = true
            contents.queued = []
        }
    }

    func close() {
        contents.withLock {
            if $0.isOpen { $0.closings += 1 }
            $0.isOpen = false
            $0.state = .other
            $0.queued = []
        }
    }

    func resetHardwareParameters() throws(PCMError) {
        try perform(.reset) { contents in
            contents.encoding = nil
            contents.channelCount = nil
            contents.period = 1024
            contents.buffer = 4096
        }
    }

    func setEncoding(_ encoding: SampleEncoding) throws(PCMError) {
        try perform(.encoding) { contents throws(PCMError) in
            guard contents.card.encodings.contains(encoding) else { throw PCMError(EINVAL) }
            contents.encoding = encoding
        }
    }

    func setChannelCount(_ count: Int) throws(PCMError) {
        try perform(.channels) { contents throws(PCMError) in
            guard contents.card.channelCounts.contains(count) else { throw PCMError(EINVAL) }
            contents.channelCount = count
        }
    }

    func setChannelCount(near count: Int) throws(PCMError) -> Int {
        try perform(.channelsNear) { contents throws(PCMError) in
            guard let nearest = contents.card.channelCounts.min(by: { abs($0 - count) < abs($1 - count) }) else {
                throw PCMError(EINVAL)
            }
            contents.channelCount = nearest
            return nearest
        }
    }

    func setSampleRate(near rate: Int) throws(PCMError) -> Int {
        try perform(.rate) { contents in
            contents.rate = contents.card.rates.nearest(to: rate)
            return contents.rate
        }
    }

    func setPeriod(near frames: Int) throws(PCMError) -> Int {
        try perform(.period) { contents in
            contents.period = contents.card.periods.nearest(to: frames)
            return contents.period
        }
    }

    func setBuffer(near frames: Int) throws(PCMError) {
        try perform(.buffer) { contents in
            contents.buffer = contents.card.buffers.nearest(to: frames)
        }
    }

    func applyHardwareParameters() throws(PCMError) -> (period: Int, buffer: Int) {
        try perform(.hardware) { contents in
            contents.state = .prepared
            return (contents.period, contents.buffer)
        }
    }

    func applySoftwareParameters(startThreshold: Int) throws(PCMError) {
        try perform(.software) { contents in contents.startThreshold = startThreshold }
    }

    var isServer: Bool { contents.withLock { $0.card.isServer } }

    var card: String? { contents.withLock { $0.isOpen ? $0.id : nil } }

    func hasCard(_ id: String) -> Bool { contents.withLock { $0.isThere && $0.id == id } }

    /// The card is pulled out; what is open on it says so.
    func unplug() {
        contents.withLock {
            $0.isThere = false
            if $0.isOpen { $0.state = .disconnected }
        }
    }

    func plug() { contents.withLock { $0.isThere = true } }

    var state: PCMState { contents.withLock { $0.state } }

    func prepare() throws(PCMError) {
        try perform(.prepare) { contents in
            contents.state = .prepared
            contents.queued = []
        }
    }

    func start() throws(PCMError) {
        try perform(.start) { contents in contents.state = .running }
    }

    func resume() throws(PCMError) {
        try perform(.resume) { contents in contents.state = .running }
    }

    func drain() throws(PCMError) {
        try perform(.drain) { contents throws(PCMError) in
            switch contents.state {
            case .setup: break
            case .running, .draining, .prepared:
                contents.state = contents.queued.isEmpty ? .setup : .draining
                if contents.state == .draining || contents.card.answersAgainWhenDrained { throw PCMError(EAGAIN) }
            default: throw contents.stateError
            }
        }
    }

    func write(_ frames: RawSpan) throws(PCMError) -> Int {
        let bytes = frames.withUnsafeBytes { [UInt8]($0) }
        return try perform(.write) { contents throws(PCMError) in
            guard contents.state == .prepared || contents.state == .running else { throw contents.stateError }
            let taken = min(contents.room, bytes.count / contents.bytesPerFrame, contents.card.framesPerWrite)
            guard taken > 0 else { throw PCMError(EAGAIN) }
            contents.queued += bytes.prefix(taken * contents.bytesPerFrame)
            if contents.queuedFrames >= contents.startThreshold { contents.state = .running }
            return taken
        }
    }

    func delay() throws(PCMError) -> Int {
        try perform(.delay) { contents in contents.queuedFrames }
    }

    var now: Duration {
        contents.withLock {
            $0.clockReads += 1
            return $0.now
        }
    }

    func sleep(for duration: Duration, unless interruption: Interruption) {
        contents.withLock {
            $0.sleeps += 1
            $0.isWaiting()
        }
        let late = contents.withLock { contents in
            defer { contents.late = .zero }
            return contents.late
        }
        if !interruption.isInForce { passTime(duration + late) }
    }
}

extension ScriptedPCM.Contents {
    var bytesPerFrame: Int { (encoding?.bytesPerSample ?? 1) * (channelCount ?? 1) }
    var queuedFrames: Int { queued.count / bytesPerFrame }
    var room: Int { buffer - queuedFrames }

    /// How long it takes from now until the card plays.
    var standstill: Duration { max(card.standsStillUntil - now, .zero) }

    var stateError: PCMError {
        switch state {
        case .xrun: PCMError(EPIPE)
        case .suspended: PCMError(ESTRPIPE)
        case .disconnected: PCMError(ENODEV)
        default: PCMError(EBADFD)
        }
    }

    func duration(ofFrames frames: Int) -> Duration {
        .nanoseconds((Int64(frames) * 1_000_000_000 + Int64(rate) - 1) / Int64(rate))
    }

    mutating func failIfPlanned(_ call: ScriptedPCM.Call) throws(PCMError) {
        guard var failure = failures[call] else { return }
        if failure.callsBefore > 0 {
            failure.callsBefore -= 1
            failures[call] = failure
            return
        }
        failure.times -= 1
        failures[call] = failure.times > 0 ? failure : nil
        if let state = failure.state { self.state = state }
        throw failure.error
    }

    mutating func passTime(_ duration: Duration) {
        let standing = min(standstill, duration)
        now += duration
        guard state == .running || state == .draining else { return }
        unplayed += duration - standing
        let frames = Int(unplayed * Double(rate) / .seconds(1))
        unplayed -= self.duration(ofFrames: frames)
        let played = min(frames, queuedFrames)
        heard += queued.prefix(played * bytesPerFrame)
        queued.removeFirst(played * bytesPerFrame)
        guard queued.isEmpty else { return }
        // A server goes on with silence.
        if state == .running, card.isServer { return }
        state = state == .running ? .xrun : .setup
    }
}

extension ClosedRange<Int> {
    fileprivate func nearest(to value: Int) -> Int { Swift.min(Swift.max(value, lowerBound), upperBound) }
}
