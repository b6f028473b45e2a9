import Foundation
import TestSupport
import Testing

@Suite("Through alsa-lib and PulseAudio, in real time", .timeLimit(.minutes(10)))
struct PulseAudioTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(
        "A sound server's volume is its user's: muted and at 0 it stays so. The doctor tells what was agreed on with it"
    )
    func serversVolume() async throws {
        let asound = try folder.write(
            PulseAudio.shop(in: folder, capture: folder.file("captured.raw")), to: "asound.conf")
        let server = try await PulseAudio(in: folder)
        try await server.silence()
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker, device: "shop")
            func findings() async throws -> [String] {
                let doctor = try ChildProcess(
                    [Products.soundbox, "doctor", "--config", trial.configurationFile],
                    environment: ["ALSA_CONFIG_PATH": asound])
                return try await doctor.output.all()
            }
            let idle = try await findings()
            #expect(idle.contains { $0.contains("\"shop\": ") && $0.contains(" Hz, ") && $0.contains("of buffer") })

            let box = try await trial.startBox(environment: ["ALSA_CONFIG_PATH": asound])
            _ = try await trial.publishAndWait([notice("A", "6")])
            #expect(try await server.reading() == (0, false))
            let running = try await findings()
            #expect(running.contains { $0.contains("\"shop\" plays: ") && $0.contains(" Hz, ") })
            #expect(running.contains { $0.contains("underruns") })
            #expect(try await box.stop() == 0)
            #expect(!box.errors.entries.contains { $0.contains("sound card") })
        }
        server.stop()
    }

    @Test("A sound server that dies in the middle of an announcement gets it again, whole, when it is back")
    func serverDies() async throws {
        let captured = folder.file("captured.raw")
        let asound = try folder.write(PulseAudio.shop(in: folder, capture: captured), to: "asound.conf")
        var server = try await PulseAudio(in: folder)
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker, device: "shop")
            let box = try await trial.startBox(environment: ["ALSA_CONFIG_PATH": asound])
            let receipts = try trial.collectReceipts(untilAnnounced: 2)
            async let publication: Void = trial.publish([notice("P-1", "123.45"), notice("P-2", "6")])
            // A whole announcement takes seconds more, and so may a test to wake up. Not when the sink runs: it does before
            // the payment is on the disk, and without a server then nothing is begun.
            try await box.reached("announcing", "P-1") { [process = server.process] _ in process.kill9() }
            _ = try await server.process.exitStatus()
            try await publication
            try await box.logged("error no sound")
            #expect(!box.errors.entries.contains { $0.contains(" announced ") })

            server = try await PulseAudio(in: folder)
            try await box.logged("sound is back")
            let announced = try await receipts.all().filter { $0.state == "announced" }
            #expect(announced.map(\.id) == ["P-1", "P-2"])
            // Once per fault, not once per attempt.
            #expect(box.errors.entries.count { $0.contains("error no sound") } <= 2)
            #expect(try await box.stop() == 0)
            server.stop()

            // The second server took both announcements, whole and in order.
            var expected: [Int16] = []
            for amount in ["123.45", "6"] {
                let file = folder.file("expected.wav")
                _ = try await soundbox("say", amount, "--channel", "alipay", "--sounds", Products.sounds, "-o", file)
                expected += try WAV(reading: file).samples
            }
            // The last period of each is filled up with silence.
            #expect(try WAV.samples(inRawFile: captured).filter { $0 != 0 } == expected.filter { $0 != 0 })
        }
    }
}
