import Foundation
import Glibc
import SoundboxCore
import SoundboxMQTT
import SoundboxStore
import TestSupport
import Testing

@Suite("When the disk fails, nothing is acknowledged, the box says why, and it recovers", .timeLimit(.minutes(10)))
struct StorageFailureTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Limits the files that the running box writes: beyond that the kernel refuses (setrlimit(2), RLIMIT_FSIZE), which
    /// to SQLite is what a full or broken disk is. Needs no right to mount.
    private func limitFiles(of box: ChildProcess, to bytes: String) async throws {
        // The soft limit only, so that it can be lifted again.
        try await ChildProcess.run("prlimit", "--pid", "\(box.id)", "--fsize=\(bytes):")
    }

    @Test("A payment that cannot be committed stays at the broker, with a fault in log and status, until there is room")
    func diskFull() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(
                folder: folder, broker: broker, device: "null", announce: ["late: silent"])
            // With SIGXFSZ ignored a write beyond the limit fails; otherwise it would end the process.
            let box = try ChildProcess([
                "env", "--ignore-signal=XFSZ", Products.soundbox, "run", "--config", trial.configurationFile,
            ])
            try await box.logged(" info online")
            try await limitFiles(of: box, to: "65536")
            // More than fits into a log of that size, as one batch.
            let payments = (1...300).map { notice("full-\($0)", "1") }
            try await trial.publish(payments)
            try await box.logged("error", "payments refused: the broker will send them again")
            #expect(try await status(trial, contains: "inbox"))
            // Once per fault, however often the broker tries.
            for _ in 1...3 { try await box.logged("warning offline") }
            #expect(box.errors.entries.filter { $0.contains("payments refused") }.count == 1)
            #expect(!box.errors.entries.contains { $0.contains(" stored ") })

            try await limitFiles(of: box, to: "unlimited")
            try await box.logged(" stored ", "id=full-300")
            #expect(try await status(trial, lacks: "inbox"))
            #expect(try await box.stop() == 0)
            let counts = try SQLiteInbox(path: trial.inbox).counts()
            #expect(counts.waiting + counts.announced == 300)
        }
    }

    @Test("On a full file system, which only root can mount, it is the same", .enabled(if: geteuid() == 0))
    func fullFileSystem() async throws {
        let state = folder.file("state")
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
        let mount = try ChildProcess(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", state])
        // A container may forbid even root to mount; the other test then stands alone.
        guard try await mount.exitStatus() == 0 else { return }
        do {
            try await withMosquitto(in: folder) { broker in
                let trial = try Trial(folder: folder, broker: broker)
                let box = try await trial.startBox()
                // A file of somebody else's takes what is left.
                try await ChildProcess.run("bash", "-c", "cat /dev/zero > '\(state)/hog' || true")
                try await trial.publish((1...15).map { notice("fs-\($0)", "1") })
                try await box.logged("error", "payments refused", "full")
                let receipts = try trial.collectReceipts(untilAnnounced: 15)
                try await ChildProcess.run("rm", "\(state)/hog")
                let announced = try await receipts.all().filter { $0.state == "announced" }.map(\.id)
                #expect(announced == (1...15).map { "fs-\($0)" })
                #expect(try await box.stop() == 0)
            }
        } catch {
            try await ChildProcess.run("umount", "-l", state)
            throw error
        }
        try await ChildProcess.run("umount", "-l", state)
    }

    @Test("A damaged database is set aside at start, and the box takes payments on a fresh one and says so")
    func damagedDatabase() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker)
            try FileManager.default.createDirectory(atPath: folder.file("state"), withIntermediateDirectories: true)
            try String(repeating: "no database", count: 999)
                .write(toFile: trial.inbox, atomically: false, encoding: .utf8)
            let box = try await trial.startBox()
            #expect(box.errors.entries.contains { $0.contains("error inbox") && $0.contains(".corrupt-") })
            #expect(try await status(trial, contains: "corrupt"))
            let receipts = try await trial.publishAndWait([notice("A-1", "1")])
            #expect(receipts.map(\.state) == ["stored", "announced"])
            #expect(try await box.stop() == 0)
            let kept = try FileManager.default.contentsOfDirectory(atPath: folder.file("state"))
            #expect(kept.contains { $0.hasPrefix("inbox.sqlite.corrupt-") })
        }
    }

    @Test("An inbox that is missing is told like a damaged one, and at a box's first start it is not")
    func missingDatabase() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker)
            var box = try await trial.startBox()
            #expect(try await trial.faults() == [])
            _ = try await trial.publishAndWait([notice("A-1", "1")])
            #expect(try await box.stop() == 0)
            for name in try folder.names(in: "state") where name.hasPrefix("inbox.sqlite") {
                try folder.remove("state/\(name)")
            }
            box = try await trial.startBox()
            let line = "the payment database is missing, though this box had one"
            #expect(box.errors.entries.contains { $0.contains("error inbox") && $0.contains(line) })
            #expect(try await status(trial, contains: line))
            #expect(box.errors.entries.contains { $0.contains("error not in service") && $0.contains("is missing") })
            let receipts = try await trial.publishAndWait([notice("A-2", "1")])
            #expect(receipts.map(\.state) == ["stored", "announced"])
            #expect(try await box.stop() == 0)
        }
    }

    @Test("A payment that still waits can be cancelled by command, and is not spoken")
    func cancelled() async throws {
        try await withMosquitto(in: folder) { broker in
            // In real time: the last one waits while three are spoken, however late the test wakes up.
            let trial = try Trial(folder: folder, broker: broker, device: "null")
            let box = try await trial.startBox()
            let receipts = try trial.collectReceipts(untilAnnounced: 3)
            try await trial.publish((1...4).map { notice("c-\($0)", "\($0)") })
            try await box.logged("announcing", "c-1")
            try await ChildProcess.run(
                "mosquitto_pub", "-p", "\(broker.port)", "-q", "1", "-t", "soundbox/v1/M1001/box-01/commands", "-m",
                #"{"id":"x-1","type":"cancel","payment_id":"c-4"}"#)
            try await box.logged("cancelled", "id=c-4")
            let all = try await receipts.all()
            #expect(all.filter { $0.state == "announced" }.map(\.id) == ["c-1", "c-2", "c-3"])
            #expect(all.filter { $0.state == "cancelled" }.map(\.id) == ["c-4"])
            #expect(try await box.stop() == 0)
        }
    }

    private func status(_ trial: Trial, contains word: String) async throws -> Bool {
        try await trial.faults().contains { $0.contains(word) }
    }

    private func status(_ trial: Trial, lacks word: String) async throws -> Bool {
        try await !status(trial, contains: word)
    }
}
