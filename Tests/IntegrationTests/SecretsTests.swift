import Foundation
import TestSupport
import Testing

@Suite("Secrets stay out of what others see", .timeLimit(.minutes(15)))
struct SecretsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let secrets = [
        "pw-in-url-4711", "misspelt-4712", "top-level-4713", "signing-4714", "in-a-list-4715", "in-a-map-4716",
        "in-a-comment-4717", "as-a-path-4718", "as-a-key-4719", "token-4720",
    ]

    private func writeConfiguration() throws -> String {
        try folder.write(
            """
            merchant_id: M1001
            device_id: box-01
            broker:
              url: "mqtt://box:pw-in-url-4711@127.0.0.1:1"   # in-a-comment-4717
              pasword: misspelt-4712
              password_file: as-a-path-4718
              username: token-4720
            password: top-level-4713
            signing_key: signing-4714
            authenticity: {key_file: [in-a-list-4715]}
            audio: {device: "null", volume: {x: in-a-map-4716}}
            as-a-key-4719: 1

            """, to: "soundbox.yaml")
    }

    @Test("setup show names and masks whatever it does not know to be harmless")
    func show() async throws {
        let result = try await soundbox("setup", "show", "--config", try writeConfiguration())
        #expect(result.code == 0)
        let text = result.output.joined(separator: "\n")
        for secret in Self.secrets { #expect(!text.contains(secret), "\(secret): \(text)") }
        for name in ["pasword", "signing_key", "device_id: box-01", "device: null"] {
            #expect(text.contains(name), "\(name): \(text)")
        }
    }

    @Test("A support bundle has none of them, in no file of it")
    func bundle() async throws {
        let file = try writeConfiguration()
        let archive = folder.file("box.tar")
        let result = try await soundbox("doctor", "--config", file, "--bundle", archive)
        #expect(result.code == 1)
        let bytes = String(decoding: try Data(contentsOf: URL(fileURLWithPath: archive)), as: UTF8.self)
        #expect(bytes.contains("soundbox-support/soundbox.yaml") && bytes.contains("soundbox-support/doctor.txt"))
        let shown = bytes + result.output.joined() + result.errors.joined()
        for secret in Self.secrets { #expect(!shown.contains(secret), "\(secret)") }
    }

    @Test(
        "A box that cannot start repeats nothing of its configuration in its errors",
        arguments: [
            "broker: {url: \"mqtt://box:hunter2hunter2@127.0.0.1\"}", "broker: {url: \"mqtt://box:hunter2hunter2\"}",
            "broker: {url: \"http://box:hunter2hunter2@h\"}", "broker: hunter2hunter2", "hunter2hunter2: x",
            "broker: {url: \"mqtt://127.0.0.1\"}\nauthenticity: hunter2hunter2",
            "broker: {url: \"mqtt://127.0.0.1\"}\nauthenticity: {key_file: hunter2hunter2}",
            "broker: {url: \"mqtt://127.0.0.1\", username: u, password_file: hunter2hunter2}",
            "broker: {url: \"mqtts://127.0.0.1\", cert_file: c, key_file: hunter2hunter2}",
            "broker: {url: \"mqtts://127.0.0.1\", pin_sha256: hunter2hunter2}",
            "broker: {url: \"mqtt://127.0.0.1\", topics: \"hunter2hunter2#\"}",
            "broker: {url: \"mqtt://127.0.0.1\"}\npayments: {format: hunter2hunter2}",
            "broker: {url: \"mqtt://127.0.0.1\"}\naudio: {volume: hunter2hunter2}",
            "broker: {url: \"mqtt://127.0.0.1\"}\nannounce: {currency: hunter2hunter2}",
            "broker: {url: \"mqtt://127.0.0.1\"\nhunter2hunter2",
        ])
    func errors(settings: String) async throws {
        let file = try folder.write(
            """
            merchant_id: M1001
            device_id: box-01
            voice: {directory: "\(Products.sounds)"}
            board_directory: "\(Products.board)"
            state_directory: "\(folder.file("state"))"
            control_socket: "\(folder.file("c.sock"))"
            \(settings)

            """, to: "soundbox.yaml")
        let result = try await soundbox("publish", "1", "--timeout", "1", "--config", file)
        #expect(result.code == 1)
        #expect(!result.errors.joined().contains("hunter2"), "\(result.errors)")
        let doctor = try await soundbox("doctor", "--json", "--config", file)
        #expect(!(doctor.output + doctor.errors).joined().contains("hunter2"), "\(doctor.output)")
    }
}
