import Foundation
import TestSupport

/// The disk with this build's packages installed, made by `Guest/make-image.sh` and kept under `.build`.
struct DebianImage: Sendable {
    let folder: String

    var kernel: String { "\(folder)/vmlinux" }
    var initialRAMDisk: String { "\(folder)/initrd" }
    var disk: String { "\(folder)/disk.img" }

    static let emulator = "qemu-system-x86_64"

    /// The image of this build. Only looked for, since it takes minutes to make one: `make debian-image` does.
    static func current() async throws -> DebianImage { try await finding.value }

    /// Why no Debian can be booted on this machine; `nil` when one can, or when one must, as on a build server: there, an
    /// image that is missing is a failure and not a skip.
    static func obstacle() async -> String? {
        guard ProcessInfo.processInfo.environment["CI"] == nil else { return nil }
        do {
            _ = try await current()
            return nil
        } catch { return "\(error)" }
    }

    /// Where images and disks are kept. Not in `/tmp`, which may be in memory: a disk there cannot be written past the
    /// host's own cache.
    static let cache = "\(project)/.build/debian-cache"

    static let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    private static let finding = Task {
        let next = ProcessInfo.processInfo.environment["DEBIAN_NEXT"] ?? ""
        let child = try ChildProcess(
            ["\(project)/Tests/Debian/Guest/make-image.sh", "--find", cache, "\(project)/.build/release/soundbox"],
            environment: ["DEBIAN_NEXT": next])
        let code = try await child.exitStatus()
        guard code == 0, let folder = try await child.output.all().last else {
            throw TestFailure("no Debian to boot: \(try await child.errors.all().suffix(3).joined(separator: "; "))")
        }
        return DebianImage(folder: folder)
    }
}

/// A disk that a Debian is installed on, or another one: a file of this machine, deleted with the last reference.
final class DebianDisk: Sendable {
    let path = "\(DebianImage.cache)/disk-\(UUID().uuidString).img"

    /// With the packages of this build installed and set up, and never booted.
    static func installed() async throws -> DebianDisk {
        let disk = DebianDisk()
        try await ChildProcess.run(
            "cp", "--sparse=always", "--reflink=auto", try await DebianImage.current().disk, disk.path)
        return disk
    }

    /// With nothing but a FAT file system, as the first partition of a Raspberry Pi's card.
    static func fat() async throws -> DebianDisk {
        let disk = DebianDisk()
        try await ChildProcess.run("mkfs.vfat", "-n", "bootfs", "-C", disk.path, "65536")
        return disk
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
