import SoundboxCore
import SoundboxSystem
import SoundboxTesting
import Synchronization
import Testing

@testable import SoundboxAudio

@Suite("A device that holds a call", .timeLimit(.minutes(10)), .serialized)
struct TimedSinkTests {
    private static let short = TimedSink.Limits(
        open: .milliseconds(50), timeout: .milliseconds(20), margin: .milliseconds(30), close: .milliseconds(50))

    /// Every sink that was made, in order; the first ones are stuck.
    private final class Devices: Sendable {
        let made = Mutex<[StuckSink]>([])
        private let stuck: [StuckSink.Call]

        init(stuck: [StuckSink.Call]) { self.stuck = stuck }

        func make() -> StuckSink {
            made.withLock { made in
                let sink = StuckSink(in: made.count < stuck.count ? stuck[made.count] : nil)
                made.append(sink)
                return sink
            }
        }

        var all: [StuckSink] { made.withLock { $0 } }
    }

    private func thread(on devices: Devices, watch: DeviceWatch = DeviceWatch(), limits: TimedSink.Limits = short)
        -> SoundThread
    {
        SoundThread(watch: watch) { callTimeout in
            TimedSink(devices.make(), device: "card", callTimeout: callTimeout, limits: limits)
        }
    }

    private func announce(on thread: SoundThread) async throws(AudioSinkError) {
        try await thread.run { device throws(AudioSinkError) in
            let format = try device.open()
            try device.write([UInt8](repeating: 7, count: format.bytesPerPeriod))
            try device.drain()
        }
    }

    @Test("The sink that tells of its calls keeps the contract", arguments: AudioSinkContract.allCases)
    func contract(rule: AudioSinkContract) {
        let callTimeout = CallTimeout(watch: DeviceWatch())
        #expect(rule.problem(with: TimedSink(RecordingSink(), device: "card", callTimeout: callTimeout)) == nil)
    }

    @Test(
        "A call that does not come back is an error of the device; the next announcement goes to a new one, whole",
        arguments: [StuckSink.Call.open, .write, .drain])
    func stuck(call: StuckSink.Call) async throws {
        let devices = Devices(stuck: [call])
        let thread = thread(on: devices)
        let error = await #expect(throws: AudioSinkError.self) { try await announce(on: thread) }
        #expect(error?.description.contains("did not come back in time") == true)
        #expect(error?.description.contains("\"card\"") == true)
        let before = DeviceWatch.stuckCallCount
        #expect(before > 0)
        try await announce(on: thread)
        #expect(devices.all[1].base.announcements.count == 1)

        // When the call comes back after all, the device that it held is closed, and does not play any more.
        devices.all[0].release()
        await devices.all[0].isClosed.wait()
        #expect(!devices.all[0].base.isOpen)
        #expect(devices.all[0].base.announcements.count == (call == .drain ? 1 : 0))
        while DeviceWatch.stuckCallCount >= before { await Task.yield() }
        try await announce(on: thread)
        #expect(devices.all.count == 2)
    }

    @Test("What was asked for while a call is held is done by the thread that comes after, in order")
    func queued() async throws {
        let devices = Devices(stuck: [.write])
        let thread = thread(on: devices)
        let held = Task { try await announce(on: thread) }
        while devices.all.isEmpty { await Task.yield() }
        await devices.all[0].isHeld.wait()
        async let next: Void = announce(on: thread)
        await #expect(throws: AudioSinkError.self) { try await held.value }
        try await next
        #expect(devices.all[1].base.announcements.count == 1)
        devices.all[0].release()
    }

