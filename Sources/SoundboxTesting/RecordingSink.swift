import SoundboxCore

/// A sink that keeps what is written to it, takes no time, and fails when it is told to.
public actor RecordingSink: AudioSink {
    /// The calls that can be made to fail.
    public enum Call: Sendable, Hashable, CaseIterable { case open, write, drain }

    private struct PlannedFailure {
        var callsBefore: Int
        var remaining: Int
        var error: AudioSinkError
    }

    private var format: PCMFormat
    private var plannedFailures: [Call: PlannedFailure] = [:]

    /// What was drained: one element for each announcement that was heard to its last frame.
    public private(set) var announcements: [[UInt8]] = []
    /// What was written since the last drain. Discarded when the sink is closed, by an error too.
    public private(set) var pending: [UInt8] = []
    public private(set) var isOpen = false
    /// Calls of ``open()`` that found the sink closed and opened it.
    public private(set) var openingCount = 0
    /// What the caller did that the port does not allow, in order. Empty at the end of a good test.
    public private(set) var misuses: [String] = []

    public init(
        format: PCMFormat = PCMFormat(sampleRate: 48_000, channelCount: 1, encoding: .int16, framesPerPeriod: 960)
    ) {
        self.format = format
    }

    /// Makes `call` throw `error`, `times` times, after it went well `callsBefore` times more.
    ///
    /// Replaces what was planned for the same call.
    public func fail(_ call: Call, with error: AudioSinkError, times: Int = 1, callsBefore: Int = 0) {
        plannedFailures[call] = PlannedFailure(callsBefore: callsBefore, remaining: times, error: error)
    }

    /// Another device is plugged in: the next opening returns this format.
    public func replaceDevice(with format: PCMFormat) {
        close()
        self.format = format
    }

    public func open() throws(AudioSinkError) -> PCMFormat {
        try failIfPlanned(.open)
        if !isOpen {
            isOpen = true
            openingCount += 1
        }
        return format
    }

    public func write(_ frames: [UInt8]) throws(AudioSinkError) {
        try failIfPlanned(.write)
        guard isOpen else {
            misuses.append("write while closed")
            throw .writeFailed(device: "recording", reason: "it is not open")
        }
        if frames.count > format.bytesPerPeriod { misuses.append("write of more than a period") }
        if !frames.count.isMultiple(of: format.bytesPerFrame) { misuses.append("write of a part of a frame") }
        pending += frames
    }

    public func drain() throws(AudioSinkError) {
        try failIfPlanned(.drain)
        guard !pending.isEmpty else { return }
        announcements.append(pending)
        pending = []
    }

    public func close() {
        isOpen = false
        pending = []
    }

    private func failIfPlanned(_ call: Call) throws(AudioSinkError) {
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
