import Foundation
import TestSupport
import Testing

@Suite("The commands of the manual for a backup that is put back", .timeLimit(.minutes(10)))
struct RestoreManualTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The block of shell commands that restores, from docs/operations.md.
    private static func commands() throws -> String {
        let manual = try String(contentsOfFile: "\(Products.project)/docs/operations.md", encoding: .utf8)
        let blocks = manual.components(separatedBy: "```").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        return try #require(blocks.first { $0.contains("rm ") && $0.contains("inbox.sqlite") })
    }

    @Test("They put the backup in place and leave every piece of evidence of damage where it is")
    func evidence() async throws {
        for name in ["root", "state"] {
            try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: false)
        }
        // Nothing of this machine is stopped, started or given away. Programs that have just been written would not do: one
        // that another thread is starting may still have them open, and then they cannot be executed.
        let standIns = #"systemctl() { :; }; chown() { :; }; sudo() { "$@"; }"# + "\n"
        let evidence = [
            "inbox.sqlite.corrupt-20261121T040000000Z", "inbox.sqlite.corrupt-20261121T040000000Z-wal",
            "inbox.sqlite.found-20261121T050000000Z",
        ]
        // An interrupted salvage would take the backup's place at the next start.
        let leftovers = ["inbox.sqlite-shm", "inbox.sqlite-wal", "inbox.sqlite.salvaged-20261121T060000000Z"]
        for name in evidence + leftovers + ["inbox.sqlite", "volume"] { try folder.write("old", to: "state/\(name)") }
        try folder.write("backup", to: "root/inbox.sqlite")
        let commands = try Self.commands().replacing("/var/lib/soundbox", with: folder.file("state"))
            .replacing("/root/", with: "\(folder.path)/root/")
        let shell = try ChildProcess(
            ["sh", "-eu", "-c", standIns + commands], environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"])
        #expect(try await shell.exitStatus() == 0)
        #expect(try folder.read("state/inbox.sqlite") == Array("backup".utf8))
        #expect(try folder.names(in: "state") == (evidence + ["inbox.sqlite", "volume"]).sorted())
    }

    @Test("No document has a pattern that would match the evidence")
    func patterns() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: "\(Products.project)/docs")
        where name.hasSuffix(".md") {
            let text = try String(contentsOfFile: "\(Products.project)/docs/\(name)", encoding: .utf8)
            #expect(!text.contains("inbox.sqlite*"), "\(name)")
        }
    }
}
