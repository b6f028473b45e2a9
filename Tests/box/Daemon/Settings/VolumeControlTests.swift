import SoundboxAudio
import SoundboxCore
import SoundboxSpeech
import TestSupport
import Testing
import VoiceTestSupport

@testable import SoundboxBox
@testable import SoundboxVoice

@Suite("Volume and mute", .timeLimit(.minutes(10)))
struct VolumeControlTests {
    private let fixture: CommandFixture

    init() throws { fixture = try CommandFixture() }

    @Test("Mute leaves the volume as it is, is shown, and is not remembered")
    func mute() async throws {
        try await fixture.whileOpen {
            #expect(await fixture.volume.change(.mute) == Loudness(volume: Volume(80), isMuted: true))
            #expect(fixture.player.isMuted && fixture.player.volume == Volume(80))
            #expect(fixture.state.snapshot.isMuted && fixture.state.snapshot.volume == Volume(80))
            fixture.state.update { $0.connection = .disconnected(reason: "no broker", retryIn: .seconds(1)) }
            #expect(Indication(fixture.state.snapshot) == .offline)
            fixture.state.update { $0.connection = .subscribed }
            #expect(Indication(fixture.state.snapshot) == .muted)
            #expect(fixture.kept.entries.last == nil)
            #expect(await fixture.volume.change(.unmute) == Loudness(volume: Volume(80), isMuted: false))
            #expect(!fixture.player.isMuted)
            #expect(Indication(fixture.state.snapshot) == .online)
        }
    }

    @Test(
        "Louder and a volume of one's own end the mute, softer does not",
        arguments: [
            (VolumeChange.up, 90, false), (.to(Volume(10)), 10, false), (.down, 70, true), (.mute, 80, true),
        ])
    func changeWhileMuted(change: VolumeChange, volume: Int, isMuted: Bool) async throws {
        try await fixture.whileOpen {
            _ = await fixture.volume.change(.mute)
            #expect(await fixture.volume.change(change) == Loudness(volume: Volume(volume), isMuted: isMuted))
            #expect(fixture.player.isMuted == isMuted)
        }
    }

    @Test("A burst acts in order, and is written down once it is over")
    func burst() async throws {
        try await fixture.whileOpen {
            fixture.commands.perform(.volume(.to(Volume(0))))
            for _ in 1...100_000 { fixture.commands.perform(.volume(.up)) }
            for _ in 1...3 { fixture.commands.perform(.volume(.down)) }
            #expect(fixture.volume.loudness == Loudness(volume: Volume(70), isMuted: false))
            #expect(fixture.state.snapshot.volume == Volume(70))
            fixture.commands.perform(.volume(.mute))
            #expect(fixture.volume.loudness.isMuted)
            #expect(fixture.player.isMuted && fixture.state.snapshot.isMuted)
        }
        // Shutdown writes down what was not yet.
        #expect(fixture.kept.entries.last == Volume(70))
    }

    @Test("Of changes from several threads at once none is lost")
    func severalThreads() async throws {
        for _ in 1...200 {
            fixture.commands.perform(.volume(.to(Volume(0))))
            await withDiscardingTaskGroup { group in
                for _ in 1...9 { group.addTask { fixture.commands.perform(.volume(.up)) } }
                group.addTask { fixture.commands.perform(.volume(.unmute)) }
            }
            #expect(fixture.volume.loudness == Loudness(volume: Volume(90), isMuted: false))
            #expect(fixture.state.snapshot.volume == Volume(90))
        }
    }

    @Test("A key that reaches the end says so, and says it again when it is pressed there; others say nothing")
    func prompts() async throws {
        var said: [Prompt] = []
        try await fixture.whileOpen {
            let changes: [VolumeChange] = [
                .up, .up, .up, .to(Volume(20)), .down, .down, .down, .to(Volume(0)), .up,
            ]
            for change in changes {
                _ = await fixture.volume.change(change)
                if let prompt = fixture.requests.with({ $0.prompts.popFirst() }) { said.append(prompt) }
            }
        }
        let expected: [Prompt] = [.volumeMaximum, .volumeMaximum, .volumeMinimum, .volumeMinimum]
        #expect(said == expected)
        #expect(fixture.kept.entries.last == Volume(10))
    }
}
