import AllocationCount
import SoundboxCore
import Testing

@testable import SoundboxAudio

/// One heap serves every thread of the box, so a mixer that allocates waits for whoever holds it.
@Suite("What the mixer allocates")
struct MixerAllocationTests {
    @Test(
        "Rendering allocates nothing, in any format, with every bus sounding and the volume changing",
        arguments: SampleEncoding.allCases, [1, 2, 8])
    func rendering(encoding: SampleEncoding, channelCount: Int) {
        expectNoAllocation(encoding, channelCount, .full)
    }

    @Test("Rendering for a small loudspeaker allocates nothing")
    func renderingForSmallLoudspeaker() { expectNoAllocation(.int16, 2, .small()) }

    private func expectNoAllocation(_ encoding: SampleEncoding, _ channelCount: Int, _ loudspeaker: Loudspeaker) {
        var mixer = Mixer(
            format: PCMFormat(
                sampleRate: 48_000, channelCount: channelCount, encoding: encoding, framesPerPeriod: 960),
            loudspeaker: loudspeaker)
        var period: [UInt8] = []
        let sound = (0..<48_000).map { Int16(truncatingIfNeeded: $0 &* 7919 % 20_000) }
        mixer.begin(volume: Volume(80))
        for bus in Mixer.Bus.allCases { mixer.play(sound, on: bus, after: bus == .speech ? 9600 : 0) }
        // The first period is made here, and so is what Swift makes once of every type.
        mixer.render(into: &period, volume: Volume(80))

        let before = soundbox_allocation_count()
        for number in 0..<70 {
            mixer.render(into: &period, volume: Volume(number % 10 * 10))
        }
        let allocations = soundbox_allocation_count() - before
        #expect(allocations == 0)
        #expect(mixer.isFinished)
    }

    @Test("The count sees what Swift allocates")
    func counting() {
        let before = soundbox_allocation_count()
        var bytes = [UInt8](repeating: 1, count: 100_000)
        bytes += bytes
        #expect(soundbox_allocation_count() - before >= 2)
        #expect(bytes.count == 200_000)
    }
}