    @Test("A device that hangs each time is not opened for a third time, until one of the calls comes back")
    func bounded() async throws {
        let devices = Devices(stuck: [.open, .write])
        let thread = thread(on: devices)
        for _ in 1...2 { await #expect(throws: AudioSinkError.self) { try await announce(on: thread) } }
        let error = await #expect(throws: AudioSinkError.self) { try await announce(on: thread) }
        #expect(error?.description.contains("still holds 2 calls") == true)
        #expect(devices.all.count == 3 && devices.all[2].base.openingCount == 0)
        devices.all[0].release()
        while (try? await announce(on: thread)) == nil { await Task.yield() }
        #expect(devices.all[2].base.announcements.count == 1)
        devices.all[1].release()
    }

    @Test("A check that does not come back is given up; what comes after is played by a new thread")
    func checkDevice() async throws {
        let devices = Devices(stuck: [.check])
        let thread = thread(on: devices)
        let error = await #expect(throws: AudioSinkError.self) { try await thread.checkDevice() }
        #expect(error?.description.contains("asking whether it is there did not come back in time") == true)
        try await announce(on: thread)
        #expect(devices.all[1].base.announcements.count == 1)
        devices.all[0].release()
    }

    @Test("A thread that is left behind is urgent no more", .enabled(if: ThreadScheduling.canBeRealTime))
    func urgency() async throws {
        let devices = Devices(stuck: [.write])
        let told = Mutex<[ThreadScheduling]>([])
        let thread = SoundThread(isUrgent: true) { scheduling in
            told.withLock { $0.append(scheduling) }
        } makeSink: { callTimeout in
            TimedSink(devices.make(), device: "card", callTimeout: callTimeout, limits: Self.short)
        }
        await #expect(throws: AudioSinkError.self) { try await announce(on: thread) }
        let held = devices.all[0].heldThread.load(ordering: .relaxed)
        #expect(held != 0)
        if case .realTime = ThreadScheduling(of: held) { Issue.record("the thread that is held is still urgent") }
        // The one in its place is, and nobody is told of what is as it was.
        let current = try await thread.run { _ in ThreadScheduling.current }
        #expect(current == .realTime(priority: 10))
        #expect(told.withLock { $0 } == [.realTime(priority: 10)])
        devices.all[0].release()
    }

    @Test("Closing ends as well, whatever the device does")
    func close() async throws {
        let devices = Devices(stuck: [.close])
        let thread = thread(on: devices)
        try await announce(on: thread)
        await thread.close()
        for device in devices.all { device.release() }
    }

    @Test("When the box is being stopped, a call that goes on is given up soon, and so are those that follow")
    func hurried() async throws {
        let devices = Devices(stuck: [.write, .open])
        let watch = DeviceWatch()
        let patient = TimedSink.Limits(
            open: .seconds(86_400), timeout: .seconds(86_400), margin: .zero, close: .seconds(86_400))
        let thread = thread(on: devices, watch: watch, limits: patient)
        let announcement = Task { try await announce(on: thread) }
        while devices.all.isEmpty { await Task.yield() }
        await devices.all[0].isHeld.wait()
        watch.hurry()
        await #expect(throws: AudioSinkError.self) { try await announcement.value }
        await #expect(throws: AudioSinkError.self) { try await announce(on: thread) }
        for device in devices.all { device.release() }
    }

    @Test("A thread that comes back too late leaves the amplifier to its successor")
    func tooLate() async throws {
        let panel = FakePanel()
        let amplifier = Amplifier(lead: .zero, lag: .seconds(86_400)) { isOn throws(PanelError) in
            try panel.setAmplifier(isOn)
        }
        let devices = Devices(stuck: [.drain])
        let thread = SoundThread { callTimeout in
            AmplifiedSink(
                TimedSink(devices.make(), device: "card", callTimeout: callTimeout, limits: Self.short),
                amplifier: amplifier)
        }
        await #expect(throws: AudioSinkError.self) { try await announce(on: thread) }
        // The amplifier does not stay on for a device that is lost.
        #expect(panel.amplifierChanges == [true, false])
        try await announce(on: thread)
        #expect(panel.isAmplifierOn)
        let before = DeviceWatch.stuckCallCount
        devices.all[0].release()
        while DeviceWatch.stuckCallCount >= before { await Task.yield() }
        try await announce(on: thread)
        #expect(panel.amplifierChanges == [true, false, true])
        await thread.close()
    }

    @Test("The time that a device takes is not the thread's own, and what the thread does itself is")
    func timeInJob() async throws {
        let devices = Devices(stuck: [.write])
        let thread = thread(on: devices, limits: TimedSink.Limits(timeout: .seconds(86_400)))
        #expect(thread.timeInJob == .zero)
        async let announcement: Void = announce(on: thread)
        while devices.all.isEmpty { await Task.yield() }
        await devices.all[0].isHeld.wait()
        #expect(thread.timeInJob == .zero)
        devices.all[0].release()
        try await announcement
        let gate = BlockingQueue<Never>()
        let isBusy = OneTimeSignal()
        async let work: Void = thread.run { _ in
            isBusy.signal()
            _ = gate.next()
        }
        await isBusy.wait()
        #expect(thread.timeInJob > .zero)
        gate.finish()
        try await work
    }
}
