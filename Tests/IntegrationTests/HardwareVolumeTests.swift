import Foundation
import SoundboxAudio
import SoundboxCore
import SoundboxTesting
import TestSupport
import Testing

@Suite("The volume on a real mixer: that of PulseAudio, through alsa-lib", .timeLimit(.minutes(10)))
struct HardwareVolumeTests {
    private let folder: TemporaryFolder
    private let asound: String
    private let captured: String

    init() throws {
        folder = try TemporaryFolder()
        captured = folder.file("captured.raw")
        let control = "ctl.shop { type pulse, server \"unix:\(folder.file("pulse.sock"))\" }\n"
        asound = try folder.write(PulseAudio.shop(in: folder, capture: captured) + control, to: "asound.conf")
    }

    @Test("The box turns the element and leaves its samples as they are; softer by hand and muted is put right")
    func contract() async throws {
        let server = try await PulseAudio(in: folder)
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(
                folder: folder, broker: broker, device: "shop",
                audio: ["mixer: {card: shop, element: Master}", "gap: 0s"])
            let box = try await trial.startBox(environment: ["ALSA_CONFIG_PATH": asound])
            let contract = DeviceVolumeContract { level in
                let change = try await soundbox("volume", String(level), "--config", trial.configurationFile)
                #expect(change.code == 0)
                _ = try await trial.publishAndWait([notice("V-\(UUID())", "6")])
                return try await server.reading()
            } silence: {
                try await server.silence()
            }
            #expect(try await contract.violations() == [])
            // Full scale at every volume: what was turned is the element.
            let peaks = try WAV.samples(inRawFile: captured).map { abs(Int($0)) }
            #expect((peaks.max() ?? 0) > 8000)
            let status = try await status(trial)
            #expect(status["sound"]?["hardware_volume"] == .bool(true))
            #expect(try await box.stop() == 0)
            #expect(!box.errors.entries.contains { $0.contains("in software") })
        }
        server.stop()
    }

    @Test("An element that is not there is told once, and the volume is made in software")
    func missing() async throws {
        let server = try await PulseAudio(in: folder)
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(
                folder: folder, broker: broker, device: "shop",
                audio: ["mixer: {card: shop, element: Speaker}", "gap: 0s"])
            let box = try await trial.startBox(environment: ["ALSA_CONFIG_PATH": asound])
            for id in ["A", "B"] { _ = try await trial.publishAndWait([notice(id, "6")]) }
            let lines = box.errors.entries.filter { $0.contains("the volume is made in software") }
            #expect(lines.count == 1)
            #expect(lines.first?.contains("the card has") == true && lines.first?.contains("Master") == true)
            #expect(try await status(trial)["sound"]?["hardware_volume"] == .bool(false))
            #expect(try await box.stop() == 0)
        }
        server.stop()
    }

    @Test("The doctor names the device, what was agreed on, and a switch that is off with the command that turns it on")
    func doctor() async throws {
        let server = try await PulseAudio(in: folder)
        try await server.silence()
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(
                folder: folder, broker: broker, device: "shop", audio: ["mixer: {card: shop, element: Master}"])
            func findings() async throws -> [String] {
                let doctor = try ChildProcess(
                    [Products.soundbox, "doctor", "--config", trial.configurationFile],
                    environment: ["ALSA_CONFIG_PATH": asound])
                return try await doctor.output.all()
            }
            let idle = try await findings()
            #expect(idle.contains { $0.contains("\"shop\": ") && $0.contains(" Hz, ") && $0.contains("of buffer") })
            #expect(idle.contains { $0.hasPrefix("look mixer") && $0.contains("\"Master\" of shop is switched off") })
            #expect(idle.contains { $0.contains("amixer -D shop set 'Master',0 unmute") })

            let box = try await trial.startBox(environment: ["ALSA_CONFIG_PATH": asound])
            _ = try await trial.publishAndWait([notice("A", "6")])
            let running = try await findings()
            #expect(running.contains { $0.contains("\"shop\" plays: ") && $0.contains(" Hz, ") })
            #expect(running.contains { $0.contains("underruns") })
            #expect(running.contains { $0.contains("none of 1 switches and volumes") })
            #expect(try await box.stop() == 0)
        }
        server.stop()
    }

    @Test("A server that is started again has its element turned again, from where it was left")
    func restarted() async throws {
        var server = try await PulseAudio(in: folder)
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(
                folder: folder, broker: broker, device: "shop",
                audio: ["mixer: {card: shop, element: Master}", "gap: 0s"])
            let box = try await trial.startBox(environment: ["ALSA_CONFIG_PATH": asound])
            _ = try await trial.publishAndWait([notice("A", "6")])
            let before = try await server.reading()
            try await server.kill()
            server = try await PulseAudio(in: folder)
            try await server.silence()
            _ = try await trial.publishAndWait([notice("B", "6")])
            #expect(try await server.reading() == before)
            #expect(try await box.stop() == 0)
        }
        server.stop()
    }

    private func status(_ trial: Trial) async throws -> JSONValue {
        let result = try await soundbox("status", "--json", "--config", trial.configurationFile)
        return try JSONValue(parsing: Array(result.output.joined().utf8))
    }
}
