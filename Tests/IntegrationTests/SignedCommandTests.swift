import Foundation
import SoundboxCore
import SoundboxSystem
import TestSupport
import Testing

@Suite("Commands where messages must be signed", .timeLimit(.minutes(10)))
struct SignedCommandTests {
    private static let key = "0123456789abcdef0123456789abcdef"
    private static let topic = "soundbox/v1/M1001/box-01/commands"
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func replay(_ id: String) -> String {
        let at = ISO8601DateFormatter().string(from: Date())
        func text(_ signature: String) -> String {
            #"{"id":"\#(id)","at":"\#(at)","type":"replay","signature":"\#(signature)"}"#
        }
        let code = Array(Self.key.utf8).withUnsafeBytes {
            SHA256.authenticationCode(of: Array("\(Self.topic)\n\(text(""))".utf8), key: $0)
        }
        return text(code.map { String(format: "%02x", $0) }.joined())
    }

    private func send(_ text: String, by broker: MosquittoBroker) async throws {
        try await ChildProcess.run(
            "mosquitto_pub", "-p", "\(broker.port)", "-q", "1", "-t", Self.topic, "-m", text)
    }

    @Test("A replay acts once, also when the box is killed and the command is played back within its minute")
    func once() async throws {
        let key = try folder.write("\(Self.key)\n", to: "signing.key")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(
                folder: folder, broker: broker, settings: ["authenticity: {key_file: \"\(key)\"}"])
            var box = try await trial.startBox()
            let published = try await soundbox(
                "publish", "1", "--channel", "alipay", "--wait", "--config", trial.configurationFile)
            #expect(published.code == 0 && published.output.last?.contains("announced") == true)

            try await send(#"{"id":"c-0","type":"replay"}"#, by: broker)
            try await box.logged("command refused", "signature:")
            let command = replay("c-1")
            try await send(command, by: broker)
            try await box.logged("announcing", "重复播报 支付宝到账,一元")
            box.kill9()
            _ = try await box.exitStatus()

            box = try await trial.startBox()
            try await send(command, by: broker)
            try await box.logged("command not repeated", "c-1")
            #expect(!box.errors.entries.contains { $0.contains("announcing") })
            #expect(try await box.stop() == 0)
        }
    }
}
