import Foundation
import SoundboxCore
import SoundboxSystem
import TestSupport

/// The issuer of `provisioning/enrolment` with a broker that lets boxes in by its certificates, and a folder for each box.
struct ReferenceIssuer {
    let folder: TemporaryFolder
    let broker: MosquittoBroker
    /// Where boxes are let in by certificate.
    let securePort: Int
    private let home: String
    private let template: String
    private let process: ChildProcess

    private static let script = "\(Products.project)/provisioning/enrolment/issuer.py"

    /// - Parameters:
    ///   - days: a certificate's lifetime.
    static func running(
        in folder: TemporaryFolder, days: Int = 365, _ body: (ReferenceIssuer) async throws -> Void
    ) async throws {
        let home = folder.file("issuer")
        try await command("init", "--folder", home)
        let certificates = try await TestCertificates(in: folder)
        let secure = try LoopbackSocket.freePort()
        try await withMosquitto(
            configuration: [
                "allow_anonymous true", "listener \(secure) 127.0.0.1",
                "cafile \(home)/ca.pem", "certfile \(certificates.server.certificate)",
                "keyfile \(certificates.server.key)", "require_certificate true", "use_identity_as_username true",
            ], in: folder
        ) { broker in
            let template = try folder.write(
                """
                merchant_id: M1001
                device_id: "box-{number}"
                broker: {url: "mqtts://127.0.0.1:\(secure)", ca_file: "\(certificates.authority.certificate)"}
                audio: {device: "file:\(folder.path)/{hardware_id}/sound.wav", volume: 100}
                voice: {locale: zh-CN, directory: "\(Products.sounds)"}
                board_directory: "\(Products.board)"
                state_directory: "\(folder.path)/{hardware_id}/state"
                control_socket: "\(folder.path)/{hardware_id}/control.sock"
                announce: {prompts: {network: false, ready: false}}

                """, to: "template.yaml")
            let process = try ChildProcess([
                "python3", script, "serve", "--folder", home, "--host", "127.0.0.1", "--port", "\(broker.port)",
                "--days", "\(days)",
            ])
            _ = try await broker.log.next { $0.contains("SUBSCRIBE") ? $0 : nil }
            let issuer = ReferenceIssuer(
                folder: folder, broker: broker, securePort: secure, home: home, template: template, process: process)
            do { try await body(issuer) } catch {
                process.terminate()
                _ = try? await process.exitStatus()
                throw error
            }
            process.terminate()
            _ = try await process.exitStatus()
        }
    }

    /// What it has decided so far.
    var decisions: [String] { process.output.entries }

    @discardableResult
    private static func command(_ arguments: String...) async throws -> String {
        let result = try await result(of: ["python3", script] + arguments)
        guard result.code == 0 else { throw TestFailure("\(arguments): \(result)") }
        return result.output.joined(separator: "\n") + "\n"
    }

    func run(_ arguments: String...) async throws {
        let result = try await result(of: ["python3", Self.script] + arguments + ["--folder", home])
        guard result.code == 0 else { throw TestFailure("\(arguments): \(result)") }
    }

    /// A new claim, as a card holds it.
    func claim(_ name: String, boxes: Int = 100) async throws -> String {
        try await Self.command(
            "claim", name, "--folder", home, "--boxes", "\(boxes)", "--days", "1", "--setup", template, "--broker",
            "mqtt://127.0.0.1:\(broker.port)")
    }

    /// The folder of a box; a claim lies in it when there is one.
    func box(_ hardwareID: String, claim: String? = nil) throws -> BlankBox {
        let place = folder.file(hardwareID)
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        if let claim { try folder.write(claim, to: "\(hardwareID)/claim.yaml") }
        return BlankBox(hardwareID: hardwareID, folder: place)
    }

    /// As of a box that its issuer has given a certificate for `key`, from and until these moments.
    func backdated(_ box: BlankBox, from: String, until: String, name: String) async throws {
        let identity = "\(box.folder)/state/identity.pem"
        let authority = try TestAuthority(of: "\(home)/ca.pem", key: "\(home)/ca.key", in: folder)
        let pair = try await authority.issue(name, alternativeName: "DNS:\(name)", validity: (from, until))
        let text = try [pair.certificate, pair.key].map { try String(contentsOfFile: $0, encoding: .utf8) }.joined()
        try text.write(toFile: identity, atomically: true, encoding: .utf8)
    }
}

/// One machine without a setup.
struct BlankBox {
    let hardwareID: String
    let folder: String

    var configuration: String { "\(folder)/soundbox.yaml" }
    var identity: String { "\(folder)/state/identity.pem" }
    var hasClaim: Bool { FileManager.default.fileExists(atPath: "\(folder)/claim.yaml") }
    var names: Set<String> { Set((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []) }

    func enrol() async throws -> CommandResult {
        try await soundbox("setup", "enrol", "--once", "--hardware-id", hardwareID, "--config", configuration)
    }

    func startEnrolling() throws -> ChildProcess {
        try ChildProcess([
            Products.soundbox, "setup", "enrol", "--hardware-id", hardwareID, "--config", configuration,
        ])
    }

    func start() async throws -> ChildProcess {
        let box = try ChildProcess([Products.soundbox, "run", "--config", configuration])
        try await box.logged(" info online")
        return box
    }
}
