import Foundation
import SoundboxCore
import TestSupport
import Testing

@Suite("A box whose language has several speakers", .timeLimit(.minutes(10)))
struct SpeakerTests {
    private let folder: TemporaryFolder
    private var sounds: String { folder.file("sounds") }

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: sounds, withIntermediateDirectories: false)
        for (name, speaker) in [("zh-CN", "xiaoxiao"), ("zh-CN-yunxi", "yunxi")] {
            try FileManager.default.copyItem(atPath: "\(Products.sounds)/zh-CN", toPath: "\(sounds)/\(name)")
            let path = "\(sounds)/\(name)/voice.yaml"
            let text = try String(contentsOfFile: path, encoding: .utf8)
                .split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix("speaker:") }
            let named = "speaker: {id: \(speaker), name: \(speaker)}\n" + text.joined(separator: "\n")
            try named.write(toFile: path, atomically: false, encoding: .utf8)
        }
    }

    @Test("Whoever was chosen speaks; of one who is not installed the status warns, and somebody else speaks")
    func chosen() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker, device: "null", sounds: sounds)
            let text = try String(contentsOfFile: trial.configurationFile, encoding: .utf8)
            for (speaker, voice, warnings) in [("yunxi", "zh-CN-yunxi", 0), ("emma", "zh-CN", 1)] {
                try text.replacing("voice: {", with: "voice: {speaker: \(speaker), ")
                    .write(toFile: trial.configurationFile, atomically: false, encoding: .utf8)
                let box = try await trial.startBox()
                let status = try await soundbox("status", "--json", "--config", trial.configurationFile)
                let json = try JSONValue(parsing: Array(status.output.joined().utf8))
                #expect(json["voice"]?.string == voice)
                guard case .array(let told)? = json["warnings"] else { throw TestFailure("no warnings in \(status)") }
                #expect(told.count == warnings, "\(told)")
                if warnings > 0 {
                    #expect(told.first?.string == "speaker \"emma\" of zh-CN is not installed; zh-CN speaks instead")
                }
                #expect(try await trial.faults() == [])
                box.terminate()
                _ = try await box.exitStatus()
            }
        }
    }
}
