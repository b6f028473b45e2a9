import Foundation
import TestSupport

/// The kernel and the root folder that virtual boards boot, made by the scripts in `Guest/` and cached under `.build`.
struct GuestImage: Sendable {
    let kernel: String
    let initialRAMDisk: String
    let root: String

    /// The image with this build's program in it; made once in a test run, in seconds when its kernel is cached.
    static func current() async throws -> GuestImage { try await making.value }

    /// Why there can be no virtual board on this machine; `nil` when there can, or when there must, as on a build
    /// server: there, a board that does not boot is a failure and not a skip.
    static func obstacle() async -> String? {
        guard ProcessInfo.processInfo.environment["CI"] == nil else { return nil }
        do {
            _ = try await current()
            return nil
        } catch { return "\(error)" }
    }

    /// Where images and disks are kept. Not in `/tmp`, which may be in memory: a disk there cannot be written past the
    /// host's own cache.
    static let cache = Products.buildFolder.appending(path: "board-cache").path

    private static let making = Task {
        let scripts = "\(Products.project)/Tests/Board/Guest"
        for tool in [VirtualBoard.emulator, "busybox", "depmod", "mke2fs", "arecord"] {
            guard isInstalled(tool) else {
                throw TestFailure("\(tool) is not installed; run: provisioning/install-dependencies.sh")
            }
        }
        let kernel = try await output(of: ["\(scripts)/make-kernel.sh", cache])
        let root = "\(cache)/root"
        _ = try await output(of: ["\(scripts)/make-root.sh", kernel, root, Products.soundbox])
        return GuestImage(kernel: "\(kernel)/vmlinux", initialRAMDisk: "\(root).initrd", root: root)
    }

    private static func isInstalled(_ tool: String) -> Bool {
        ["/usr/bin", "/usr/sbin", "/bin", "/sbin"].contains { access("\($0)/\(tool)", X_OK) == 0 }
    }

    /// The last line that a command prints.
    private static func output(of command: [String]) async throws -> String {
        let child = try ChildProcess(command)
        let code = try await child.exitStatus()
        let lines = try await child.output.all()
        guard code == 0 else {
            throw TestFailure("no virtual board: \(try await child.errors.all().suffix(3).joined(separator: "; "))")
        }
        return lines.last ?? ""
    }
}

/// What this build made, and what this source tree holds.
enum Products {
    /// The executable `soundbox`, beside the test runner, or the one that `BOARD_TEST_SOUNDBOX` names.
    static let soundbox =
        ProcessInfo.processInfo.environment["BOARD_TEST_SOUNDBOX"] ?? runner.appending(path: "soundbox").path

    private static let runner = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent()

    static let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    static let buildFolder = URL(fileURLWithPath: project).appending(path: ".build")
}
