import Glibc
import TestSupport
import Testing

@testable import SoundboxSystem

@Suite("What root reads where another user writes", .timeLimit(.minutes(10)))
struct ForeignFolderTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("request") }

    init() throws { folder = try TemporaryFolder() }

    private func failure() -> SmallFile.Failure? {
        do throws(SmallFile.Failure) {
            _ = try SmallFile.bytes(ofRegularFile: path, limit: 16)
            return nil
        } catch { return error }
    }

    private func code() -> Int32? {
        guard case .system(let error) = failure() else { return nil }
        return error.code
    }

    @Test("A file is read, up to its limit")
    func file() throws {
        try folder.write("yes\n", to: "request")
        #expect(try SmallFile.bytes(ofRegularFile: path, limit: 16) == Array("yes\n".utf8))
        try folder.write("much more than sixteen bytes", to: "request")
        #expect(code() == EFBIG)
    }

    @Test("A pipe that nobody writes into, a link, a folder and a socket are refused at once")
    func others() throws {
        #expect(code() == ENOENT)
        mkfifo(path, 0o666)
        #expect(failure() == .pipeOrDevice)
        unlink(path)
        try folder.write("secret", to: "elsewhere")
        symlink(folder.file("elsewhere"), path)
        #expect(code() == ELOOP)
        unlink(path)
        mkdir(path, 0o755)
        #expect(code() == EISDIR)
    }
}

@Suite("Files as another user sees them", .enabled("needs root") { geteuid() == 0 })
struct ServiceUserTests {
    private let folder: TemporaryFolder
    private let user = ServiceUser(name: "box", user: 54_321, groups: [54_321, 54_322])

    init() throws {
        folder = try TemporaryFolder()
        chmod(folder.path, 0o755)
    }

    private func make(_ name: String, owner: uid_t, group: gid_t, mode: mode_t) throws -> String {
        let path = try folder.write("x", to: name)
        chown(path, owner, group)
        chmod(path, mode)
        return path
    }

    private func reads(_ path: String) throws -> Bool {
        try user.withItsRights { (try? SmallFile.read(path)) != nil }
    }

    @Test("What belongs to the user, to one of its groups or to all can be read, and nothing else")
    func rights() throws {
        #expect(try reads(make("own", owner: 54_321, group: 0, mode: 0o600)))
        #expect(try reads(make("group", owner: 0, group: 54_321, mode: 0o640)))
        #expect(try reads(make("other group", owner: 0, group: 54_322, mode: 0o640)))
        #expect(try reads(make("all", owner: 0, group: 0, mode: 0o644)))
        #expect(try !reads(make("root", owner: 0, group: 0, mode: 0o600)))
        #expect(try !reads(make("root's group", owner: 0, group: 0, mode: 0o640)))
    }

    @Test("Afterwards the thread has its own rights again, also after an error, and other threads never lost theirs")
    func restored() throws {
        let path = try make("root", owner: 0, group: 0, mode: 0o600)
        let (begin, read) = (BlockingAnswer(), BlockingAnswer())
        startThread(named: "other") { read.set(begin.wait() && (try? SmallFile.read(path)) != nil) }
        try user.withItsRights {
            #expect((try? SmallFile.read(path)) == nil)
            begin.set(true)
            #expect(read.wait())
        }
        #expect((try? SmallFile.read(path)) != nil)
        #expect(throws: TestFailure.self) { try user.withItsRights { throw TestFailure("in it") } }
        #expect((try? SmallFile.read(path)) != nil)
        let new = try folder.write("x", to: "new")
        var attributes = stat()
        #expect(stat(new, &attributes) == 0 && attributes.st_uid == 0 && attributes.st_gid == getegid())
    }
}

/// One answer, for a thread that blocks until it is there.
private final class BlockingAnswer: @unchecked Sendable {
    private var semaphore = sem_t()
    private var value = false

    init() { sem_init(&semaphore, 0, 0) }
    deinit { sem_destroy(&semaphore) }

    func set(_ value: Bool) {
        self.value = value
        sem_post(&semaphore)
    }

    func wait() -> Bool {
        sem_wait(&semaphore)
        return value
    }
}

@Suite("Whether a file is there")
struct ExistenceTests {
    @Test("What cannot be looked at counts as there; what has no name in its folder, or a file for a folder, does not")
    func exists() throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "file")
        try #require(symlink("loop", folder.file("loop")) == 0)
        #expect(SmallFile.exists(folder.file("file")))
        // Root may look at everything but this.
        #expect(SmallFile.exists(folder.file("loop")))
        #expect(!SmallFile.exists(folder.file("none")))
        #expect(!SmallFile.exists(folder.file("file/none")))
    }
}
