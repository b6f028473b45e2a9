import Foundation
import TestSupport

/// The example of `provisioning/broker`, with certificates, access list and a port of its own.
struct HardenedBroker {
    let folder: TemporaryFolder
    let authority: TestAuthority
    let provider: TestCertificates.Pair
    /// By name, as in `M1001.box-01`.
    let boxes: [String: TestCertificates.Pair]
    let configuration: [String]

    init(in folder: TemporaryFolder, boxes names: [(merchant: String, device: String)]) async throws {
        self.folder = folder
        authority = try await TestAuthority(in: folder)
        let server = try await authority.issue("server", alternativeName: "DNS:localhost,IP:127.0.0.1")
        provider = try await authority.issue("provider")
        var boxes: [String: TestCertificates.Pair] = [:]
        for name in names {
            boxes["\(name.merchant).\(name.device)"] = try await authority.issue("\(name.merchant).\(name.device)")
        }
        self.boxes = boxes

        let list = try ChildProcess(
            ["\(Products.project)/provisioning/broker/make-acl.sh", "provider"],
            input: names.map { "\($0.merchant) \($0.device)\n" }.joined())
        let accessList = try folder.write(
            try await list.output.all().joined(separator: "\n") + "\n", to: "soundbox.acl")
        let revoked = try await authority.revocationList()
        let text = try String(
            contentsOfFile: "\(Products.project)/provisioning/broker/mosquitto.conf", encoding: .utf8)
        let places = [
            "/etc/mosquitto/certs/boxes-ca.pem": authority.certificate,
            "/etc/mosquitto/certs/broker-cert.pem": server.certificate,
            "/etc/mosquitto/certs/broker-key.pem": server.key, "/etc/mosquitto/certs/boxes-crl.pem": revoked,
            "/etc/mosquitto/soundbox.acl": accessList, "/var/lib/mosquitto": folder.path,
        ]
        let placed = places.reduce(text) { $0.replacing($1.key, with: $1.value) }
        // The test's broker listens on a port of its own; its listener comes first.
        configuration = placed.split(separator: "\n").map(String.init).filter { $0 != "listener 8883" }
    }

    /// A client of Debian's mosquitto-clients that signs in with this certificate.
    private func client(
        _ program: String, _ pair: TestCertificates.Pair, _ broker: MosquittoBroker, _ arguments: [String]
    ) throws -> ChildProcess {
        try ChildProcess(
            [
                program, "--host", "localhost", "--port", "\(broker.port)", "--cafile", authority.certificate, "--cert",
                pair.certificate, "--key", pair.key, "--qos", "1",
            ] + arguments)
    }

    /// Listens to a topic, and returns once the broker has accepted that.
    func listen(
        _ pair: TestCertificates.Pair, _ broker: MosquittoBroker, _ topic: String, clientID: String? = nil
    ) async throws -> ChildProcess {
        let id = clientID ?? "listener-\(UInt32.random(in: .min ... .max))"
        // Ends with the first message.
        let child = try client("mosquitto_sub", pair, broker, ["--topic", topic, "-C", "1", "--id", id])
        _ = try await broker.log.next { $0.contains("Sending SUBACK to \(id)") ? $0 : nil }
        return child
    }

    /// Publishes, and returns once the broker has acknowledged it; which says nothing about whether it let it through.
    func publish(
        _ pair: TestCertificates.Pair, _ broker: MosquittoBroker, _ topic: String, _ message: String
    ) async throws {
        let child = try client("mosquitto_pub", pair, broker, ["--topic", topic, "--message", message])
        guard try await child.exitStatus() == 0 else {
            throw TestFailure(try await child.errors.all().joined(separator: "; "))
        }
    }
}
