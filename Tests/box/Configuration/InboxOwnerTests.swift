import Glibc
import SoundboxSystem
import TestSupport
import Testing

@testable import SoundboxConfiguration

@Suite("Whose payments the inbox holds")
struct InboxOwnerTests {
    private let folder: TemporaryFolder
    private let directory: StateDirectory

    init() throws {
        folder = try TemporaryFolder()
        directory = try StateDirectory(path: folder.file("state"))
    }

    /// - Parameter isNoted: as a start does it once the inbox is there.
    private func fill(_ text: String, isNoted: Bool = true) throws {
        for name in ["inbox.sqlite", "inbox.sqlite-wal", "inbox.sqlite.corrupt-1", "day_end", "volume", "quiet_hours"] {
            try folder.write("\(name) of \(text)", to: "state/\(name)")
        }
        try folder.write("the box's", to: "state/time")
        if isNoted { try directory.storeOwner(text) }
    }

    private func inbox() throws -> String? {
        let names = try folder.names(in: "state").filter {
            $0 != "lock" && $0 != "owner" && $0 != "time" && !$0.hasPrefix("inbox-of-")
        }
        let texts = try names.map { try SmallFile.read(folder.file("state/\($0)")) }
        guard !names.isEmpty else { return nil }
        let owners = Set(texts.map { $0.split(separator: " of ").last.map(String.init) ?? "" })
        return owners.sorted().joined(separator: "+") + " \(names.count)"
    }

