import SoundboxCore
import SoundboxSystem
import SoundboxTesting
import Synchronization
import Testing

@testable import SoundboxAudio

/// A device of which one call never comes back until it is let go.
final class StuckSink: AudioSink {
    enum Call: Sendable, CaseIterable { case open, write, drain, close, setVolume }

    let base = RecordingSink()
    private let stuckIn: Call?
    let release = OneTimeSignal()
    let isClosed = OneTimeSignal()

    init(in call: Call?) { stuckIn = call }

    private func hold(_ call: Call) async { if call == stuckIn { await release.wait() } }

    func open() async throws(AudioSinkError) -> PCMFormat {
        await hold(.open)
        return try await base.open()
    }

    func write(_ frames: [UInt8]) async throws(AudioSinkError) {
        await hold(.write)
        try await base.write(frames)
    }

    func drain() async throws(AudioSinkError) {
        await hold(.drain)
        try await base.drain()
    }

    func close() async {
        await hold(.close)
        await base.close()
        isClosed.signal()
    }

    func setVolume(_ level: Int) async -> Bool {
        await hold(.setVolume)
        return true
    }
}

@Suite("A sink that is timed from outside", .timeLimit(.minutes(10)), .serialized)
struct TimedSinkTests {
    private static let short = TimedSink.Limits(
        open: .milliseconds(50), patience: .milliseconds(20), margin: .milliseconds(30), close: .milliseconds(50))

    /// Every sink that was made, in order; the first ones are stuck.
    private final class Devices: Sendable {
        let made = Mutex<[StuckSink]>([])
        private let stuck: [StuckSink.Call]

        init(stuck: [StuckSink.Call]) { self.stuck = stuck }

        func make() -> any AudioSink {
            made.withLock { made in
                let sink = StuckSink(in: made.count < stuck.count ? stuck[made.count] : nil)
                made.append(sink)
                return sink
            }
        }

        var all: [StuckSink] { made.withLock { $0 } }
    }

    private func sink(on devices: Devices, watch: DeviceWatch = DeviceWatch(), limits: TimedSink.Limits = short)
        -> TimedSink
    {
        TimedSink(device: "card", limits: limits, watch: watch) { devices.make() }
    }

    private func announce(on sink: TimedSink) async throws {
        let format = try await sink.open()
        try await sink.write([UInt8](repeating: 7, count: format.bytesPerPeriod))
        try await sink.drain()
    }

    @Test("It keeps the contract", arguments: AudioSinkContract.allCases)
    func contract(rule: AudioSinkContract) async {
        #expect(await rule.problem(with: TimedSink(device: "card") { RecordingSink() }) == nil)
    }

    @Test(
        "A call that does not come back is an error of the device; the next announcement goes to a new one, whole",
        arguments: [StuckSink.Call.open, .write, .drain])
    func stuck(call: StuckSink.Call) async throws {
        let devices = Devices(stuck: [call])
        let sink = sink(on: devices)
        let error = await #expect(throws: AudioSinkError.self) { try await announce(on: sink) }
        #expect(error?.description.contains("did not come back in time") == true)
        #expect(error?.description.contains("\"card\"") == true)
        let before = DeviceWatch.stuckCallCount
        #expect(before > 0)
        try await announce(on: sink)
        #expect(await devices.all[1].base.announcements.count == 1)

        // When the call comes back after all, the device that it held is closed, and does not play any more.
        devices.all[0].release.signal()
        await devices.all[0].isClosed.wait()
        #expect(await !devices.all[0].base.isOpen)
        while DeviceWatch.stuckCallCount >= before { await Task.yield() }
        try await announce(on: sink)
        #expect(devices.all.count == 2)
    }

    @Test("A device that hangs each time is not opened for a third time, until one of the calls comes back")
    func bounded() async throws {
        let devices = Devices(stuck: [.open, .write])
        let sink = sink(on: devices)
        for _ in 1...2 { await #expect(throws: AudioSinkError.self) { try await announce(on: sink) } }
        let error = await #expect(throws: AudioSinkError.self) { try await announce(on: sink) }
        #expect(error?.description.contains("still holds 2 calls") == true)
        #expect(devices.all.count == 2)
        devices.all[0].release.signal()
        while (try? await announce(on: sink)) == nil { await Task.yield() }
        #expect(await devices.all[2].base.announcements.count == 1)
        devices.all[1].release.signal()
    }

    @Test("Closing and setting the volume end as well, whatever the device does")
    func closeAndVolume() async throws {
        let devices = Devices(stuck: [.close, .setVolume])
        let sink = sink(on: devices)
        try await announce(on: sink)
        await sink.close()
        _ = try await sink.open()
        #expect(await !sink.setVolume(50))
        // What is known of a device must not be asked of one that hangs.
        #expect(await sink.bufferFrames == 0)
        for device in devices.all { device.release.signal() }
    }

    @Test("When the box is being stopped, a call that goes on is given up soon, and so are those that follow")
    func hurried() async throws {
        let devices = Devices(stuck: [.write, .open])
        let watch = DeviceWatch()
        let patient = TimedSink.Limits(
            open: .seconds(86_400), patience: .seconds(86_400), margin: .zero, close: .seconds(86_400))
        let sink = sink(on: devices, watch: watch, limits: patient)
        let announcement = Task { try await announce(on: sink) }
        while await devices.all.first?.base.isOpen != true { await Task.yield() }
        watch.hurry()
        await #expect(throws: AudioSinkError.self) { try await announcement.value }
        await #expect(throws: AudioSinkError.self) { try await announce(on: sink) }
        for device in devices.all { device.release.signal() }
    }
}
