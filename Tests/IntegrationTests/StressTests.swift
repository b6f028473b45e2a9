import Foundation
import TestSupport
import Testing

/// In real time, so the number is small unless `SOUNDBOX_STRESS` names another one: `make stress`. Every core is then
/// kept busy besides; in a usual run the other tests do so.
@Suite("Back to back on a busy machine", .timeLimit(.minutes(120)))
struct StressTests {
    private static let stress = ProcessInfo.processInfo.environment["SOUNDBOX_STRESS"].flatMap(Int.init)
    private static let count = stress ?? 6
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("Payments that come all at once are spoken whole, in order, one after the other")
    func backToBack() async throws {
        let cores = Self.stress == nil ? 0 : ProcessInfo.processInfo.activeProcessorCount
        let busy = try (0..<cores).map { _ in
            try ChildProcess(["sh", "-c", "while :; do :; done"])
        }
        defer { for process in busy { process.kill9() } }
        let captured = folder.file("captured.raw")
        let asound = try folder.write(PulseAudio.shop(in: folder, capture: captured), to: "asound.conf")
        let server = try await PulseAudio(in: folder)
        try await withMosquitto(in: folder) { broker in
            // An hour of them: none may count as late on its way.
            let trial = try Trial(
                folder: folder, broker: broker, device: "shop", announce: ["expire_after: 24h"])
            let box = try await trial.startBox(environment: ["ALSA_CONFIG_PATH": asound])
            let ids = (1...Self.count).map { "stress-\($0)" }
            let publisher = try trial.collectReceipts(untilAnnounced: ids.count, within: .seconds(10 * Self.count + 60))
            for batch in stride(from: 0, to: ids.count, by: 100) {
                try await trial.publish((batch..<min(batch + 100, ids.count)).map { notice(ids[$0], amount($0)) })
            }
            #expect(try await publisher.all().filter { $0.state == "announced" }.map(\.id) == ids)
            #expect(try await box.stop() == 0)

            // To the sample what each one is alone: nothing cut, nothing on top of another.
            var alone: [String: [Int16]] = [:]
            var expected: [Int16] = []
            for index in ids.indices {
                let amount = amount(index)
                if alone[amount] == nil {
                    let file = folder.file("alone.wav")
                    _ = try await soundbox(
                        "say", amount, "--channel", "alipay", "--sounds", Products.sounds, "-o", file)
                    alone[amount] = try WAV(reading: file).samples
                }
                expected += alone[amount] ?? []
            }
            #expect(try WAV.samples(inRawFile: captured).filter { $0 != 0 } == expected.filter { $0 != 0 })
        }
        server.stop()
    }

    /// Short ones, since they are spoken in real time; neighbours differ.
    private func amount(_ index: Int) -> String { String(index % 10 + 1) }
}
