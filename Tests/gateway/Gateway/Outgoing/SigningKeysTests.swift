import Foundation
import SoundboxSystem
import TestSupport
import Testing

@testable import SoundboxGateway

@Suite("The boxes' keys")
struct SigningKeysTests {
    @Test("All are looked at: how many can be used, and what is wrong with the others")
    func check() throws {
        let folder = try TemporaryFolder(inMemory: true)
        for merchant in ["M1", "M2"] { try SmallFile.createFolders(folder.file("keys/\(merchant)")) }
        for (name, mode) in [("M1/a.key", 0o600), ("M1/b.key", 0o644), ("M2/c.key", 0o600), ("M2/note", 0o600)] {
            try folder.write("0123456789abcdef0123456789abcdef\n", to: "keys/\(name)")
            try FileManager.default.setAttributes(
                [.posixPermissions: mode], ofItemAtPath: folder.file("keys/\(name)"))
        }
        let found = try SigningKeys(path: folder.file("keys")).check()
        #expect(found.usable == 2 && found.problems.count == 1)
        #expect(found.problems.first?.contains("M1/b.key: every user of this system may read it") == true)
        #expect(try SigningKeys(path: folder.file("keys/M1/a.key")).check() == (1, []))
        #expect(try SigningKeys(path: folder.file("keys/M2/x.key")).check().problems.count == 1)
        #expect(try SigningKeys(path: nil).check() == (0, []))
    }
}
