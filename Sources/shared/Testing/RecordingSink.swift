import SoundboxCore
import Synchronization

/// A sink that records what is written, takes no time, and fails on request. Any thread.
///
///     let sink = RecordingSink()
///     sink.fail(.write, with: .unavailable(device: "recording", reason: "test"))
///     #expect(sink.misuses == [])
public final class RecordingSink: AudioSink {
    /// The calls that can be made to fail.
    public enum Call: Sendable, Hashable, CaseIterable { case open, write, drain }

    fileprivate struct PlannedFailure {
        var callsBefore: Int
        var remaining: Int
        var error: AudioSinkError
    }

    fileprivate struct State {
        var format: PCMFormat
        var plannedFailures: [Call: PlannedFailure] = [:]
        var announcements: [[UInt8]] = []
        var pending: [UInt8] = []
        var isOpen = false
        var isThere = true
        var isInterrupted = false
        var openingCount = 0
        var misuses: [String] = []
        var beforeNextWrite: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>

    public init(
        format: PCMFormat = PCMFormat(sampleRate: 48_000, channelCount: 1, encoding: .int16, framesPerPeriod: 960)
    ) {
        state = Mutex(State(format: format))
    }

    /// What was drained: one element for each announcement that was played to its last frame.
    public var announcements: [[UInt8]] { state.withLock { $0.announcements } }
    /// What was written since the last drain. Discarded when the sink closes, also by an error.
    public var pending: [UInt8] { state.withLock { $0.pending } }
    public var isOpen: Bool { state.withLock { $0.isOpen } }
    /// Calls of ``open()`` that found the sink closed and opened it.
    public var openingCount: Int { state.withLock { $0.openingCount } }
    /// Calls that violate the port's contract, in order. Must be empty at the end of a test.
    public var misuses: [String] { state.withLock { $0.misuses } }

    /// Makes `call` succeed `callsBefore` times, then throw `error` `times` times.
    ///
    /// Replaces an earlier plan for the same call.
    public func fail(_ call: Call, with error: AudioSinkError, times: Int = 1, callsBefore: Int = 0) {
        state.withLock {
            $0.plannedFailures[call] = PlannedFailure(callsBefore: callsBefore, remaining: times, error: error)
        }
    }

    /// Calls `body` on the writing thread before the next write, for events that happen while the sound plays.
    public func beforeNextWrite(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.beforeNextWrite = body }
    }

    /// Plugs in another device: the next opening returns this format.
    public func replaceDevice(with format: PCMFormat) {
        state.withLock { state in
            state.close()
            state.format = format
        }
    }

    /// Unplugs the device. The next call detects it.
    public func unplug() { state.withLock { $0.isThere = false } }

    /// Plugs the device in again.
    public func plug() { state.withLock { $0.isThere = true } }

    public func checkDevice() throws(AudioSinkError) {
        try state.withLock { state throws(AudioSinkError) in
            guard !state.isThere else { return }
            state.close()
            throw .writeFailed(device: "recording", reason: "it was unplugged")
        }
    }

    public func open() throws(AudioSinkError) -> PCMFormat {
        try state.withLock { state throws(AudioSinkError) in
            state.isInterrupted = false
            guard state.isThere else {
                state.close()
                throw .unavailable(device: "recording", reason: "there is no such device")
            }
            try state.failIfPlanned(.open)
            if !state.isOpen {
                state.isOpen = true
                state.openingCount += 1
            }
            return state.format
        }
    }

    public func write(_ frames: [UInt8]) throws(AudioSinkError) {
        let body = state.withLock { $0.beforeNextWrite.take() }
        body?()
        try state.withLock { state throws(AudioSinkError) in
            try state.failIfPlanned(.write)
            guard state.isOpen else {
                state.misuses.append("write while closed")
                throw .writeFailed(device: "recording", reason: "it is not open")
            }
            if !frames.count.isMultiple(of: state.format.bytesPerFrame) {
                state.misuses.append("write of a part of a frame")
            }
            state.pending += frames
        }
    }

    public func drain() throws(AudioSinkError) {
        try state.withLock { state throws(AudioSinkError) in
            try state.failIfPlanned(.drain)
            guard !state.pending.isEmpty else { return }
            state.announcements.append(state.pending)
            state.pending = []
        }
    }

    public func interrupt() { state.withLock { $0.isInterrupted = true } }

    public func close() { state.withLock { $0.close() } }
}

extension RecordingSink.State {
    fileprivate mutating func close() {
        isOpen = false
        pending = []
    }

    fileprivate mutating func failIfPlanned(_ call: RecordingSink.Call) throws(AudioSinkError) {
        if !isThere {
            close()
            throw .writeFailed(device: "recording", reason: "it was unplugged")
        }
        if isInterrupted {
            close()
            throw .interrupted
        }
        guard var failure = plannedFailures[call] else { return }
        if failure.callsBefore > 0 {
            failure.callsBefore -= 1
            plannedFailures[call] = failure
            return
        }
        failure.remaining -= 1
        plannedFailures[call] = failure.remaining > 0 ? failure : nil
        close()
        throw failure.error
    }
}
