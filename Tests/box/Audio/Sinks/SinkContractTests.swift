import SoundboxCore
import SoundboxTesting
import Testing
import VoiceTestSupport

@testable import SoundboxAudio

@Suite("The contract of every sink is kept by")
struct SinkContractTests {
    let folder: SoundFolder

    init() throws { folder = try SoundFolder() }

    @Test("the WAV file", arguments: AudioSinkContract.allCases, [WAVFileSink.Mode.overwrite, .append])
    func wav(rule: AudioSinkContract, mode: WAVFileSink.Mode) {
        #expect(rule.problem(with: WAVFileSink(path: folder.path(of: "out.wav"), mode: mode)) == nil)
    }

    @Test("the sink that plays nothing", arguments: AudioSinkContract.allCases)
    func null(rule: AudioSinkContract) {
        #expect(rule.problem(with: NullSink(clock: SteppingClock())) == nil)
    }

    @Test("every sink before a device that is pulled out", arguments: PluggedSinkContract.allCases)
    func plugged(rule: PluggedSinkContract) {
        let device = RecordingSink()
        let amplifier = Amplifier(lead: .zero, lag: .zero) { _ in }
        let sinks: [any AudioSink] = [
            device, TimedSink(device, device: "card", callTimeout: CallTimeout(watch: DeviceWatch())),
            AmplifiedSink(device, amplifier: amplifier),
        ]
        for sink in sinks {
            let problem = rule.problem(
                with: sink, isOpen: { device.isOpen }, unplug: { device.unplug() }, plug: { device.plug() })
            #expect(problem == nil, "\(type(of: sink))")
        }
    }

    @Test("the recorder of the tests", arguments: AudioSinkContract.allCases)
    func recording(rule: AudioSinkContract) {
        #expect(rule.problem(with: RecordingSink()) == nil)
    }
}
