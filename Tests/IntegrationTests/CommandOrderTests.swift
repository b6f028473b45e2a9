import SoundboxCore
import TestSupport
import Testing

@Suite("Commands through a real broker", .timeLimit(.minutes(10)))
struct CommandOrderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("Of several words that come together the last is in force")
    func lastWord() async throws {
        let words = [("20", "20"), ("80", "80"), (#""mute""#, "80 (muted)"), (#""unmute""#, "80")]
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker)
            let box = try await trial.startBox()
            for round in 0..<12 {
                let last = round % words.count
                let volumes = words[...last].map { #"{"type":"volume","volume":\#($0.0)}"# }
                // What is logged of the last one tells that the box has them all.
                let commands = volumes + [#"{"type":"cancel","payment_id":"round-\#(round)"}"#]
                let publisher = try ChildProcess(
                    [
                        "mosquitto_pub", "-p", "\(broker.port)", "-q", "1", "-t", "soundbox/v1/M1001/box-01/commands",
                        "-l",
                    ], input: commands.joined(separator: "\n"))
                #expect(try await publisher.exitStatus() == 0)
                try await box.logged("command refused", "round-\(round)")
                let volume = try await soundbox("volume", "--config", trial.configurationFile)
                #expect(volume.output == [words[last].1], "round \(round)")
            }
            #expect(try await box.stop() == 0)
        }
    }

    @Test("publish waits for the receipts of a refund and not of its payment, and cancel names the one that is meant")
    func refund() async throws {
        try await withMosquitto(in: folder) { broker in
            // Takes as long as a card would.
            let trial = try Trial(folder: folder, broker: broker, device: "null")
            var box = try await trial.startBox()
            func states(_ arguments: String...) async throws -> [String] {
                let command = [Products.soundbox] + arguments + ["--config", trial.configurationFile]
                return try await result(of: command).output.map { line in
                    let json = try JSONValue(parsing: Array(line.utf8))
                    return [json["kind"], json["state"] ?? json["result"], json["reason"]].compactMap { $0?.string }
                        .joined(separator: " ")
                }
            }
            #expect(try await states("publish", "9", "--id", "A-1", "--wait") == ["stored", "announced"])
            #expect(
                try await states("cancel", "A-1", "--refund", "--wait")
                    == ["refused payment_id: no such refund is known"])
            // Its receipts come while those of the refund are waited for.
            _ = try await states("publish", "87654321.98", "--id", "A-2")
            #expect(
                try await states("publish", "5", "--id", "A-2", "--refund", "--wait")
                    == ["refund stored", "refund announced"])
            box.kill9()
            _ = try await box.exitStatus()
            box = try await trial.startBox()
            #expect(try await states("publish", "5", "--id", "A-2", "--refund", "--wait") == ["refund duplicate"])
            #expect(
                try await states("cancel", "A-2", "--refund", "--wait")
                    == ["refused payment_id: too late, it is announced"])
            #expect(try await box.stop() == 0)
        }
    }
}
