import SoundboxCore
import SoundboxSystem
import Synchronization

/// The one thread that makes and plays sound: it decodes, joins, mixes and writes.
///
///     let thread = SoundThread(closeWhenIdle: .seconds(60)) { callTimeout in
///         TimedSink(ALSASink(device: "default"), device: "default", callTimeout: callTimeout)
///     }
///     let status = try await thread.open()
///
/// Jobs run one at a time, in the order of their requests, and may block. Without a job the thread sleeps until the
/// sink's ``AudioSink/restDue``, or until the device has been idle for `closeWhenIdle` and is closed.
///
/// A driver may hold the thread in a call that never returns. Then its ``CallTimeout`` expires: the thread and its
/// sinks are left behind, the caller of the job gets an error, and a new thread with new sinks takes the waiting jobs.
/// An urgent thread that is left behind loses its priority.
public final class SoundThread: Sendable {
    private let watch: DeviceWatch
    private let closeWhenIdle: Duration?
    private let isUrgent: Bool
    private let schedulingDidChange: @Sendable (ThreadScheduling) -> Void
    private let scheduling = Mutex<ThreadScheduling?>(nil)
    private let makeSink: @Sendable (CallTimeout) -> any AudioSink
    /// The thread that works now; `nil` only while this object is being made.
    private let worker = Mutex<SoundWorker?>(nil)

    /// - Parameters:
    ///   - watch: counts the calls that the device holds, for the code that stops the box.
    ///   - closeWhenIdle: how long after a job the device is closed, so that an amplifier can sleep; `nil` keeps it
    ///     open.
    ///   - isUrgent: whether the thread runs before others, if the process has the right.
    ///   - schedulingDidChange: called with the thread's scheduling when it starts and when that changes. Must not
    ///     block.
    ///   - makeSink: makes the sink that plays, and another one when a thread is left behind. Must not block.
    public init(
        watch: DeviceWatch = DeviceWatch(), closeWhenIdle: Duration? = nil, isUrgent: Bool = false,
        schedulingDidChange: @escaping @Sendable (ThreadScheduling) -> Void = { _ in },
        makeSink: @escaping @Sendable (CallTimeout) -> any AudioSink
    ) {
        self.watch = watch
        self.closeWhenIdle = closeWhenIdle
        self.isUrgent = isUrgent
        self.schedulingDidChange = schedulingDidChange
        self.makeSink = makeSink
        let first = makeWorker()
        worker.withLock { $0 = first }
        first.start()
    }

    /// Call when the box must stop: a device that holds its thread is given up sooner. Never blocks; any thread.
    package func hurry() { watch.hurry() }

    deinit { worker.withLock { $0?.jobs.finish() } }

    /// Runs `body` on the sound thread, after all earlier jobs. Any task.
    ///
    /// - Throws: what `body` throws, or an error when the device holds it for too long.
    package func run<Value: Sendable>(
        _ body: @escaping @Sendable (SoundDevice) throws(AudioSinkError) -> Value
    ) async throws(AudioSinkError) -> Value {
        try await run(keepsDeviceOpen: true, body)
    }

    /// Runs `body` on the sound thread, after all earlier jobs. Never blocks; any thread.
    /// - Parameter fail: called instead of the rest of `body` when the device holds it for too long. Must not block.
    func post(
        _ body: @escaping @Sendable (SoundDevice) -> Void, fail: @escaping @Sendable (AudioSinkError) -> Void
    ) {
        let job = Job(keepsDeviceOpen: true, perform: body, fail: fail)
        worker.withLock { $0?.jobs.append(job) }
    }

    private func run<Value: Sendable>(
        keepsDeviceOpen: Bool, _ body: @escaping @Sendable (SoundDevice) throws(AudioSinkError) -> Value
    ) async throws(AudioSinkError) -> Value {
        let result = await withCheckedContinuation { continuation in
            let answer = Answer<Value>(to: continuation)
            let job = Job(keepsDeviceOpen: keepsDeviceOpen) { device in
                answer.give(Result { () throws(AudioSinkError) in try body(device) })
            } fail: { error in
                answer.give(.failure(error))
            }
            worker.withLock { $0?.jobs.append(job) }
        }
        return try result.get()
    }

    /// Opens the device and returns its format and counters.
    public func open() async throws(AudioSinkError) -> DeviceStatus {
        try await run { device throws(AudioSinkError) in
            let format = try device.open()
            return DeviceStatus(format: format, bufferFrames: device.bufferFrames, xrunCount: device.xrunCount)
        }
    }

    /// Asks the device whether it is there, as ``AudioSink/checkDevice()`` does, after all earlier jobs. Does not postpone the
    /// closing of an idle device.
    public func checkDevice() async throws(AudioSinkError) {
        try await run(keepsDeviceOpen: false) { device throws(AudioSinkError) in try device.checkDevice() }
    }

    /// Closes the device after all earlier jobs.
    public func close() async {
        // A device whose closing does not return is left behind; nothing more can be done here.
        try? await run { device in device.close() }
    }

    /// Ends what plays, as ``AudioSink/interrupt()`` does. Never blocks; any thread.
    public func interrupt() { worker.withLock { $0?.device.sink }?.interrupt() }

    /// How long the thread has been busy with its own work: decoding and mixing, normally a fraction of a period. Time
    /// in calls of the device does not count: those are bounded by ``CallTimeout``. Any thread.
    public var timeInJob: Duration { worker.withLock { $0?.device.work }?.time ?? .zero }

