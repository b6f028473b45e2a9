import Glibc
import TestSupport
import Testing

@testable import SoundboxSystem

@Suite("Files of secrets")
struct SecretFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(
        "The first line is the password, whatever ends it",
        arguments: ["s3cret", "s3cret\n", "s3cret\r\nrest\n", "s3cret\r", "\u{FEFF}s3cret\r\n", "s3cret\n\0\0"])
    func firstLine(content: String) throws {
        let path = try folder.write(content, to: "password")
        chmod(path, 0o600)
        #expect(try SecretFile(path: path).read() == "s3cret")
    }

    @Test("One that every user may read is refused, without the password in the message")
    func worldReadable() throws {
        let path = try folder.write("s3cret\n", to: "password")
        chmod(path, 0o644)
        let error = #expect(throws: SecretFileError.self) { try SecretFile(path: path).read() }
        #expect(error?.description.contains("chmod o= \(path)") == true)
        #expect(error?.description.contains("s3cret") == false)
    }

    @Test("What cannot be read whole is refused: half a password would be refused by the broker, for no visible reason")
    func unreadable() throws {
        let path = try folder.write(String(repeating: "x", count: 4096) + "\nrest", to: "password")
        chmod(path, 0o600)
        #expect(try SecretFile(path: path).read().utf8.count == 4096)
        for mark in ["", "\u{FEFF}"] {
            try folder.write(mark + String(repeating: "x", count: 4097), to: "password")
            #expect(throws: SecretFileError.self) { try SecretFile(path: path).read() }
        }
        let long = #expect(throws: SecretFileError.self) { try SecretFile(path: path).read() }
        #expect(long?.description.contains("longer than 4096 bytes") == true)
        try folder.write([0x70, 0xFF, 0x77], to: "password")
        let bytes = #expect(throws: SecretFileError.self) { try SecretFile(path: path).read() }
        #expect(bytes?.description.contains("UTF-8") == true)
    }

    @Test(
        "What no person has typed as a password is not sent as one",
        arguments: [
            ("\0\0\0\0", "its first line has a control character (U+0000); write it anew, as one line of plain text"),
            ("s\03\0c\0\n", "U+0000"), ("s3\rcret\n", "U+000D"), ("s3cret\r\r\n", "U+000D"),
            (" \t\n", "its first line is blank"),
            ("s3\u{2028}cret", "U+2028"), ("   \n", "its first line is blank"), ("\r\ns3cret\n", "it is empty"),
        ])
    func noPassword(content: String, reason: String) throws {
        let path = try folder.write(content, to: "password")
        chmod(path, 0o600)
        let error = #expect(throws: SecretFileError.self) { try SecretFile(path: path).read() }
        #expect(error?.reason.contains(reason) == true)
    }

    @Test("Blanks belong to the password")
    func blanks() throws {
        let path = try folder.write(" s3\tcret \n", to: "password")
        chmod(path, 0o600)
        #expect(try SecretFile(path: path).read() == " s3\tcret ")
    }

    @Test("A missing and an empty one are told apart")
    func missingOrEmpty() throws {
        #expect(throws: SecretFileError(path: "/nowhere", reason: "No such file or directory")) {
            try SecretFile(path: "/nowhere").read()
        }
        let path = try folder.write("", to: "password")
        chmod(path, 0o600)
        let error = #expect(throws: SecretFileError.self) { try SecretFile(path: path).read() }
        #expect(error?.description.contains("empty") == true)
    }

    @Test(
        "A pipe is refused, also one that somebody writes into, and does not hold up the start",
        arguments: ["", "s3cret\n"])
    func pipe(content: String) throws {
        let path = folder.file("key")
        #expect(mkfifo(path, 0o600) == 0)
        let writer = open(path, O_RDWR | O_CLOEXEC)
        defer { close(writer) }
        #expect(write(writer, content, content.utf8.count) == content.utf8.count)
        let error = #expect(throws: SecretFileError.self) { try SecretFile(path: path).read() }
        #expect(error?.reason == "is no file, but a pipe, folder or device")
    }
}
