import Logging
import SoundboxAudio
import SoundboxCore
import SoundboxTesting
import TestSupport
import Testing
import VoiceTestSupport

@testable import SoundboxBox
@testable import SoundboxVoice

@Suite("Volume and mute")
struct VolumeControlTests {
    private let folder: TemporaryFolder
    private let player: Player
    private let state = BoxState(volume: Volume(80))
    private let prompts = Journal<Prompt>()
    private let control: VolumeControl

    init() throws {
        folder = try TemporaryFolder()
        player = Player(
            sink: RecordingSink(), voices: Voices(first: try Voice(directory: "\(shippedSounds)/zh-CN")),
            volume: Volume(80))
        control = VolumeControl(
            player: player, file: VolumeFile(path: folder.file("volume")), state: state,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, say: { [prompts] in prompts.append($0) })
    }

    @Test("Mute leaves the volume as it is, is shown, and is not remembered")
    func mute() async {
        #expect(await control.change(.mute) == Loudness(volume: Volume(80), isMuted: true))
        #expect(player.isMuted && player.volume == Volume(80))
        #expect(state.snapshot.isMuted && state.snapshot.volume == Volume(80))
        state.update { $0.connection = .disconnected(reason: "no broker", retryIn: .seconds(1)) }
        #expect(Indication(state.snapshot) == .offline)
        state.update { $0.connection = .subscribed }
        #expect(Indication(state.snapshot) == .muted)
        #expect(VolumeFile(path: folder.file("volume")).read() == nil)
        #expect(await control.change(.unmute) == Loudness(volume: Volume(80), isMuted: false))
        #expect(!player.isMuted)
        #expect(Indication(state.snapshot) == .online)
    }

    @Test(
        "Louder and a volume of one's own end the mute, softer does not",
        arguments: [
            (Command.VolumeChange.up, 90, false), (.to(Volume(10)), 10, false), (.down, 70, true), (.mute, 80, true),
        ])
    func changeWhileMuted(change: Command.VolumeChange, volume: Int, isMuted: Bool) async {
        _ = await control.change(.mute)
        #expect(await control.change(change) == Loudness(volume: Volume(volume), isMuted: isMuted))
        #expect(player.isMuted == isMuted)
    }

    @Test("A burst of requests acts in order and at once, and is written down once it is over")
    func burst() async throws {
        control.request(.to(Volume(0)))
        for _ in 1...100_000 { control.request(.up) }
        for _ in 1...3 { control.request(.down) }
        #expect(control.loudness == Loudness(volume: Volume(70), isMuted: false))
        #expect(state.snapshot.volume == Volume(70))
        control.request(.mute)
        #expect(player.isMuted && state.snapshot.isMuted)
        let file = VolumeFile(path: folder.file("volume"))
        while file.read() != Volume(70) { try await Task.sleep(for: .milliseconds(10)) }
    }

    @Test("A key that reaches the end says so, and says it again when it is pressed there; others say nothing")
    func prompts() async {
        for change in [Command.VolumeChange.up, .up, .up, .to(Volume(20)), .down, .down, .down, .to(Volume(0)), .up] {
            _ = await control.change(change)
        }
        #expect(prompts.entries == [.volumeMaximum, .volumeMaximum, .volumeMinimum, .volumeMinimum])
        #expect(VolumeFile(path: folder.file("volume")).read() == Volume(10))
    }
}