    private func makeWorker() -> SoundWorker {
        let callTimeout = CallTimeout(watch: watch) { [weak self] error in self?.leaveBehind(error) }
        return SoundWorker(on: makeSink(callTimeout), callTimeout, closeWhenIdle: closeWhenIdle, isUrgent: isUrgent) {
            [weak self] in
            self?.record($0)
        }
    }

    private func record(_ current: ThreadScheduling) {
        let isNew = scheduling.withLock { scheduling in
            defer { scheduling = current }
            return scheduling != current
        }
        if isNew { schedulingDidChange(current) }
    }

    /// Replaces the thread whose ``CallTimeout`` has expired.
    private func leaveBehind(_ error: AudioSinkError) {
        let next = makeWorker()
        let left = worker.withLock { worker in
            for job in worker?.jobs.abandon() ?? [] { next.jobs.append(job) }
            defer { worker = next }
            return worker
        }
        left?.endUrgency()
        next.start()
        left?.failJob(error)
    }
}

/// The sink as jobs of the sound thread see it. Each call is timed, so that time in it counts as the device's.
package struct SoundDevice: Sendable {
    fileprivate let sink: any AudioSink
    fileprivate let work = WorkTime()

    fileprivate init(_ sink: any AudioSink) { self.sink = sink }

    package func open() throws(AudioSinkError) -> PCMFormat {
        work.end()
        defer { work.begin() }
        return try sink.open()
    }

    package func write(_ frames: [UInt8]) throws(AudioSinkError) {
        work.end()
        defer { work.begin() }
        try sink.write(frames)
    }

    package func drain() throws(AudioSinkError) {
        work.end()
        defer { work.begin() }
        try sink.drain()
    }

    package func checkDevice() throws(AudioSinkError) {
        work.end()
        defer { work.begin() }
        try sink.checkDevice()
    }

    package func close() {
        work.end()
        defer { work.begin() }
        sink.close()
    }

    package var bufferFrames: Int { sink.bufferFrames }
    package var xrunCount: Int { sink.xrunCount }
}

/// Since when the thread has been working. Any thread.
private final class WorkTime: Sendable {
    /// In nanoseconds of `Duration.monotonicNow`; 0 while it is idle.
    private let beginning = Atomic<Int64>(0)

    func begin() { beginning.store(Duration.monotonicNow.nanoseconds, ordering: .relaxed) }
    func end() { beginning.store(0, ordering: .relaxed) }

    var time: Duration {
        let began = beginning.load(ordering: .relaxed)
        return began == 0 ? .zero : .monotonicNow - .nanoseconds(began)
    }
}

private struct Job: Sendable {
    /// Whether the job postpones the closing of an idle device.
    let keepsDeviceOpen: Bool
    let perform: @Sendable (SoundDevice) -> Void
    /// Answers for a job whose thread was left behind.
    let fail: @Sendable (AudioSinkError) -> Void
}

/// Gives only the first outcome: a thread that was left behind may give another one later.
private final class Answer<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, AudioSinkError>

    private let continuation: Mutex<CheckedContinuation<Outcome, Never>?>

    init(to continuation: CheckedContinuation<Outcome, Never>) { self.continuation = Mutex(continuation) }

    func give(_ outcome: Outcome) {
        let continuation = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        continuation?.resume(returning: outcome)
    }
}

/// One thread with its sink and its ``CallTimeout``.
private final class SoundWorker: Sendable {
    let jobs = BlockingQueue<Job>()
    let device: SoundDevice
    private let callTimeout: CallTimeout
    private let closeWhenIdle: Duration?
    private let isUrgent: Bool
    private let noteScheduling: @Sendable (ThreadScheduling) -> Void
    /// The kernel's thread id; 0 before it runs.
    private let thread = Atomic<Int32>(0)
    /// The job that is running.
    private let job = Mutex<Job?>(nil)

    init(
        on sink: any AudioSink, _ callTimeout: CallTimeout, closeWhenIdle: Duration?, isUrgent: Bool,
        noteScheduling: @escaping @Sendable (ThreadScheduling) -> Void
    ) {
        device = SoundDevice(sink)
        self.callTimeout = callTimeout
        self.closeWhenIdle = closeWhenIdle
        self.isUrgent = isUrgent
        self.noteScheduling = noteScheduling
    }

    /// The thread ends when the queue is finished, or when it returns from a call and finds its ``CallTimeout``
    /// expired.
    func start() { startThread(named: "sound", isUrgent: isUrgent) { [self] in work() } }

    func failJob(_ error: AudioSinkError) { job.withLock { $0 }?.fail(error) }

    /// A thread that was left behind must not delay others.
    func endUrgency() {
        let thread = thread.load(ordering: .relaxed)
        if isUrgent, thread != 0 { ThreadScheduling.makeOrdinary(thread) }
    }

    private func work() {
        thread.store(ThreadScheduling.currentThread, ordering: .relaxed)
        noteScheduling(.current)
        /// `nil` while the device is closed, or may stay open.
        var closeDue: Duration?
        while !callTimeout.isLost {
            switch jobs.next(until: [closeDue, device.sink.restDue].compactMap(\.self).min()) {
            case .element(let next):
                job.withLock { $0 = next }
                device.work.begin()
                next.perform(device)
                device.work.end()
                job.withLock { $0 = nil }
                if next.keepsDeviceOpen { closeDue = closeWhenIdle.map { .monotonicNow + $0 } }
                // Work without a pause may have exceeded RLIMIT_RTTIME and cost the thread its real-time scheduling.
                if isUrgent, !callTimeout.isLost { noteScheduling(.current) }
            case .timedOut:
                if let due = closeDue, due <= .monotonicNow {
                    device.sink.close()
                    closeDue = nil
                } else {
                    device.sink.rest()
                }
            case .finished:
                return
            }
        }
    }
}
