import Foundation
import SoundboxAudio
import SoundboxCore
import SoundboxHardware
import SoundboxSpeech
import SoundboxVoice
import TestSupport
import Testing

@Suite("A box that is not set up says so, and blinks, until it is", .timeLimit(.minutes(10)))
struct UnprovisionedTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var target: String { folder.file("soundbox.yaml") }

    private func configuration(_ broker: MosquittoBroker) -> String {
        """
        merchant_id: M1001
        device_id: box-01
        broker: {url: "mqtt://127.0.0.1:\(broker.port)"}
        audio: {device: "null"}
        voice: {directory: "\(Products.sounds)"}
        board_directory: "\(Products.board)"
        state_directory: "\(folder.file("state"))"
        control_socket: "\(folder.file("control.sock"))"

        """
    }

    @Test("The default sound card gets the sentence, whole; the setup that comes then is taken at once")
    func spoken() async throws {
        let captured = folder.file("captured.raw")
        let asound = try folder.write(
            """
            pcm.default { type file, slave.pcm "fixed", file "\(captured)", format raw }
            pcm.fixed { type null }

            """, to: "asound.conf")
        try await withMosquitto(in: folder) { broker in
            let box = try ChildProcess(
                [Products.soundbox, "run", "--wait-for-setup", "--config", target],
                environment: ["ALSA_CONFIG_PATH": asound])
            try await box.logged("warning not set up", target)
            try await box.logged("said that the box is not set up", "zh-CN")
            let speaker = Speaker(
                device: "file:\(folder.file("expected.wav"))",
                voice: try VoiceFolder(path: Products.sounds).voice("zh-CN"))
            try await speaker.speak(.prompt(.notProvisioned))
            await speaker.close()
            let expected = try WAV(reading: folder.file("expected.wav")).samples.filter { $0 != 0 }
            let heard = try WAV.samples(inRawFile: captured)
            #expect(expected.count > 10_000)
            // The last period is filled up with silence.
            #expect(heard.filter { $0 != 0 } == expected)

            try folder.write(configuration(broker), to: "soundbox.yaml")
            try await box.logged(" info online")
            #expect(try await box.stop() == 0)
        }
    }

    @Test("SIGTERM ends the waiting, with success")
    func stopped() async throws {
        let box = try ChildProcess(
            [Products.soundbox, "run", "--wait-for-setup", "--config", target],
            environment: ["ALSA_CONFIG_PATH": try folder.write("pcm.default { type null }\n", to: "asound.conf")])
        try await box.logged("said that the box is not set up")
        #expect(try await box.stop() == 0)
    }

    @Test("The light flashes twice and rests, and goes out when the box begins its work")
    func light() async throws {
        try await withMosquitto(in: folder) { broker in
            let box = try TerminalSession(
                [Products.soundbox, "run", "--wait-for-setup", "--panel", "terminal", "--config", target],
                environment: ["ALSA_CONFIG_PATH": try folder.write("pcm.default { type null }\n", to: "asound.conf")])
            for _ in 1...2 {
                for flash in ["[LED *]", "[LED  ]", "[LED *]", "[LED  ]"] { try await box.shown(flash) }
            }
            try folder.write(configuration(broker), to: "soundbox.yaml")
            try await box.shown(" info online")
            box.type("\u{3}")
            #expect(try await box.exitStatus() == 0)
            #expect(box.echoes)
        }
    }
}
