import Glibc
import TestSupport
import Testing

@testable import SoundboxSystem

@Suite("Where a file was expected")
struct SmallFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func failure(_ body: () throws -> Void) -> SmallFile.Failure? {
        #expect(throws: SmallFile.Failure.self, performing: body)
    }

    @Test("A pipe is refused at once, whether it has a writer or not, and so is a device")
    func pipeForFile() throws {
        let path = folder.file("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        let refusal = FileError(path: path, problem: "is no file, but a pipe or device")
        #expect(throws: refusal) { try SmallFile.read(path) }
        let writer = open(path, O_RDWR | O_CLOEXEC)
        defer { close(writer) }
        write(writer, "half", 4)
        #expect(throws: refusal) { try SmallFile.read(path) }
        #expect(failure { _ = try SmallFile.bytes(of: "/dev/zero", limit: 16) } == .pipeOrDevice)
    }

    @Test("A file that the system refuses with the code of a wrong argument is not called a pipe")
    func systemReason() {
        let error = SmallFile.Failure.system(SystemError(code: EINVAL))
        #expect("\(error)" == "cannot be read: Invalid argument")
    }

    @Test("A pipe is read to the end of what its writer has to say, and no further than the limit")
    func pipe() throws {
        let path = folder.file("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        func startWriter() {
            startThread(named: "writer") {
                // Waits for the reader. No other test's child may hold it open.
                let writer = open(path, O_WRONLY | O_CLOEXEC)
                defer { close(writer) }
                write(writer, "merchant", 8)
            }
        }
        startWriter()
        #expect(try SmallFile.read(path, mayBePipe: true) == "merchant")

        startWriter()
        let tooLarge = failure { _ = try SmallFile.bytes(of: path, limit: 7, mayBePipe: true) }
        #expect(tooLarge == .system(SystemError(code: EFBIG)))
    }

    @Test("A folder is not taken for an empty file")
    func notAFile() {
        #expect(failure { _ = try SmallFile.bytes(of: folder.path, limit: 16) } == .system(SystemError(code: EISDIR)))
    }
}

@Suite("Replacing a file")
struct ReplacedFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("A pipe, and so a device, is refused and stays, and nothing is left beside it", arguments: ["pipe", "link"])
    func pipe(name: String) throws {
        #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
        #expect(symlink("pipe", folder.file("link")) == 0)
        let path = folder.file(name)
        let refusal = FileError(
            path: path, problem: "cannot be replaced: it is no file, but a pipe, folder or device")
        #expect(throws: refusal) { try SmallFile.replace(path, with: "new", mode: nil, owner: nil) }
        var attributes = stat()
        #expect(stat(path, &attributes) == 0 && attributes.st_mode & S_IFMT == S_IFIFO)
        #expect(try folder.names() == ["link", "pipe"])
    }

    @Test("A file that a user names by a link is replaced behind the link")
    func link() throws {
        try folder.write("old", to: "file")
        #expect(symlink("file", folder.file("link")) == 0)
        let path = SmallFile.followingLinks(folder.file("link"))
        try SmallFile.replace(path, with: "new", mode: nil, owner: nil)
        #expect(try folder.names() == ["file", "link"])
        #expect(try SmallFile.read(folder.file("file")) == "new")
        #expect(SmallFile.followingLinks(folder.file("none")) == folder.file("none"))
    }
}

@Suite("Making folders")
struct FolderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("The folders above are made too, and those that are there are kept")
    func above() throws {
        let path = folder.file("a/b//c/")
        try SmallFile.createFolders(path)
        try folder.write("kept", to: "a/b/c/file")
        try SmallFile.createFolders(path)
        #expect(try SmallFile.names(in: folder.file("a/b/c")) == ["file"])
    }

    @Test("A file in the way is named")
    func inTheWay() throws {
        try folder.write("", to: "file")
        #expect(throws: FileError(path: folder.file("file"), problem: "is a file; expected a folder, or nothing")) {
            try SmallFile.createFolders(folder.file("file/sub"))
        }
    }
}
