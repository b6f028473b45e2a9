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
    func wav(rule: AudioSinkContract, mode: WAVFileSink.Mode) async {
        #expect(await rule.problem(with: WAVFileSink(path: folder.path(of: "out.wav"), mode: mode)) == nil)
    }

    @Test("the sink that plays nothing", arguments: AudioSinkContract.allCases)
    func null(rule: AudioSinkContract) async {
        #expect(await rule.problem(with: NullSink(clock: SteppingClock())) == nil)
    }

    @Test("the tee", arguments: AudioSinkContract.allCases)
    func tee(rule: AudioSinkContract) async {
        let path = folder.path(of: "tee.wav")
        let tee = TeeSink(primary: RecordingSink(), recording: { WAVFileSink(path: path, format: $0) }) { error in
            Issue.record("\(error)")
        }
        #expect(await rule.problem(with: tee) == nil)
    }

    @Test("the tee on a disk that takes nothing", arguments: AudioSinkContract.allCases)
    func teeWithoutDisk(rule: AudioSinkContract) async {
        let path = folder.path(of: "absent/tee.wav")
        let tee = TeeSink(primary: RecordingSink(), recording: { WAVFileSink(path: path, format: $0) }) { _ in }
        #expect(await rule.problem(with: tee) == nil)
    }
}
