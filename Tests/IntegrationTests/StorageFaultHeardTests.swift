import Foundation
import GRDB
import Glibc
import SoundboxAudio
import SoundboxConfiguration
import SoundboxCore
import SoundboxSpeech
import SoundboxVoice
import TestSupport
import Testing

@Suite("A fault of the storage is heard and shown", .timeLimit(.minutes(10)))
struct StorageFaultHeardTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("It is spoken once per fault, and payments are spoken as soon as it is over")
    func spokenOnce() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker)
            let box = try await trial.startBox()
            // Another program that holds the database makes every commit fail, with no right to anything.
            var audibilities = Configuration()
            audibilities.allowsUnsafeTransactions = true
            let intruder = try DatabaseQueue(path: trial.inbox, configuration: audibilities)
            try await intruder.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
            try await trial.publish([notice("h-1", "1")])
            try await box.logged("error", "payments refused")
            try await box.logged("announcing", "prompt=storage_fault")
            // Refused again, which is the same fault.
            try await box.logged("warning offline")
            try await box.logged("warning offline")
            #expect(try await trial.faults().contains { $0.contains("locked") })
            try await intruder.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
            try await box.logged("announced", "id=h-1")
            #expect(try await trial.faults().isEmpty)

            try await intruder.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
            try await trial.publish([notice("h-2", "2")])
            try await box.logged("announcing", "prompt=storage_fault")
            // Finishes what it is saying.
            #expect(try await box.stop() == 0)
            try await intruder.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }

            let prompt = try await spoken(.prompt(.storageFault), Delivery(hasChime: false, gap: .milliseconds(200)))
            let payment = try await spoken(.payment(try Money("1", .CNY), channel: "alipay"), Delivery())
            #expect(try WAV(reading: trial.wav).samples == prompt + payment + prompt)
        }
    }

    /// Worn cards end like this: the kernel meets an error and makes the file system read-only under the open files.
    @Test(
        "On a file system that has become read-only nothing is acknowledged, the box says so, and no payment is lost",
        .enabled(if: geteuid() == 0, "only root can mount a file system"))
    func readOnly() async throws {
        let (image, state) = (folder.file("card.img"), folder.file("state"))
        let mended = folder.file("mended.img")
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
        try await ChildProcess.run("truncate", "-s", "16M", image)
        try await ChildProcess.run("mkfs.ext4", "-q", image)
        let mount = try ChildProcess(["mount", "-o", "loop", image, state])
        guard try await mount.exitStatus() == 0 else {
            // A container may forbid even root to mount.
            print("not tested: \(try await mount.errors.all().joined())")
            return
        }
        do {
            try await withMosquitto(in: folder) { broker in
                let trial = try Trial(folder: folder, broker: broker)
                let box = try await trial.startBox()
                let first = try await trial.publishAndWait([notice("ro-1", "1")])
                #expect(first.map(\.state) == ["stored", "announced"])
                try await ChildProcess.run("mount", "-o", "remount,abort", state)
                try await trial.publish((2...5).map { notice("ro-\($0)", "\($0)") })
                try await box.logged("error", "payments refused")
                try await box.logged("announcing", "prompt=storage_fault")
                try await box.logged("warning offline")
                #expect(try await !trial.faults().isEmpty)
                #expect(!box.errors.entries.contains { $0.contains(" stored ") && $0.contains("id=ro-2") })
                let checkUp = try await soundbox("doctor", "--config", trial.configurationFile)
                #expect(checkUp.code == 1)
                #expect(checkUp.output.contains { $0.hasPrefix("BAD") && $0.contains("inbox") }, "\(checkUp.output)")
                box.kill9()
                _ = try await box.exitStatus()

                // As after a reboot whose file-system check has mended it. A copy, since the kernel goes on with the
                // broken file system for as long as another name space of mounts still has it.
                try await ChildProcess.run("umount", state)
                try await ChildProcess.run("cp", image, mended)
                try await ChildProcess.run("mount", "-o", "loop", mended, state)
                let receipts = try trial.collectReceipts(untilAnnounced: 4, besides: ["ro-1"])
                let again = try await trial.startBox()
                let announced = try await receipts.all().filter { $0.state == "announced" }.map(\.id)
                #expect(announced == (2...5).map { "ro-\($0)" })
                #expect(try await again.stop() == 0)
            }
        } catch {
            try await ChildProcess.run("umount", "-l", state)
            throw error
        }
        try await ChildProcess.run("umount", "-l", state)
    }

    /// What the box plays for this, with nothing before and after.
    private func spoken(_ utterance: Utterance, _ delivery: Delivery) async throws -> [Int16] {
        let voice = try VoiceFolder(path: Products.sounds).voice("zh-CN")
        let file = folder.file("alone.wav")
        let player = Player(
            sink: WAVFileSink(path: file), voices: Voices(first: voice), volume: Volume(100))
        try await player.play(voice.writer.script(for: utterance), delivery)
        await player.close()
        return try WAV(reading: file).samples
    }
}
