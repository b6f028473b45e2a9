import Foundation
import TestSupport

/// A board's disk: an ext4 file system in a file of this machine, deleted with the last reference.
final class Disk: Sendable {
    let path = "\(GuestImage.cache)/disk-\(UUID().uuidString).img"

    init() async throws {
        try await ChildProcess.run("mke2fs", "-q", "-t", "ext4", path, "64M")
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
