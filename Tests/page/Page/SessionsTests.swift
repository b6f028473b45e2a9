import Glibc
import SoundboxSystem
import TestSupport
import Testing

@testable import SoundboxPage

@Suite("Phones that are signed in")
struct SessionsTests {
    private let folder: TemporaryFolder
    private var file: String { folder.file("sessions.json") }

    init() throws { folder = try TemporaryFolder() }

    @Test("A phone stays in across restarts, with what it may do, until it signs out")
    func stays() throws {
        let looking = try Sessions(file: folder.file("sessions.json")).open(as: .look)
        let changing = try Sessions(file: folder.file("sessions.json")).open(as: .change)
        let later = Sessions(file: folder.file("sessions.json"))
        #expect(later.role(of: looking) == .look)
        #expect(later.role(of: changing) == .change)
        try later.close(looking)
        #expect(later.role(of: looking) == nil)
        #expect(Sessions(file: folder.file("sessions.json")).role(of: looking) == nil)
        #expect(later.role(of: changing) == .change)
    }

    @Test("Nobody is in by a token that was never given, or by what stands in the file")
    func strangers() throws {
        let sessions = Sessions(file: folder.file("sessions.json"))
        let token = try sessions.open(as: .change)
        let text = try SmallFile.read(file)
        #expect(!text.contains(token))
        let hash = try #require(text.firstMatch(of: /[0-9a-f]{64}/))
        #expect(sessions.role(of: String(hash.output)) == nil)
        for stranger in ["", "0", String(repeating: "0", count: 64)] { #expect(sessions.role(of: stranger) == nil) }
    }

    @Test("Whoever signs all out does so for a page that runs")
    func allOut() throws {
        let sessions = Sessions(file: folder.file("sessions.json"))
        let token = try sessions.open(as: .change)
        try Sessions.closeAll(folder.file("sessions.json"))
        #expect(sessions.role(of: token) == nil)
        // Also where nobody is in.
        try Sessions.closeAll(folder.file("sessions.json"))
        let next = try sessions.open(as: .look)
        #expect(sessions.role(of: next) == .look)
        #expect(sessions.role(of: token) == nil)
    }

    @Test(
        "A file that cannot be read lets nobody in, and the next phone all the same",
        arguments: ["", "{", "[1]", "[{\"hash\":\"x\",\"role\":\"change\"}]"])
    func damage(text: String) throws {
        let sessions = Sessions(file: folder.file("sessions.json"))
        let token = try sessions.open(as: .change)
        try SmallFile.replace(file, with: text, mode: 0o600, owner: nil)
        #expect(sessions.role(of: token) == nil)
        let next = try sessions.open(as: .look)
        #expect(sessions.role(of: next) == .look)
    }

    @Test("Beyond thirty-two phones the oldest is out")
    func many() throws {
        let sessions = Sessions(file: folder.file("sessions.json"))
        let tokens = try (0..<33).map { _ in try sessions.open(as: .change) }
        #expect(tokens.map { sessions.role(of: $0) == nil } == [true] + [Bool](repeating: false, count: 32))
    }

    @Test("Only its owner may read the file")
    func mode() throws {
        _ = try Sessions(file: folder.file("sessions.json")).open(as: .look)
        var attributes = stat()
        #expect(stat(file, &attributes) == 0)
        #expect(attributes.st_mode & 0o777 == 0o600)
    }
}
