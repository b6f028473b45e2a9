import SoundboxCore
import SoundboxSystem
import Synchronization

/// Records what is played on a sink of its own, such as a ``WAVFileSink``, behind the sound: frames wait in a queue, and
/// a thread of its own writes them.
///
/// When that sink fails, or falls ``mostWritesBehind`` behind, the recording ends where it is and the reason is told.
/// Any thread; only ``close()`` blocks.
public final class Recorder: Sendable {
    /// 10 s of usual periods: longer than a memory card stalls, and about a megabyte of memory.
    static let mostWritesBehind = 500
    /// How long ``close()`` waits for the disk: the next announcement may wait behind it.
    static let patience = Duration.seconds(1)

    private enum Step: Sendable {
        case begin(any AudioSink, PCMFormat)
        case write([UInt8])
        /// Closes the file and answers.
        case close(BlockingQueue<Never>)
    }

    private struct State {
        var recording: (sink: any AudioSink, format: PCMFormat)?
        var isTaking = false
        var hasFailed = false
    }

    private let makeSink: @Sendable (PCMFormat) -> any AudioSink
    private let fault: Fault
    private let steps = BlockingQueue<Step>()

    /// What the thread shares: it must not keep the recorder alive, which ends it.
    private final class Fault: Sendable {
        let state = Mutex(State())
        /// Frames that wait, in writes.
        let behind = Atomic(0)
        private let didFail: @Sendable (AudioSinkError) -> Void

        init(didFail: @escaping @Sendable (AudioSinkError) -> Void) { self.didFail = didFail }

        func fail(_ error: AudioSinkError) {
            let isNew = state.withLock { state in
                defer { state.hasFailed = true }
                state.isTaking = false
                return !state.hasFailed
            }
            if isNew { didFail(error) }
        }
    }

    /// - Parameters:
    ///   - makeSink: makes the sink that records, in the format it is given. Called once, when the device first opens.
    ///   - didFail: told at most once why the recording ended.
    public init(
        makeSink: @escaping @Sendable (PCMFormat) -> any AudioSink,
        didFail: @escaping @Sendable (AudioSinkError) -> Void
    ) {
        self.makeSink = makeSink
        fault = Fault(didFail: didFail)
        startThread(named: "recorder") { [steps, fault] in Self.work(through: steps, fault) }
    }

    deinit { steps.finish() }

    /// The device has opened, in this format.
    func begin(in format: PCMFormat) {
        let isOther = fault.state.withLock { state in
            guard !state.hasFailed else { return false }
            let recording = state.recording ?? (makeSink(format), format)
            state.recording = recording
            if recording.format == format, !state.isTaking {
                state.isTaking = true
                steps.append(.begin(recording.sink, format))
            }
            return recording.format != format
        }
        if isOther {
            fault.fail(.unsupportedFormat(device: "recording", reason: "the device has changed to another format"))
        }
    }

    func take(_ frames: [UInt8]) {
        guard fault.state.withLock({ $0.isTaking }) else { return }
        guard fault.behind.load(ordering: .relaxed) < Self.mostWritesBehind else {
            return fault.fail(.writeFailed(device: "recording", reason: "the disk is too slow"))
        }
        fault.behind.wrappingAdd(1, ordering: .relaxed)
        steps.append(.write(frames))
    }

    /// Closes the file behind what was taken, and waits for that; for ``patience`` at most.
    func close() {
        let wasBegun = fault.state.withLock { state in
            state.isTaking = false
            return state.recording != nil
        }
        guard wasBegun else { return }
        let answer = BlockingQueue<Never>()
        steps.append(.close(answer))
        _ = answer.next(until: .monotonicNow + Self.patience)
    }

    private static func work(through steps: BlockingQueue<Step>, _ fault: Fault) {
        var sink: (any AudioSink)?
        while let step = steps.next() {
            switch step {
            case .begin(let recording, let format):
                sink = recording
                attempt(&sink, fault) { sink throws(AudioSinkError) in
                    guard try sink.open() == format else {
                        throw .unsupportedFormat(device: "recording", reason: "it differs from the device's")
                    }
                }
            case .write(let frames):
                attempt(&sink, fault) { sink throws(AudioSinkError) in try sink.write(frames) }
                fault.behind.wrappingSubtract(1, ordering: .relaxed)
            case .close(let answer):
                attempt(&sink, fault) { sink throws(AudioSinkError) in try sink.drain() }
                sink?.close()
                sink = nil
                answer.finish()
            }
        }
        sink?.close()
    }

    private static func attempt(
        _ sink: inout (any AudioSink)?, _ fault: Fault, _ body: (any AudioSink) throws(AudioSinkError) -> Void
    ) {
        guard let current = sink else { return }
        do throws(AudioSinkError) { try body(current) } catch {
            current.close()
            sink = nil
            fault.fail(error)
        }
    }
}
