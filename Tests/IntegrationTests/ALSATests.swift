import Foundation
import TestSupport
import Testing

@Suite("Through real alsa-lib", .timeLimit(.minutes(10)))
struct ALSATests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("What the box plays on an ALSA device is what it renders, to the last frame")
    func capture() async throws {
        let asound = try folder.write(
            """
            pcm.shop { type file, slave.pcm "fixed", file "\(folder.file("captured.raw"))", format raw }
            pcm.fixed { type null }

            """, to: "asound.conf")
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker, device: "shop")
            let box = try await trial.startBox(environment: ["ALSA_CONFIG_PATH": asound])
            let receipts = try await trial.publishAndWait([notice("A-1", "123.45"), notice("A-2", "6")])
            #expect(receipts.filter { $0.state == "announced" }.count == 2)
            #expect(try await box.stop() == 0)

            var expected: [Int16] = []
            for amount in ["123.45", "6"] {
                let file = folder.file("expected.wav")
                _ = try await soundbox("say", amount, "--channel", "alipay", "--sounds", Products.sounds, "-o", file)
                expected += try WAV(reading: file).samples
            }
            let captured = try WAV.samples(inRawFile: folder.file("captured.raw"))
            // The last period of each announcement is filled up with silence.
            #expect(captured.filter { $0 != 0 } == expected.filter { $0 != 0 })
            #expect(captured.count >= expected.count)
        }
    }

    @Test("Without its sound card the box keeps the payment, says so, and speaks it when the card is there")
    func cardArrivesLater() async throws {
        let asound = folder.file("asound.conf")
        try folder.write("# no card yet\n", to: "asound.conf")
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker, device: "shop")
            let box = try await trial.startBox(environment: ["ALSA_CONFIG_PATH": asound])
            let receipts = try trial.collectReceipts(untilAnnounced: 1)
            try await trial.publish([notice("A-1", "1")])
            try await box.logged("stored", "A-1")
            try await box.hasLogged("error no sound", "shop")
            let status = try await soundbox("status", "--config", trial.configurationFile)
            #expect(status.output.contains { $0.hasPrefix("faults") && $0.contains("shop") })
            try folder.write("pcm.shop { type null }\n", to: "asound.conf")
            #expect(try await receipts.all().contains { $0.id == "A-1" && $0.state == "announced" })
            try await box.logged("sound is back")
            #expect(try await box.stop() == 0)
        }
    }
}
