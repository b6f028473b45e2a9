import Foundation
import SoundboxCore
import SoundboxSystem
import TestSupport
import Testing

@Suite("A box that gets another merchant", .timeLimit(.minutes(10)))
struct AnotherMerchantTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func history(_ trial: Trial) async throws -> [String] {
        let result = try await soundbox("history", "--json", "--config", trial.configurationFile)
        let json = try JSONValue(parsing: Array(result.output.joined().utf8))
        guard case .array(let entries) = json else { throw TestFailure("no entries in \(result)") }
        return entries.compactMap { $0["id"]?.string }
    }

    private func warnings(_ trial: Trial) async throws -> [String] {
        let result = try await soundbox("status", "--json", "--config", trial.configurationFile)
        let json = try JSONValue(parsing: Array(result.output.joined().utf8))
        return json["warnings"]?.elements?.compactMap(\.string) ?? []
    }

    @Test(
        "The volume of the shop before is not the next one's, not even at its first start, and is there again with it")
    func volume() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker, device: "null")
            let first = try SmallFile.read(trial.configurationFile)
            for (merchant, volume) in [("M1001", 100), ("M2002", 100), ("M1001", 33), ("M2002", 33)] {
                _ = try folder.write(first.replacing("M1001", with: merchant), to: "soundbox.yaml")
                let box = try await trial.startBox()
                let shown = try await soundbox("volume", "--config", trial.configurationFile)
                #expect(shown.output == ["\(volume)"], "\(merchant): \(shown)")
                _ = try await soundbox("volume", "33", "--config", trial.configurationFile)
                #expect(try await box.stop() == 0)
            }
        }
    }

    @Test("What waited for the one before is neither spoken nor shown in the next shop, and is spoken when it is back")
    func reset() async throws {
        try await withMosquitto(in: folder) { broker in
            // Without a sound card payments wait.
            let trial = try Trial(folder: folder, broker: broker, device: "hw:CARD=none")
            let first = try SmallFile.read(trial.configurationFile).replacing("hw:CARD=none", with: "null")
            var box = try await trial.startBox()
            let ids = ["A-1", "A-2", "A-3"]
            _ = try await trial.publishAndWait(ids.map { notice($0, "8.88") }) { $0.count == 3 }
            box.kill9()
            _ = try await box.exitStatus()

            let reset = try await soundbox(
                "setup", "reset", "--yes", "--no-restart", "--config", trial.configurationFile)
            #expect(reset.code == 0, "\(reset)")
            _ = try folder.write(first.replacing("M1001", with: "M2002"), to: "soundbox.yaml")
            box = try await trial.startBox()
            let others = try await trial.publishAndWait([notice("B-1", "1")])
            #expect(others.map(\.id) == ["B-1", "B-1"] && others.map(\.state) == ["stored", "announced"])
            #expect(try await history(trial) == ["B-1"])
            try await box.hasLogged("another merchant", folder.file("state/inbox-of-"))
            let waiting = "payments of another merchant that were never spoken: 3, in \(folder.file("state/inbox-of-"))"
            #expect(try await warnings(trial).contains { $0.hasPrefix(waiting) })
            try await box.hasLogged(waiting)
            #expect(try await box.stop() == 0)
            #expect(!box.errors.entries.contains { line in ids.contains { line.contains($0) } })
            // The next start says it, too.
            box = try await trial.startBox()
            #expect(try await warnings(trial).contains { $0.hasPrefix(waiting) })
            #expect(try await box.stop() == 0)

            _ = try folder.write(first, to: "soundbox.yaml")
            let receipts = try trial.collectReceipts(untilAnnounced: 3)
            box = try await trial.startBox()
            #expect(try await receipts.all().filter { $0.state == "announced" }.map(\.id) == ids)
            #expect(try await Set(history(trial)) == Set(ids))
            // Nothing waits where the other one's is.
            #expect(try await warnings(trial) == [])
            #expect(try await box.stop() == 0)
        }
    }
}
