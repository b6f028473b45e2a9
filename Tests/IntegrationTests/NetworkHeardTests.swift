import Foundation
import SoundboxCore
import TestSupport
import Testing

@Suite("What a shop hears of its network", .timeLimit(.minutes(10)))
struct NetworkHeardTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("Ready is said after the start; lost and found once each, when the broker is away and back")
    func lostAndFound() async throws {
        let broker = try await MosquittoBroker.start(in: folder)
        let trial = try Trial(
            folder: folder, broker: broker, announce: ["network_grace: 5s", "prompts: {network: true, ready: true}"])
        let box = try await trial.startBox()
        try await box.hasLogged("announcing", "prompt=greeting")
        try await broker.kill()
        try await box.logged("announcing", "prompt=network_lost")
        let again = try await MosquittoBroker.start(in: folder, port: broker.port)
        try await box.logged("announcing", "prompt=network_restored")
        #expect(try await box.stop() == 0)
        try await again.stop()
        let prompts = box.errors.entries.filter { $0.contains("announcing") && $0.contains("prompt=") }
        #expect(prompts.count == 3, "\(prompts)")
    }

    @Test("A box whose inbox is deleted, or put back from a backup, gives no receipt the name of another")
    func epochs() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker)
            var all: [ReceiptRecord] = []
            for round in 1...3 {
                let box = try await trial.startBox()
                all += try await trial.publishAndWait([notice("e-\(round)", "1")])
                #expect(try await box.stop() == 0)
                let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("state"))
                let files = names.filter { $0.hasPrefix("inbox.sqlite") }
                if round == 1 {
                    for file in files {
                        try FileManager.default.copyItem(
                            atPath: folder.file("state/\(file)"), toPath: folder.file(file))
                    }
                }
                for file in files { try folder.remove("state/\(file)") }
                guard round == 2 else { continue }
                let kept = try folder.names().filter { $0.hasPrefix("inbox.sqlite") }
                for file in kept {
                    try FileManager.default.copyItem(atPath: folder.file(file), toPath: folder.file("state/\(file)"))
                }
            }
            #expect(all.map(\.state) == ["stored", "announced", "stored", "announced", "stored", "announced"])
            #expect(all.allSatisfy { $0.epoch?.count == 16 })
            #expect(Set(all.map { "\($0.epoch ?? "") \($0.sequence)" }).count == 6, "\(all)")
            // The clock is right here, and so a new file goes on above the one before it.
            #expect(all[2].sequence > all[1].sequence)
            #expect(all.map(\.audibility) == [nil, "aloud", nil, "aloud", nil, "aloud"])
        }
    }

    @Test("Notices at QoS 0 are spoken, and a warning that the doctor shows in amber")
    func qos0() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker)
            let box = try await trial.startBox()
            try await ChildProcess.run(
                "mosquitto_pub", "-p", "\(broker.port)", "-q", "0", "-t", "soundbox/v1/M1001/box-01/payments", "-m",
                notice("q-1", "1"))
            try await box.logged("payments may go astray", "QoS 0")
            try await box.logged("announced", "id=q-1")
            #expect(try await trial.faults() == [])
            let checkUp = try await soundbox("doctor", "--config", trial.configurationFile)
            #expect(
                checkUp.output.contains { $0.hasPrefix("look") && $0.contains("notices come with QoS 0") },
                "\(checkUp.output)")
            #expect(try await box.stop() == 0)
        }
    }
}
