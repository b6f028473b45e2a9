import Foundation
import Glibc
import TestSupport
import Testing

/// A FAT file system in an image file, as a card's first partition is: no modes, no owners, written by any computer.
private struct BootPartition {
    let image: String
    let mountPoint: String

    init(in folder: TemporaryFolder) async throws {
        image = folder.file("boot.img")
        mountPoint = folder.file("boot")
        try await ChildProcess.run("mkfs.vfat", "-C", image, "4096")
        try FileManager.default.createDirectory(atPath: mountPoint, withIntermediateDirectories: false)
        try await mount()
    }

    func mount() async throws {
        // The kernel's own driver, which not every kernel has; or one outside of it.
        if (try? await ChildProcess.run("mount", "-o", "loop", image, mountPoint)) == nil {
            try await ChildProcess.run("fusefat", "-o", "rw+", image, mountPoint)
        }
    }

    func unmount() async throws { try await ChildProcess.run("umount", mountPoint) }

    static func isPossible() async -> Bool {
        guard geteuid() == 0, let folder = try? TemporaryFolder(), let partition = try? await BootPartition(in: folder)
        else { return false }
        return (try? await partition.unmount()) != nil
    }
}

@Suite(
    "The first boot reads a real FAT partition", .timeLimit(.minutes(10)),
    .enabled("needs root, dosfstools, and vfat in the kernel with loop devices or else fusefat") {
        await BootPartition.isPossible()
    })
struct BootPartitionTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var target: String { folder.file("etc/soundbox.yaml") }

    private static let provisioning = """
        merchant_id: M1001
        device_id: box-01
        broker: {url: "mqtt://127.0.0.1", username: u, password: s3cret-of-box-01}
        ...

        """

    private func withPartition(_ body: (BootPartition) async throws -> Void) async throws {
        let partition = try await BootPartition(in: folder)
        do { try await body(partition) } catch {
            try? await partition.unmount()
            throw error
        }
        try await partition.unmount()
    }

    private func importSetup() async throws -> CommandResult {
        try await soundbox("setup", "import", "--first-boot", folder.file("boot"), "--config", target)
    }

    @Test("What is there is installed; file and secret are gone from the card, byte by byte")
    func imported() async throws {
        try await withPartition { _ in
            try folder.write(Self.provisioning, to: "boot/provisioning.yaml")
            sync()
            #expect(try folder.read("boot.img").contains("s3cret-of-box-01"))
            let result = try await importSetup()
            #expect(result.code == 0, "\(result)")
            #expect(try folder.names(in: "boot") == [])
            #expect(try folder.read("etc/broker.password") == Array("s3cret-of-box-01\n".utf8))
        }
        #expect(try !folder.read("boot.img").contains("s3cret-of-box-01"))
    }

    @Test("A mistake leaves the file, explains itself for any editor, and is forgiven once it is mended")
    func mistake() async throws {
        try await withPartition { partition in
            try folder.write(Self.provisioning.replacing("device_id", with: "device"), to: "boot/provisioning.yaml")
            let result = try await importSetup()
            #expect(result.code == 1)
            #expect(result.errors.count == 1 && result.errors[0].contains("provisioning.yaml:2"), "\(result)")
            // As the next computer sees the card.
            try await partition.unmount()
            try await partition.mount()
            #expect(try folder.names(in: "boot") == ["provisioning.yaml", "soundbox-error.txt"])
            let explanation = String(decoding: try folder.read("boot/soundbox-error.txt"), as: UTF8.self)
            #expect(explanation.contains("provisioning.yaml:2") && explanation.contains("\r\n"))
            #expect(!explanation.contains("s3cret"))
            #expect(!FileManager.default.fileExists(atPath: target))

            try folder.write(Self.provisioning, to: "boot/provisioning.yaml")
            #expect(try await importSetup().code == 0)
            #expect(try folder.names(in: "boot") == [])
        }
    }
}

extension [UInt8] {
    fileprivate func contains(_ text: String) -> Bool { firstRange(of: Array(text.utf8)) != nil }
}
