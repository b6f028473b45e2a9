import SoundboxCore
import SoundboxSystem
import SoundboxYAML
import TestSupport
import Testing

@testable import SoundboxSetup

@Suite("The system of a card image, in a provisioning file")
struct CardSystemTests {
    private static let key =
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFMD0oXrwzVs3trGVFcgIJPTk1lXPYho9RVyU2f5fW91 José me@shop"

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func plan(_ text: String) throws -> ProvisioningPlan {
        try ProvisioningPlan(
            parsing: text, file: "in.yaml", to: folder.file("etc/soundbox.yaml"), cardMarker: folder.file("marker"))
    }

    @Test("Key and zone are written beside the setup, without a setup as well, and once")
    func written() throws {
        try folder.write("", to: "marker")
        let plan = try plan("system: {ssh_key: \"\(Self.key)\", time_zone: Asia/Shanghai}")
        let files = ["authorized_keys", "time_zone"].map { folder.file("etc/\($0)") }
        #expect(plan.changes == files)
        #expect(try plan.write() == files)
        #expect(try SmallFile.read(files[0]) == "\(Self.key)\n")
        #expect(try SmallFile.read(files[1]) == "Asia/Shanghai\n")
        #expect(plan.changes.isEmpty)
        #expect(try plan.write().isEmpty)
        #expect(!SmallFile.exists(folder.file("etc/soundbox.yaml")))
    }

    @Test("On another machine it is refused: its keys and its zone are its administrator's")
    func elsewhere() {
        let error = #expect(throws: YAMLError.self) { try plan("system: {time_zone: Asia/Shanghai}") }
        #expect(error?.description.contains("only a box on the card image takes this") == true)
    }

    @Test(
        "What is no public key or no zone is refused",
        arguments: [
            ("ssh_key: \"-----BEGIN OPENSSH PRIVATE KEY-----\"", "system.ssh_key: expected a public key"),
            ("ssh_key: \"command=\\\"reboot\\\" \(key)\"", "system.ssh_key: expected a public key"),
            ("ssh_key: \"\(key)\\n\(key)\"", "system.ssh_key: expected a public key"),
            ("ssh_key: \"ssh-ed25519 \(String(repeating: "A", count: 68))\"", "system.ssh_key: expected a public key"),
            ("ssh_key: \"\(key.prefix(60))\"", "system.ssh_key: expected a public key"),
            ("ssh_key: \"\(key.replacing("ssh-ed25519", with: "ssh-rsa"))\"", "system.ssh_key: expected a public key"),
            ("time_zone: Asia", "system.time_zone: expected a name"),
            ("time_zone: leapseconds", "system.time_zone: expected a name"),
            ("ssh_key: ssh-ed25519", "system.ssh_key: expected a public key"),
            ("time_zone: Asia/Shangri-La", "system.time_zone: expected a name"),
            ("time_zone: ../../etc/passwd", "system.time_zone: expected a name"),
            ("timezone: Asia/Shanghai", "did you mean \"time_zone\"?"),
        ])
    func refused(member: String, expected: String) throws {
        try folder.write("", to: "marker")
        let error = #expect(throws: YAMLError.self) { try plan("system: {\(member)}") }
        #expect(error?.description.contains(expected) == true, "\(String(describing: error))")
    }

    @Test("A reset takes the key: the last owner's installer must not log in to the next owner's box")
    func reset() throws {
        try folder.write("", to: "marker")
        _ = try plan("system: {ssh_key: \"\(Self.key)\"}").write()
        _ = try Provisioning.reset(folder.file("etc/soundbox.yaml"))
        #expect(!SmallFile.exists(folder.file("etc/authorized_keys")))
    }
}
