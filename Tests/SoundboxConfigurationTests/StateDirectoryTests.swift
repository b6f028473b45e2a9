import Foundation
import SoundboxCore
import TestSupport
import Testing

@testable import SoundboxConfiguration

@Suite("The state directory")
struct StateDirectoryTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("The volume is remembered, and rubbish in its file is no volume")
    func volumeFile() throws {
        let file = VolumeFile(path: folder.file("volume"))
        #expect(file.read() == nil)
        try file.write(Volume(35))
        #expect(file.read() == Volume(35))
        try folder.write("loud\n", to: "volume")
        #expect(file.read() == nil)
    }

    @Test("The time is remembered, and rubbish in its file is no time")
    func timeFile() throws {
        let file = TimeFile(path: folder.file("time"))
        #expect(file.read() == nil)
        let time = Timestamp(millisecondsSince1970: 1_795_233_600_250)
        try file.write(time)
        #expect(file.read() == time)
        try folder.write("yesterday\n", to: "time")
        #expect(file.read() == nil)
    }

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

@Suite("The session is remembered")
struct SessionFileTests {
    @Test("A file that is missing, damaged or no file is no record, and is replaced as a whole")
    func file() throws {
        let folder = try TemporaryFolder()
        let file = SessionFile(path: folder.file("session"))
        #expect(file.read() == nil)
        try folder.write("{\"epoch\":", to: "session")
        #expect(file.read() == nil)
        let record = SessionRecord(
            epoch: 7, clientID: "box", began: Timestamp(millisecondsSince1970: 0), hasLoss: true)
        try file.write(record)
        #expect(file.read() == record)
    }
}
