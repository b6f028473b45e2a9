import Glibc
import TestSupport
import Testing

@testable import SoundboxSystem

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
