import SoundboxCore
import SoundboxSystem
import SoundboxTesting
import Synchronization
import Testing
import VoiceTestSupport

@testable import SoundboxAudio
@testable import SoundboxVoice

/// A device whose format and health the test decides.
private final class FakeSink: AudioSink {
    struct State {
        var format = PCMFormat.mono48kHz
        var error: AudioSinkError?
        var taken: [[UInt8]] = []
        var drains = 0
        var closes = 0
    }

    let state = Mutex(State())
    /// Writes block until this queue is finished; `nil` lets them pass.
    let gate: BlockingQueue<Never>?

    init(gate: BlockingQueue<Never>? = nil) { self.gate = gate }

    func fail(with error: AudioSinkError?) { state.withLock { $0.error = error } }

    private func check() throws(AudioSinkError) {
        if let error = state.withLock({ $0.error }) { throw error }
    }

    func open() throws(AudioSinkError) -> PCMFormat {
        try check()
        return state.withLock { $0.format }
    }

    func write(_ frames: [UInt8]) throws(AudioSinkError) {
        _ = gate?.next()
        try check()
        state.withLock { $0.taken.append(frames) }
    }

    func drain() throws(AudioSinkError) {
        try check()
        state.withLock { $0.drains += 1 }
    }

    func interrupt() {}
    func close() { state.withLock { $0.closes += 1 } }
}

@Suite("Recording what is played")
struct TeeSinkTests {
    private let device = FakeSink()
    private let recording = FakeSink()
    private let failures: AsyncStream<AudioSinkError>
    private let failure: AsyncStream<AudioSinkError>.Continuation

    private let broken = AudioSinkError.writeFailed(device: "disk", reason: "No space left on device")

    init() {
        (failures, failure) = AsyncStream.makeStream()
    }

    private func tee(_ recording: any AudioSink) -> TeeSink {
        tee { _ in recording }
    }

    private func tee(_ makeSink: @escaping @Sendable (PCMFormat) -> any AudioSink) -> TeeSink {
        TeeSink(primary: device, recorder: Recorder(makeSink: makeSink) { [failure] in failure.yield($0) })
    }

    private func allFailures() async -> [AudioSinkError] {
        failure.finish()
        return await failures.reduce(into: []) { $0.append($1) }
    }

    @Test("Both get every period, in order")
    func both() async throws {
        let tee = tee(recording)
        #expect(try tee.open() == .mono48kHz)
        let periods = (0..<200).map { [UInt8]([$0, $0]) }
        for period in periods { try tee.write(period) }
        try tee.drain()
        tee.close()
        #expect(device.state.withLock { $0.taken } == periods)
        #expect(recording.state.withLock { $0.taken } == periods)
        #expect(device.state.withLock { [$0.drains, $0.closes] } == [1, 1])
        #expect(recording.state.withLock { $0.closes } == 1)
        #expect(await allFailures() == [])
    }

    @Test("The recording is made once, in the device's format, and goes on after the tee was closed")
    func reopened() async throws {
        let format = PCMFormat(sampleRate: 44_100, channelCount: 2, encoding: .int32, framesPerPeriod: 512)
        device.state.withLock { $0.format = format }
        let folder = try SoundFolder()
        let path = folder.path(of: "tee.wav")
        let tee = tee { WAVFileSink(path: path, format: $0) }
        for _ in 1...2 {
            #expect(try tee.open() == format)
            try tee.write([UInt8](repeating: 0, count: format.bytesPerPeriod))
            tee.close()
        }
        let file = try AudioFile(reading: path)
        #expect(file.recording.samples.count == 1024 && file.channelCount == 2)
        #expect(await allFailures() == [])
    }

    @Test("What the device did not take is not recorded, and its error is the caller's")
    func deviceFails() async throws {
        let tee = tee(recording)
        _ = try tee.open()
        try tee.write([1])
        device.fail(with: broken)
        #expect(throws: broken) { try tee.write([2]) }
        #expect(throws: broken) { try tee.drain() }
        #expect(throws: broken) { try tee.open() }
        device.fail(with: nil)
        _ = try tee.open()
        try tee.write([3])
        tee.close()
        #expect(recording.state.withLock { $0.taken } == [[1], [3]])
        #expect(await allFailures() == [])
    }

    @Test("A recording that fails is told once and never again; the sound goes on")
    func recordingFails() async throws {
        recording.fail(with: broken)
        let tee = tee(recording)
        for _ in 1...3 {
            _ = try tee.open()
            for _ in 0..<10 { try tee.write([1]) }
            try tee.drain()
            tee.close()
        }
        #expect(device.state.withLock { $0.taken.count } == 30)
        #expect(await allFailures() == [broken])
    }

    @Test("A disk that hangs does not hold up the sound; the recording ends when it is too far behind")
    func recordingHangs() async throws {
        let gate = BlockingQueue<Never>()
        let hanging = FakeSink(gate: gate)
        let tee = tee(hanging)
        _ = try tee.open()
        // One more may be in the writer's hands, taken from the queue.
        for _ in 0..<Recorder.mostWritesBehind + 2 { try tee.write([1]) }
        try tee.drain()
        #expect(device.state.withLock { $0.taken.count } == Recorder.mostWritesBehind + 2)
        gate.finish()
        tee.close()
        #expect(
            await allFailures() == [AudioSinkError.writeFailed(device: "recording", reason: "the disk is too slow")])
    }

    @Test("Another device with another format ends the recording, not the sound")
    func otherFormat() async throws {
        let tee = tee(recording)
        _ = try tee.open()
        try tee.write([1])
        let other = PCMFormat(sampleRate: 8000, channelCount: 1, encoding: .int16, framesPerPeriod: 160)
        device.state.withLock { $0.format = other }
        for period: UInt8 in 2...3 {
            #expect(try tee.open() == other)
            try tee.write([period])
        }
        tee.close()
        #expect(device.state.withLock { $0.taken } == [[1], [2], [3]])
        #expect(await allFailures().count == 1)
    }

    @Test("An interrupt ends the sound and not the recording of what was played")
    func interrupted() async throws {
        let device = RecordingSink()
        let recorder = Recorder(makeSink: { [recording] _ in recording }) { [failure] in failure.yield($0) }
        let tee = TeeSink(primary: device, recorder: recorder)
        _ = try tee.open()
        try tee.write([1, 0])
        tee.interrupt()
        #expect(throws: AudioSinkError.interrupted) { try tee.write([2, 0]) }
        _ = try tee.open()
        try tee.write([3, 0])
        try tee.drain()
        tee.close()
        #expect(device.announcements == [[3, 0]])
        #expect(recording.state.withLock { $0.taken } == [[1, 0], [3, 0]])
        #expect(await allFailures() == [])
    }

    @Test("A second tee, on the thread that comes after one that was left behind, goes on in the same recording")
    func secondTee() async throws {
        let recorder = Recorder(makeSink: { [recording] _ in recording }) { [failure] in failure.yield($0) }
        let first = TeeSink(primary: device, recorder: recorder)
        _ = try first.open()
        try first.write([1])
        let second = TeeSink(primary: device, recorder: recorder)
        _ = try second.open()
        try second.write([2])
        second.close()
        #expect(recording.state.withLock { $0.taken } == [[1], [2]])
        #expect(await allFailures() == [])
    }
}
