import SoundboxCore
import SoundboxSystem
import Synchronization

/// The one thread that sound is made and played on: it decodes, joins, mixes and writes, and nothing else stands
/// between.
///
/// Jobs run one at a time, in the order in which they were asked for, and may block: the thread is theirs. While there
/// is none, the thread sleeps until the sink's ``AudioSink/restDue``, or until the device has been idle for long enough
/// to be closed.
///
/// A driver may hold the thread in a call that never returns. Its ``CallTimeout`` is lost then. The thread is left
/// behind with the sinks that only it knows, the caller whose job it held gets an error, and another thread with new
/// sinks goes on with the jobs that wait. An urgent thread that is left behind is urgent no more.
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
    ///   - watch: knows of the calls that the device holds, for whoever stops the box.
    ///   - closeWhenIdle: how long after a job the device is closed, so that an amplifier can sleep; `nil` keeps it
    ///     open.
    ///   - isUrgent: whether the thread runs before others, as far as the process may have that.
    ///   - schedulingDidChange: told how the thread is run, when it starts and when that changes. Must not block.
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

    deinit { worker.withLock { $0?.jobs.finish() } }

    /// Runs `body` on the sound thread, behind what was asked for before.
    ///
    /// - Throws: what `body` throws, or that the device holds it for too long.
    package func run<Value: Sendable>(
        _ body: @escaping @Sendable (SoundDevice) throws(AudioSinkError) -> Value
    ) async throws(AudioSinkError) -> Value {
        try await run(keepsDeviceOpen: true, body)
    }

    /// Runs `body` on the sound thread, behind what was asked for before. Never blocks; any thread.
    /// - Parameter fail: told, in the place of whatever `body` still does, that the device holds it for too long. Must
    ///   not block.
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

    /// Opens the device and returns what was agreed on with it.
    public func open() async throws(AudioSinkError) -> DeviceStatus {
        try await run { device throws(AudioSinkError) in
            let format = try device.open()
            return DeviceStatus(format: format, bufferFrames: device.bufferFrames, xrunCount: device.xrunCount)
        }
    }

    /// Asks the device whether it is there, as ``AudioSink/look()`` does, behind what was asked for before. One that is
    /// to be closed when it is idle is closed no later for it.
    public func look() async throws(AudioSinkError) {
        try await run(keepsDeviceOpen: false) { device throws(AudioSinkError) in try device.look() }
    }

    /// Closes the device, behind what was asked for before.
    public func close() async {
        // A device that does not even close is left behind; nothing is left to be done about it here.
        try? await run { device in device.close() }
    }

    /// Ends what plays, as ``AudioSink/interrupt()`` does. Never blocks; any thread.
    public func interrupt() { worker.withLock { $0?.device.sink }?.interrupt() }

    /// How long the thread has been held by what it does itself: decoding and mixing, normally a fraction of a period.
    /// Time in calls of the device does not count: those are bounded by its ``CallTimeout``. Any thread.
    public var timeInJob: Duration { worker.withLock { $0?.device.work }?.time ?? .zero }

    private func makeWorker() -> SoundWorker {
        let callTimeout = CallTimeout(watch: watch) { [weak self] error in self?.leaveBehind(error) }
        return SoundWorker(on: makeSink(callTimeout), callTimeout, closeWhenIdle: closeWhenIdle, isUrgent: isUrgent) {
            [weak self] in
            self?.note($0)
        }
    }

    private func note(_ current: ThreadScheduling) {
        let isNew = scheduling.withLock { scheduling in
            defer { scheduling = current }
            return scheduling != current
        }
        if isNew { schedulingDidChange(current) }
    }

    /// Puts a new thread in the place of the one whose lease was lost.
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

/// The sink, as jobs of the sound thread have it: every call is noted, so that time in it counts as the device's.
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

    package func look() throws(AudioSinkError) {
        work.end()
        defer { work.begin() }
        try sink.look()
    }

    package func close() {
        work.end()
        defer { work.begin() }
        sink.close()
    }

    package var bufferFrames: Int { sink.bufferFrames }
    package var xrunCount: Int { sink.xrunCount }
}

/// Since when a thread has been at work. Any thread.
private final class WorkTime: Sendable {
    /// In nanoseconds of `Duration.monotonicNow`; 0 while it is not.
    private let beginning = Atomic<Int64>(0)

    func begin() { beginning.store(Duration.monotonicNow.nanoseconds, ordering: .relaxed) }
    func end() { beginning.store(0, ordering: .relaxed) }

    var time: Duration {
        let began = beginning.load(ordering: .relaxed)
        return began == 0 ? .zero : .monotonicNow - .nanoseconds(began)
    }
}

private struct Job: Sendable {
    /// Whether an idle device is closed later for it.
    let keepsDeviceOpen: Bool
    let perform: @Sendable (SoundDevice) -> Void
    /// Answers in the place of a job that is not heard of again.
    let fail: @Sendable (AudioSinkError) -> Void
}

/// The first answer counts: a thread that was left behind may have another one later.
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

/// One thread, its sinks and its lease, for as long as no driver holds it for too long.
private final class SoundWorker: Sendable {
    let jobs = BlockingQueue<Job>()
    let device: SoundDevice
    private let callTimeout: CallTimeout
    private let closeWhenIdle: Duration?
    private let isUrgent: Bool
    private let noteScheduling: @Sendable (ThreadScheduling) -> Void
    /// As the kernel counts threads; 0 before it runs.
    private let thread = Atomic<Int32>(0)
    /// The job that is performed.
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

    /// The thread ends with the queue, or when it comes back and finds its lease lost.
    func start() { startThread(named: "sound", isUrgent: isUrgent) { [self] in work() } }

    func failJob(_ error: AudioSinkError) { job.withLock { $0 }?.fail(error) }

    /// Nobody hears what a thread does that is left behind: it must not be in anybody's way.
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
                // Work without a pause may have cost it its real time.
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
