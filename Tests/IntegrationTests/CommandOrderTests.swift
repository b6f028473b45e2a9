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
                try await box.logged("cannot cancel an unknown payment", "round-\(round)")
                let volume = try await soundbox("volume", "--config", trial.configurationFile)
                #expect(volume.output == [words[last].1], "round \(round)")
            }
            #expect(try await box.stop() == 0)
        }
    }
}
