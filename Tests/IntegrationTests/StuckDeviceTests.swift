import Foundation
import Glibc
import SoundboxSystem
import TestSupport
import Testing

/// alsa-lib itself, whose `file` plugin waits inside its calls for a pipe that nobody reads, as a driver does whose card
/// hangs.
@Suite("A sound device that blocks inside alsa-lib", .timeLimit(.minutes(10)))
struct StuckDeviceTests {
    private let folder: TemporaryFolder
    private let pipe: String
    private let asound: String

    init() throws {
        folder = try TemporaryFolder()
        pipe = folder.file("pipe")
        guard mkfifo(pipe, 0o600) == 0 else { throw TestFailure("mkfifo failed: error \(errno)") }
        asound = try folder.write(
            """
            pcm.shop { type file, slave.pcm "fixed", file "\(pipe)", format raw }
            pcm.fixed { type null }

            """, to: "asound.conf")
    }

    /// Opens the pipe, by which the device can be opened; what it plays is taken out of it by ``drainPipe(_:)`` only.
    private func openPipe() throws -> Int32 {
        let descriptor = open(pipe, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw TestFailure("the pipe does not open: error \(errno)") }
        return descriptor
    }

    /// Until the test process ends.
    private func drainPipe(_ descriptor: Int32) {
        startThread(named: "pipe") {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            while read(descriptor, &bytes, bytes.count) > 0 {}
        }
    }

    private func trial(on broker: MosquittoBroker) throws -> Trial {
        try Trial(folder: folder, broker: broker, device: "shop")
    }

    @Test("One that does not open is told within seconds, its payments wait, and are spoken when it opens")
    func opening() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try trial(on: broker)
            let box = try await trial.startBox(environment: ["ALSA_CONFIG_PATH": asound])
            let receipts = try trial.collectReceipts(untilAnnounced: 2)
            try await trial.publish([notice("S-1", "1"), notice("S-2", "2")])
            try await box.logged("error no sound", "shop", "did not come back in time")
            #expect(try await trial.faults().contains { $0.contains("\"shop\"") })
            #expect(!box.errors.entries.contains { $0.contains(" announced ") })
            drainPipe(try openPipe())
            try await box.logged("sound is back")
            let announced = try await receipts.all().filter { $0.state == "announced" }.map(\.id)
            #expect(announced == ["S-1", "S-2"])
            #expect(try await trial.faults() == [])
            // Told when it changes, and not with every attempt.
            #expect(box.errors.entries.count { $0.contains("error no sound") } <= 3)
            #expect(try await box.stop() == 0)
        }
    }

    @Test("One that stops in the middle is told, and the payment is spoken again, whole, when it goes on")
    func writing() async throws {
        let descriptor = try openPipe()
        try await withMosquitto(in: folder) { broker in
            let trial = try trial(on: broker)
            let box = try await trial.startBox(environment: ["ALSA_CONFIG_PATH": asound])
            let receipts = try trial.collectReceipts(untilAnnounced: 1)
            try await trial.publish([notice("S-1", "123.45")])
            // A pipe holds 64 KiB, less than a second of sound.
            try await box.logged("error no sound", "shop", "giving it sound did not come back in time")
            #expect(!box.errors.entries.contains { $0.contains(" announced ") })
            drainPipe(descriptor)
            try await box.logged("sound is back")
            #expect(try await receipts.all().filter { $0.state == "announced" }.map(\.id) == ["S-1"])
            #expect(try await box.stop() == 0)
        }
    }

    @Test("SIGTERM ends the box in good order while the device holds it: receipts and status go out, exit code 0")
    func stopping() async throws {
        let descriptor = try openPipe()
        try await withMosquitto(in: folder) { broker in
            let trial = try trial(on: broker)
            let box = try await trial.startBox(environment: ["ALSA_CONFIG_PATH": asound])
            try await trial.publish([notice("S-1", "123.45")])
            try await box.logged("announcing", "id=S-1")
            #expect(try await box.stop() == 0)
            #expect(box.errors.entries.last?.contains("stopped") == true, "\(box.errors.entries)")
            #expect(!box.errors.entries.contains { $0.contains(" announced ") })
            #expect(!box.errors.entries.contains { $0.contains("Fatal error") })

            // It is still waiting, and spoken by the next box.
            drainPipe(descriptor)
            let receipts = try trial.collectReceipts(untilAnnounced: 1)
            let again = try await trial.startBox(environment: ["ALSA_CONFIG_PATH": asound])
            #expect(try await receipts.all().filter { $0.state == "announced" }.map(\.id) == ["S-1"])
            #expect(try await again.stop() == 0)
        }
    }

    @Test("SIGTERM ends a box whose device never opened as well")
    func stoppingWhileOpening() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try trial(on: broker)
            let box = try await trial.startBox(environment: ["ALSA_CONFIG_PATH": asound])
            #expect(try await box.stop() == 0)
            #expect(box.errors.entries.last?.contains("stopped") == true, "\(box.errors.entries)")
        }
    }
}