    private func place(of note: String?) throws -> String { String(try #require(note?.split(separator: ": ").last)) }

    @Test(
        "An inbox whose owner cannot be read stays, and is the merchant's that the box is set up for",
        arguments: ["", "\n", "M2\n", "M1\n0123\n", "\0\0\0\0"])
    func damaged(text: String) throws {
        _ = try directory.claim(for: "M1")
        try fill("M1")
        try folder.write(text, to: "state/owner")
        #expect(try directory.claim(for: "M1")?.contains("state/owner: is damaged: ") == true)
        #expect(try inbox() == "M1 6")
        // From then on it is known again.
        #expect(try directory.claim(for: "M1") == nil)
        #expect(try directory.claim(for: "M2") != nil)
        #expect(try inbox() == nil)
    }

    @Test("An inbox that is nobody's yet is the first merchant's, and stays there as long as nothing changes")
    func first() throws {
        #expect(try directory.claim(for: "M1") == nil)
        try fill("M1")
        #expect(try directory.claim(for: "M1") == nil)
        #expect(try inbox() == "M1 6")
    }

    @Test("Another merchant begins with none, and each gets its own back, whatever its name is made of")
    func inTurn() throws {
        let names = ["M1", "../M2", "商户", String(repeating: "M", count: 200)]
        for name in names {
            _ = try directory.claim(for: name)
            #expect(try inbox() == nil)
            try fill(name)
        }
        for name in names {
            #expect(try directory.claim(for: name) != nil)
            #expect(try inbox() == "\(name) 6")
        }
        #expect(try SmallFile.read(folder.file("state/time")) == "the box's")
    }

    @Test("Cut off between any two files, it goes on at the next start, also when the first merchant is back by then")
    func cutOff() throws {
        for moved in 0...6 {
            for (next, owner) in [("M2", nil), ("M1", "M1 6")] {
                let folder = try TemporaryFolder()
                let trial = try InboxOwnerTests(folder: folder)
                _ = try trial.directory.claim(for: "M1")
                try trial.fill("M1")
                // What a start for M2 begins with.
                let place = try place(of: trial.directory.claim(for: "M2"))
                _ = try trial.directory.claim(for: "M1")
                try #require(mkdir(place, 0o750) == 0 || errno == EEXIST)
                let names = try folder.names(in: "state").filter {
                    $0 != "lock" && $0 != "owner" && $0 != "time" && !$0.hasPrefix("inbox-of-")
                }
                for name in names.sorted(by: >).prefix(moved) {
                    try #require(rename(folder.file("state/\(name)"), "\(place)/\(name)") == 0)
                }
                _ = try trial.directory.claim(for: next)
                #expect(try trial.inbox() == owner)
                _ = try trial.directory.claim(for: "M1")
                #expect(try trial.inbox() == "M1 6")
            }
        }
    }

    private init(folder: TemporaryFolder) throws {
        self.folder = folder
        directory = try StateDirectory(path: folder.file("state"))
    }

    @Test("No inbox is ever opened for another merchant, also when one of the same owner was put aside before")
    func twice() throws {
        _ = try directory.claim(for: "M1")
        try fill("M1")
        _ = try directory.claim(for: "M2")
        // A backup of M1 is put back by the manual, which removes the owner.
        unlink(folder.file("state/owner"))
        try fill("M1 again", isNoted: false)
        _ = try directory.claim(for: "M1")
        let place = try place(of: directory.claim(for: "M2"))
        #expect(try inbox() == nil)
        #expect(try SmallFile.read("\(place)/inbox.sqlite") == "inbox.sqlite of M1 again")
        #expect(try SmallFile.read("\(place)-1/inbox.sqlite") == "inbox.sqlite of M1")
        _ = try directory.claim(for: "M1")
        #expect(try inbox() == "M1 again 6")
    }

    @Test("The volume of one merchant is never the next one's, also where one was put aside before")
    func volume() throws {
        _ = try directory.claim(for: "M1")
        try fill("M1")
        let place = try place(of: directory.claim(for: "M2"))
        unlink("\(place)/inbox.sqlite")
        unlink(folder.file("state/owner"))
        try folder.write("30\n", to: "state/volume")
        _ = try directory.claim(for: "M1")
        try directory.storeOwner("M1")
        _ = try directory.claim(for: "M2")
        #expect(!SmallFile.exists(folder.file("state/volume")) && !SmallFile.exists(folder.file("state/quiet_hours")))
    }

    @Test("A backup that was put in the place of an inbox is not given the log of that one")
    func restored() throws {
        _ = try directory.claim(for: "M1")
        try fill("M1")
        let place = try place(of: directory.claim(for: "M2"))
        // Cut off on the way back, and then restored as the manual says.
        try folder.write("M1", to: "state/owner")
        try #require(rename("\(place)/inbox.sqlite-wal", folder.file("state/inbox.sqlite-wal")) == 0)
        unlink(folder.file("state/inbox.sqlite-wal"))
        unlink(folder.file("state/owner"))
        try folder.write("inbox.sqlite of the backup", to: "state/inbox.sqlite")
        #expect(try directory.claim(for: "M1") == nil)
        #expect(try folder.names(in: "state").filter { $0.hasPrefix("inbox.sqlite") } == ["inbox.sqlite"])
        #expect(try SmallFile.read(folder.file("state/inbox.sqlite")) == "inbox.sqlite of the backup")
        #expect(SmallFile.exists("\(place)/inbox.sqlite"))
    }

    @Test("No inbox is opened for a merchant whom the next start would not know")
    func unknown() throws {
        try #require(mkdir(folder.file("state/owner.new"), 0o755) == 0)
        #expect(try directory.claim(for: "M1") == nil)
        let error = #expect(throws: StateDirectoryError.self) { try fill("M1") }
        #expect(error?.reason.contains("state/owner: cannot be written") == true)
        #expect(throws: StateDirectoryError.self) { try directory.claim(for: "M1") }
        rmdir(folder.file("state/owner.new"))
        #expect(try directory.claim(for: "M1") == nil)
        #expect(try directory.claim(for: "M2") != nil)
    }

    @Test("An inbox is expected where one was, and not where a start was cut off before it had made one")
    func expected() throws {
        func expects(for merchant: String) throws -> Bool {
            _ = try directory.claim(for: merchant)
            return directory.expectsInbox
        }
        #expect(try !expects(for: "M1"))
        #expect(try !expects(for: "M1"))
        try folder.write("", to: "state/inbox.sqlite")
        #expect(try !expects(for: "M1"))
        try fill("M1", isNoted: false)
        #expect(try expects(for: "M1"))
        // A new merchant's was never there.
        #expect(try !expects(for: "M2"))
        #expect(try !expects(for: "M2"))
        try fill("M2")
        #expect(try expects(for: "M2"))
        // It is there for one who comes back, and missing where it was deleted.
        #expect(try expects(for: "M1"))
        unlink(folder.file("state/inbox.sqlite"))
        #expect(try expects(for: "M1"))
        try folder.write("damaged", to: "state/owner")
        #expect(try expects(for: "M1"))
        // As the manual begins without a backup.
        unlink(folder.file("state/owner"))
        #expect(try !expects(for: "M1"))
    }

    @Test("A file that cannot be moved is named, and the other merchant's inbox is not opened")
    func inTheWay() throws {
        _ = try directory.claim(for: "M1")
        try fill("M1")
        let place = try place(of: directory.claim(for: "M2"))
        _ = try directory.claim(for: "M1")
        rmdir(place)
        try #require(symlink("/nowhere", place) == 0)
        let error = #expect(throws: StateDirectoryError.self) { try directory.claim(for: "M2") }
        #expect(error?.reason.contains(place) == true)
        unlink(place)
        #expect(try self.place(of: directory.claim(for: "M2")) == place)
    }
}
