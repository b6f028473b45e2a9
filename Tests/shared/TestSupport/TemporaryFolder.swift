import Foundation

/// A folder of one test's own, removed with all that is in it when the last reference goes.
package final class TemporaryFolder: Sendable {
    package let path: String

    /// - Parameter inMemory: in `/dev/shm` where there is one: no commit waits for a disk.
    package init(inMemory: Bool = false) throws {
        let parent = inMemory && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        var template = Array("\(parent)/soundbox-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw TestFailure("mkdtemp failed: error \(errno)") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    package func file(_ name: String) -> String { "\(path)/\(name)" }

    /// - Returns: the file's path.
    @discardableResult
    package func write(_ text: String, to name: String) throws -> String {
        try text.write(toFile: file(name), atomically: false, encoding: .utf8)
        return file(name)
    }

    package func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
    }

    package func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: file(name)) }

    /// What is in it, or in a folder of it, in alphabetical order.
    package func names(in name: String = ".") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: file(name)).sorted()
    }

    package func read(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: file(name))))
    }
}

/// The test cannot be carried out; nothing is said about the code under test.
package struct TestFailure: Error, CustomStringConvertible {
    package var description: String
    package init(_ description: String) { self.description = description }
}
