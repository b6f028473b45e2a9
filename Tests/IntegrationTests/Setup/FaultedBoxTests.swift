import Foundation
import GRDB
import SoundboxAudio
import SoundboxCore
import SoundboxHardware
import SoundboxSpeech
import SoundboxVoice
import TestSupport
import Testing

@Suite("A setup or a storage that cannot be used is told, and tried again, and is no end", .timeLimit(.minutes(10)))
struct FaultedBoxTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var file: String { folder.file("soundbox.yaml") }

    /// - Parameter broken: what the line that begins with the same word says instead; `nil` for a setup in order.
    private func configure(_ broker: MosquittoBroker, broken: String? = nil, more: [String] = []) throws {
        var lines = [
            "merchant_id: M1001",
            "device_id: box-01",
            "broker: {url: \"mqtt://127.0.0.1:\(broker.port)\"}",
            "audio: {device: \"file:\(folder.file("sound.wav"))\", volume: 100}",
            "voice: {directory: \"\(Products.sounds)\"}",
            "board_directory: \"\(Products.board)\"",
            // The words of a box that works are not what is listened for.
            "announce: {prompts: {network: false, ready: false}}",
            "state_directory: \"\(folder.file("state"))\"",
            "control_socket: \"\(folder.file("control.sock"))\"",
        ]
        if let broken {
            let key = broken.prefix { $0 != ":" }
            lines = lines.filter { !$0.hasPrefix("\(key):") } + [broken]
        }
        try folder.write((lines + more).joined(separator: "\n") + "\n", to: "new.yaml")
        // As setup does: the old one or the new one, and nothing in between.
        try #require(rename(folder.file("new.yaml"), file) == 0)
    }

    private func launch() throws -> ChildProcess { try ChildProcess([Products.soundbox, "run", "--config", file]) }

    private func status() async throws -> JSONValue {
        let result = try await soundbox("status", "--json", "--config", file, "--socket", folder.file("control.sock"))
        return try JSONValue(parsing: Array(result.output.joined().utf8))
    }

    /// What the voice says, as it would be alone.
    private func words(_ prompt: Prompt) async throws -> [Int16] {
        let expected = folder.file("expected.wav")
        let speaker = Speaker(
            device: "file:\(expected)", voice: try VoiceFolder(path: Products.sounds).voice("zh-CN"))
        try await speaker.speak(.prompt(prompt))
        await speaker.close()
        return try WAV(reading: expected).samples
    }

    /// Goes on in service when `cure` has been carried out, in the same process, and stops in good order.
    private func expectCure(
        of box: ChildProcess, reason: String, words prompt: Prompt, _ cure: () async throws -> Void
    ) async throws {
        try await box.logged("error not in service, trying again", reason)
        try await box.logged("said that the box is not in service")
        #expect(try WAV(reading: folder.file("sound.wav")).samples == (try await words(prompt)))
        let status = try await status()
        #expect(status["state"]?.string == "offline")
        guard case .array(let faults)? = status["faults"] else { throw TestFailure("no faults in \(status)") }
        #expect(faults.count == 1 && faults.first?.string?.contains(reason) == true)
        let volume = try await soundbox("volume", "50", "--config", file, "--socket", folder.file("control.sock"))
        #expect(volume.code == 1)
        try await cure()
        try await box.logged(" info online")
        #expect(box.errors.entries.count { $0.contains("not in service, trying again") } == 1)
        #expect(try await box.stop() == 0)
    }

    @Test("A typo in the configuration, which goes on at once when it is corrected")
    func typo() async throws {
        try await withMosquitto(in: folder) { broker in
            try configure(broker, broken: "voice: {directory: \"\(Products.sounds)\", lokale: zh-CN}")
            let box = try launch()
            try await expectCure(of: box, reason: "lokale: unknown key", words: .setupFault) {
                try configure(broker)
            }
        }
    }

    @Test("A secret that everybody may read")
    func secret() async throws {
        try await withMosquitto(in: folder) { broker in
            let key = try folder.write(String(repeating: "k", count: 44) + "\n", to: "signing.key")
            chmod(key, 0o644)
            try configure(broker, more: ["authenticity: {key_file: \"\(key)\"}"])
            let box = try launch()
            try await expectCure(of: box, reason: "every user of this system may read it", words: .setupFault) {
                chmod(key, 0o600)
            }
        }
    }

    @Test("A state directory that cannot be written")
    func state() async throws {
        try await withMosquitto(in: folder) { broker in
            try configure(broker)
            try folder.write("in the way\n", to: "state")
            let box = try launch()
            try await expectCure(of: box, reason: "state directory", words: .storageFault) {
                try folder.remove("state")
            }
        }
    }

    @Test("A voice that is not there: another one says so, until it is")
    func voice() async throws {
        try await withMosquitto(in: folder) { broker in
            let sounds = folder.file("sounds")
            try configure(broker, broken: "voice: {directory: \"\(sounds)\"}")
            let box = try ChildProcess(
                ["env", "-C", Products.project, Products.soundbox, "run", "--config", file])
            try await expectCure(of: box, reason: "there is no voice in", words: .setupFault) {
                // Half of a folder is a fault of its own.
                try await ChildProcess.run("cp", "-r", Products.sounds, folder.file("copied"))
                try #require(rename(folder.file("copied"), sounds) == 0)
            }
        }
    }

    @Test("A board file that is not there, then a typo: each reason is told once; SIGTERM ends it in good order")
    func changing() async throws {
        try await withMosquitto(in: folder) { broker in
            try configure(broker, broken: "board: nonsuch")
            let box = try launch()
            try await box.logged("error not in service, trying again", "there is no such board")
            try configure(broker, broken: "log_level: chatty")
            try await box.logged("error not in service, trying again", "log_level")
            #expect(try await box.stop() == 0)
            #expect(box.errors.entries.count { $0.contains("trying again") } == 2)
            #expect(!FileManager.default.fileExists(atPath: folder.file("control.sock")))
        }
    }

    @Test("A configuration that is not there, and that nobody waits for, is an error")
    func missing() async throws {
        let result = try await soundbox("run", "--config", folder.file("none.yaml"))
        #expect(result.code == 1)
        #expect(result.errors.count == 1 && result.errors.first?.contains("none.yaml") == true)
    }
}
