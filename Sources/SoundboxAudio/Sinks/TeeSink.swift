import SoundboxCore

/// Plays on one sink and has another record what that sink took.
///
/// The recording never holds up or stops the sound: it is written behind it, from a queue. When it fails, or falls
/// ``mostPeriodsBehind`` behind, it ends where it is and the reason is told; the sound goes on.
public actor TeeSink: AudioSink {
    /// 10 s of usual periods: longer than a memory card stalls, and about a megabyte of memory.
    static let mostPeriodsBehind = 500

    private let primary: any AudioSink
    private let makeRecording: @Sendable (PCMFormat) -> any AudioSink
    private let recordingDidFail: @Sendable (AudioSinkError) -> Void
    private var recording: (sink: any AudioSink, format: PCMFormat)?
    private var recorder: Recorder?
    private var hasFailed = false

    /// - Parameters:
    ///   - recording: makes the sink that records, such as a ``WAVFileSink``, in the format it is given. Called once,
    ///     when the primary first opens.
    ///   - recordingDidFail: told at most once why the recording ended.
    public init(
        primary: any AudioSink, recording: @escaping @Sendable (PCMFormat) -> any AudioSink,
        recordingDidFail: @escaping @Sendable (AudioSinkError) -> Void
    ) {
        self.primary = primary
        makeRecording = recording
        self.recordingDidFail = recordingDidFail
    }

    public func open() async throws(AudioSinkError) -> PCMFormat {
        let format = try await primary.open()
        let recording = self.recording ?? (makeRecording(format), format)
        self.recording = recording
        if recording.format != format {
            fail(.unsupportedFormat(device: "recording", reason: "the device has changed to another format"))
        } else if recorder == nil, !hasFailed {
            recorder = Recorder(on: recording.sink, format: format) { [weak self] error in await self?.fail(error) }
        }
        return format
    }

    public func write(_ frames: [UInt8]) async throws(AudioSinkError) {
        try await primary.write(frames)
        if let recorder, !recorder.take(frames) {
            fail(.writeFailed(device: "recording", reason: "the disk is too slow"))
        }
    }

    public func drain() async throws(AudioSinkError) {
        try await primary.drain()
    }

    public var xrunCount: Int { get async { await primary.xrunCount } }

    public func setVolume(_ level: Int) async -> Bool { await primary.setVolume(level) }

    public var bufferFrames: Int { get async { await primary.bufferFrames } }

    /// Returns once the recording, too, is complete.
    public func close() async {
        await primary.close()
        let recorder = recorder
        self.recorder = nil
        await recorder?.finish()
    }

    private func fail(_ error: AudioSinkError) {
        recorder?.stopTaking()
        recorder = nil
        if hasFailed { return }
        hasFailed = true
        recordingDidFail(error)
    }
}

/// Writes what it is given to a sink, in order and in a task of its own.
private struct Recorder {
    private let periods: AsyncStream<[UInt8]>.Continuation
    private let task: Task<Void, Never>

    init(on sink: any AudioSink, format: PCMFormat, didFail: @escaping @Sendable (AudioSinkError) async -> Void) {
        let (stream, periods) = AsyncStream.makeStream(
            of: [UInt8].self, bufferingPolicy: .bufferingOldest(TeeSink.mostPeriodsBehind))
        self.periods = periods
        task = Task {
            do throws(AudioSinkError) {
                guard try await sink.open() == format else {
                    throw .unsupportedFormat(device: "recording", reason: "it differs from the device's")
                }
                for await period in stream { try await sink.write(period) }
                try await sink.drain()
            } catch {
                await didFail(error)
            }
            await sink.close()
        }
    }

    /// Queues frames; `false` when the queue is full and they are lost.
    func take(_ frames: [UInt8]) -> Bool {
        if case .dropped = periods.yield(frames) { false } else { true }
    }

    func stopTaking() {
        periods.finish()
    }

    /// Returns when everything taken is written.
    func finish() async {
        periods.finish()
        await task.value
    }
}
