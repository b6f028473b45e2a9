import AllocationCount
import SoundboxCore
import SoundboxSystem
import Testing

@testable import SoundboxAudio

/// As of the mixer: whoever allocates waits for whoever holds the one heap.
@Suite("What writing a period allocates")
struct SinkAllocationTests {
    @Test("Nothing, through everything that may stand before a device")
    func writing() async throws {
        let allocations = try await onOwnThread(named: "sound") {
            let device = TimedSink(
                NullSink(clock: SteppingClock()), device: "card", callTimeout: CallTimeout(watch: DeviceWatch()))
            let sink = AmplifiedSink(device, amplifier: Amplifier(lead: .zero, lag: .seconds(1)) { _ in })
            var mixer = Mixer(format: try sink.open())
            var period: [UInt8] = []
            mixer.begin(volume: Volume(80))
            mixer.play([Int16](repeating: 1000, count: 96_000), on: .speech)
            // What is made once is made by the first periods: Swift's metadata, the task that looks after the device.
            for _ in 0..<5 {
                mixer.render(into: &period, volume: Volume(80))
                try sink.write(period)
            }
            let before = soundbox_allocation_count()
            for _ in 0..<50 {
                mixer.render(into: &period, volume: Volume(80))
                try sink.write(period)
            }
            return soundbox_allocation_count() - before
        }
        #expect(allocations == 0)
    }
}
