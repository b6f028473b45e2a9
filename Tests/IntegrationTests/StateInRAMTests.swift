import Foundation
import Glibc
import SoundboxCore
import SoundboxSystem
import TestSupport
import Testing

/// Mounts of a test's own, which no other process sees, on a folder that every Debian has and nothing uses.
private enum OwnMounts {
    static let point = "/srv"
    static let memory = "mount -t tmpfs tmpfs /srv"
    static let overlay = """
        \(memory) && mkdir /srv/lower /srv/upper /srv/work /srv/root && mount -t overlay overlay \
        -o lowerdir=/srv/lower,upperdir=/srv/upper,workdir=/srv/work /srv/root && mount --bind /srv/root /srv
        """

    /// The command after the mounts.
    static func command(_ mounts: String, _ arguments: [String]) -> [String] {
        ["unshare", "--mount", "--propagation", "private", "sh", "-c", "\(mounts) && exec \"$@\"", "sh"] + arguments
    }

    static func arePossible() async -> Bool {
        guard geteuid() == 0, let child = try? ChildProcess(command(overlay, ["true"])) else { return false }
        return (try? await child.exitStatus()) == 0 && PowerLoss(in: "/tmp") == .kept
    }
}

@Suite(
    "A box whose state is in RAM says so", .timeLimit(.minutes(10)),
    .enabled("needs root, a mount name space of its own, overlayfs, and /tmp on a disk") {
        await OwnMounts.arePossible()
    })
struct StateInRAMTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func writeConfiguration(port: Int) throws -> String {
        try folder.write(
            """
            merchant_id: M1001
            device_id: box-01
            broker: {url: "mqtt://127.0.0.1:\(port)"}
            audio: {device: "null"}
            voice: {locale: zh-CN, directory: "\(Products.sounds)"}
            board: none
            board_directory: "\(Products.board)"
            state_directory: /srv/state
            control_socket: "\(folder.file("control.sock"))"

            """, to: "soundbox.yaml")
    }

    @Test("The doctor is red about it, and only about RAM", arguments: [OwnMounts.memory, OwnMounts.overlay, nil])
    func doctor(mounts: String?) async throws {
        // Nobody listens there.
        let configuration = try writeConfiguration(port: 1)
        let child = try ChildProcess(
            OwnMounts.command(
                mounts ?? "mount --bind \(folder.path) /srv",
                [Products.soundbox, "doctor", "--json", "--config", configuration]))
        let report = try JSONValue(parsing: Array(try await child.output.all().joined().utf8))
        guard case .array(let findings)? = report["findings"] else { throw TestFailure("no findings in \(report)") }
        let storage = try #require(findings.first { $0["area"]?.string == "storage" })
        #expect(storage["level"]?.string == (mounts == nil ? "green" : "red"), "\(storage)")
    }

    @Test("The running box says it once in its log and as long as it runs in its status, and goes on")
    func running() async throws {
        try await withMosquitto(in: folder) { broker in
            let configuration = try writeConfiguration(port: broker.port)
            let box = try ChildProcess(
                OwnMounts.command(OwnMounts.overlay, [Products.soundbox, "run", "--config", configuration]))
            let line = try await box.logged("error", "payments do not survive a power cut")
            #expect(line.contains("/srv/state"))
            try await box.logged("info online")
            while !FileManager.default.fileExists(atPath: folder.file("control.sock")) {
                try await Task.sleep(for: .milliseconds(10))
            }
            let status = try await soundbox("status", "--json", "--config", configuration)
            #expect(status.output.joined().contains("payments do not survive a power cut: /srv/state: "))
            box.terminate()
            #expect(try await box.exitStatus() == 0)
            #expect(box.errors.entries.count { $0.contains("do not survive") } == 1)
        }
    }

    @Test("The first boot keeps the only copy of the secrets, start after start, until the setup has a disk")
    func firstBoot() async throws {
        let text = """
            merchant_id: M1001
            device_id: box-01
            broker: {url: "mqtt://127.0.0.1", username: u, password: s3cret}
            ...

            """
        for name in ["boot", "disk"] {
            try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: false)
        }
        try folder.write(text, to: "boot/provisioning.yaml")
        func start(_ mounts: String) async throws -> [String] {
            let child = try ChildProcess(
                OwnMounts.command(
                    mounts,
                    [
                        Products.soundbox, "setup", "import", "--first-boot", folder.file("boot"), "--config",
                        "/srv/etc/soundbox.yaml", "--no-restart",
                    ]))
            #expect(try await child.exitStatus() == 0)
            return try await child.output.all()
        }
        for _ in 0..<2 {
            #expect(try await start(OwnMounts.overlay).joined().contains("stays where it is: /srv/etc: "))
            #expect(try folder.names(in: "boot") == ["provisioning.yaml", "soundbox-error.txt"])
            #expect(try folder.read("boot/provisioning.yaml") == Array(text.utf8))
            let note = String(decoding: try folder.read("boot/soundbox-error.txt"), as: UTF8.self)
            #expect(note.contains("not for good") && note.contains("\r\n") && !note.contains("s3cret"))
        }
        #expect(try await start("mount --bind \(folder.file("disk")) /srv").joined().contains("removed"))
        #expect(try folder.names(in: "boot") == [])
        #expect(try folder.names(in: "disk/etc") == ["broker.password", "soundbox.yaml"])
    }
}
