import Glibc
import SoundboxBox
import SoundboxCore
import SoundboxSystem
import TestSupport
import Testing

@testable import SoundboxConfiguration

@Suite("Settings from afar are remembered")
struct SettingsFileTests {
    private let folder: TemporaryFolder
    private let file: SettingsFile

    init() throws {
        folder = try TemporaryFolder()
        file = SettingsFile(inStateDirectory: folder.path)
    }

    private func record() throws -> SettingsRecord {
        var record = SettingsRecord(owner: "M/b")
        let values = try JSONValue(parsing: Array(#"{"voice":{"locale":"en-US"},"audio":{"volume":20}}"#.utf8))
        _ = try record.apply(
            RemoteSettings(id: CommandID("s-1"), at: Timestamp(millisecondsSince1970: 7000), values: values))
        return record
    }

    @Test("What was written is read, and a file that is missing is no fault")
    func written() throws {
        #expect(try file.read() == nil)
        try file.write(record())
        #expect(try file.read() == record())
    }

    @Test("A byte that is another one, wherever it is, is noticed")
    func damaged() throws {
        try file.write(record())
        let whole = try folder.read("settings")
        for index in whole.indices.dropLast() {
            var bytes = whole
            bytes[index] ^= 1
            try folder.write(bytes, to: "settings")
            #expect(throws: FileError(path: file.path, problem: "is damaged"), "byte \(index)") { try file.read() }
        }
        for count in whole.indices.dropLast() {
            try folder.write(Array(whole[..<count]), to: "settings")
            #expect(throws: FileError(path: file.path, problem: "is damaged"), "\(count) bytes") { try file.read() }
        }
    }

    @Test("What is no file is told of", arguments: ["folder", "pipe", "link"])
    func noFile(kind: String) throws {
        switch kind {
        case "folder": mkdir(file.path, 0o755)
        case "pipe": mkfifo(file.path, 0o600)
        default: symlink("/etc/passwd", file.path)
        }
        let error = #expect(throws: FileError.self) { try file.read() }
        let problem = kind == "pipe" ? "is no file, but a pipe or device" : "cannot be read: "
        #expect(error?.problem.hasPrefix(problem) == true)
    }
}
