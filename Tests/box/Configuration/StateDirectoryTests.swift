import Foundation
import SoundboxCore
import TestSupport
import Testing

@testable import SoundboxConfiguration

@Suite("The state directory")
struct StateDirectoryTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("A state directory is one box's; it is free again when that box is gone")
    func lock() throws {
        let path = folder.file("state")
        var first: StateDirectory? = try StateDirectory(path: path)
        #expect(throws: StateDirectoryError.self) { try StateDirectory(path: path) }
        #expect(first?.inboxPath == "\(path)/inbox.sqlite")
        first = nil
        _ = try StateDirectory(path: path)
    }

    @Test("It is free again even while a program that is just being started still has a copy of the lock's descriptor")
    func copiedLock() throws {
        let path = folder.file("state")
        var first: StateDirectory? = try StateDirectory(path: path)
        #expect(first != nil)
        let found = try Self.copy(ofDescriptorOf: "\(path)/lock")
        let copy = try #require(found)
        defer { close(copy) }
        first = nil
        _ = try StateDirectory(path: path)
    }

    /// What `fork` leaves with the child until it executes the program.
    private static func copy(ofDescriptorOf file: String) throws -> Int32? {
        let folder = "/proc/self/fd"
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
            if target == file, let descriptor = Int32(name) { return dup(descriptor) }
        }
        return nil
    }

    @Test("A state directory that cannot be made is told with the reason")
    func noStateDirectory() {
        let error = #expect(throws: StateDirectoryError.self) { try StateDirectory(path: folder.file("a/b")) }
        #expect(error?.description.contains("No such file or directory") == true)
    }
}
