import Foundation
import SoundboxCore
import TestSupport
import Testing

@Suite("What a shop hears at each volume, and what is said of it", .timeLimit(.minutes(10)))
struct VolumeHeardTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func status(_ trial: Trial) async throws -> JSONValue {
        let result = try await soundbox("status", "--json", "--config", trial.configurationFile)
        return try JSONValue(parsing: Array(result.output.joined().utf8))
    }

    @Test("A receipt says aloud where the sound has a peak of −50 dBFS or more, and only there")
    func receipts() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker)
            let box = try await trial.startBox()
            var written = 0
            var full = 0.0
            for (volume, attenuation) in [(100, 0), (80, 5.6), (20, 28.4), (10, 33.7), (3, 37.9), (1, 39.1)] {
                #expect(try await soundbox("volume", "\(volume)", "--config", trial.configurationFile).code == 0)
                let receipts = try await trial.publishAndWait([notice("v-\(volume)", "123.45")])
                #expect(receipts.last?.audibility == "aloud", "at \(volume)")
                let samples = try WAV(reading: trial.wav).samples
                let peak = Double(samples[written...].map { abs(Int($0)) }.max() ?? 0)
                written = samples.count
                if volume == 100 { full = peak }
                #expect(abs(20 * log10(full / peak) - attenuation) < 0.2, "\(peak) at \(volume)")
                #expect(peak > 103.6, "\(peak) at \(volume)")
                // What shops have been used to.
                if volume == 80 { #expect(abs(20 * log10(peak / (full * 0.512))) < 1) }
            }
            #expect(try await soundbox("volume", "0", "--config", trial.configurationFile).code == 0)
            #expect(try await trial.publishAndWait([notice("v-0", "123.45")]).last?.audibility == "volume_0")
            #expect(try WAV(reading: trial.wav).samples[written...].allSatisfy { $0 == 0 })
            #expect(try await box.stop() == 0)
        }
    }

    @Test("A volume that a shop may not hear is a warning of the status, and amber at the doctor's")
    func warnings() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(
                folder: folder, broker: broker, device: "null",
                announce: ["quiet_hours: {from: \"00:00\", to: \"23:59\", volume: 10}"])
            let box = try await trial.startBox()
            for (volume, warning) in [
                (80, "quiet hours hold the volume at 10 until 23:59"),
                (7, "the volume is 7: payments may not be heard"),
            ] {
                #expect(try await soundbox("volume", "\(volume)", "--config", trial.configurationFile).code == 0)
                #expect(try await status(trial)["warnings"] == .array([.string(warning)]))
                let checkUp = try await soundbox("doctor", "--config", trial.configurationFile)
                #expect(checkUp.output.contains { $0.hasPrefix("look") && $0.contains(warning) }, "\(checkUp)")
            }
            #expect(try await box.stop() == 0)
        }
    }
}
