import Foundation
import Glibc
import SoundboxConfiguration
import SoundboxCore
import SoundboxStore
import TestSupport
import Testing

@Suite("A damaged database costs no payment, whatever happens while it is saved", .timeLimit(.minutes(10)))
struct DamagedDatabaseTests {
    private let folder: TemporaryFolder
    private static let waiting = (1...5).map { "w-\($0)" }

    init() throws { folder = try TemporaryFolder() }

    /// A history of 3,000 payments and five that nobody has heard, with pages destroyed.
    private func makeDatabase(_ trial: Trial, destroying pages: [Int] = [11, 23]) throws {
        try FileManager.default.createDirectory(atPath: folder.file("state"), withIntermediateDirectories: true)
        do {
            let inbox = try SQLiteInbox(path: trial.inbox)
            let arrivals = try ((1...3000).map { "h-\($0)" } + Self.waiting).map {
                Arrival.notice(PaymentNotice(id: try PaymentID($0), money: try Money("5", .CNY)))
            }
            let now = Timestamp(millisecondsSince1970: 1_795_233_600_000)
            _ = try inbox.store(arrivals, at: now)
            try inbox.markExpired(try inbox.waiting(limit: 3000), at: now)
            try inbox.removeReceipts(try inbox.receipts(after: 0, limit: 9999).map(\.sequence))
        }
        // As a box has left it that was in service before.
        _ = try StateDirectory(path: folder.file("state")).claim(for: "M1001")
        let url = URL(fileURLWithPath: trial.inbox)
        var bytes = [UInt8](try Data(contentsOf: url))
        for page in pages {
            bytes.replaceSubrange(page * 4096..<page * 4096 + 4096, with: repeatElement(0xA5, count: 4096))
        }
        try Data(bytes).write(to: url)
    }

    /// Lets the box speak what waits, and sees that it knows what it knew.
    private func checkSaved(_ trial: Trial, _ box: ChildProcess) async throws {
        for id in Self.waiting { try await box.logged("info announced", "id=\(id)") }
        try await checkKnown(trial, box)
        #expect(try await trial.faults().contains { $0.contains("was put aside") })
        #expect(try await box.stop() == 0)
    }

    private func checkKnown(_ trial: Trial, _ box: ChildProcess) async throws {
        let ids = ["h-1", "h-3000", "w-1"]
        try await trial.publish(ids.map { notice($0, "5") })
        for id in ids { try await box.logged("duplicate", "id=\(id)") }
        #expect(!box.errors.entries.contains { $0.contains(" stored ") })
    }

    @Test("Killed in the middle of it, start after start: everything that waits is spoken, and every id is known")
    func killed() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker, announce: ["late: speak"])
            try makeDatabase(trial)
            let receipts = try trial.collectReceipts(untilAnnounced: Self.waiting.count, within: .seconds(300))
            var random = SeededGenerator(seed: 3)
            for _ in 1...3 {
                let box = try trial.launchBox()
                // No event marks the worst moment: it is left to chance, from before the salvage, which comes ten seconds
                // after the words, until after it.
                try await Task.sleep(for: .milliseconds(Int.random(in: 9_500...12_000, using: &random)))
                box.kill9()
                _ = try await box.exitStatus()
            }
            let box = try await trial.startBox()
            #expect(
                Set(try await receipts.all().filter { $0.state == "announced" }.map { $0.id ?? "" })
                    == Set(Self.waiting))
            #expect(try await trial.faults().contains { $0.contains("was put aside") })
            try await checkKnown(trial, box)
            #expect(try await box.stop() == 0)
        }
    }

    @Test(
        "On a full file system, which only root can mount, nothing is begun, the fault says why, and room ends it",
        .enabled(if: geteuid() == 0))
    func fullFileSystem() async throws {
        let state = folder.file("state")
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
        let mount = try ChildProcess(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", state])
        // A container may forbid even root to mount.
        guard try await mount.exitStatus() == 0 else { return }
        do {
            try await withMosquitto(in: folder) { broker in
                let trial = try Trial(folder: folder, broker: broker, announce: ["late: speak"])
                // With the first page gone it is no database, which SQLite says without writing anything.
                try makeDatabase(trial, destroying: [0, 23])
                try await ChildProcess.run("bash", "-c", "cat /dev/zero > '\(state)/hog' || true")
                let box = try trial.launchBox()
                try await box.logged("error", "cannot be saved yet")
                // Nothing tells when the socket is there.
                while !FileManager.default.fileExists(atPath: folder.file("control.sock")) {
                    try await Task.sleep(for: .milliseconds(10))
                }
                #expect(try await trial.faults().contains { $0.contains("cannot be saved yet") })
                #expect(!box.errors.entries.contains { $0.contains(" stored ") || $0.contains(" announced ") })
                try await ChildProcess.run("rm", "\(state)/hog")
                try await checkSaved(trial, box)
            }
        } catch {
            try await ChildProcess.run("umount", "-l", state)
            throw error
        }
        try await ChildProcess.run("umount", "-l", state)
    }

    @Test("Deleted under the running box, it is there again with the next payment, and a start knows them all")
    func deleted() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker)
            let box = try await trial.startBox()
            #expect(try await trial.publishAndWait([notice("d-1", "1")]).map(\.state) == ["stored", "announced"])
            try FileManager.default.removeItem(atPath: trial.inbox)
            #expect(try await trial.publishAndWait([notice("d-2", "2")]).map(\.state) == ["stored", "announced"])
            #expect(try await trial.faults().contains { $0.contains("deleted or moved away") })
            box.kill9()
            _ = try await box.exitStatus()
            #expect(try SQLiteInbox(path: trial.inbox).counts().announced == 2)
        }
    }
}
