import SoundboxYAML
import TestSupport
import Testing

@testable import SoundboxSetup

@Suite("What setup says of the sound", .timeLimit(.minutes(10)))
struct SetupSoundTests {
    @Test("Digits that nobody can hear were not said, and the greeting neither", arguments: [[], [4, 2]])
    func unheard(digits: [Int]) async throws {
        let folder = try TemporaryFolder()
        let sounds = #filePath.replacing(/\/Tests\/.*$/, with: "/sounds")
        let voices = "voice: {directory: \"\(sounds)\"}\n"
        var answers = SetupAnswers()
        answers.audioDevice = "file:\(folder.file("sound.wav"))"
        func speak(at volume: Int) async throws {
            answers.volume = volume
            try await SetupTrial(answers, over: try YAMLDocument(parsing: voices, file: "none")).speak(digits)
        }
        try await speak(at: 10)
        await #expect { try await speak(at: 0) } throws: { "\($0)".contains("volume 0") }
    }
}

@Suite("What setup says of names")
struct SetupTrialTests {
    private func findings(merchant: String, device: String) -> [Finding] {
        var answers = SetupAnswers()
        (answers.merchantID, answers.deviceID) = (merchant, device)
        return SetupTrial.nameFindings(answers)
    }

    @Test("A sign that RabbitMQ rewrites is a warning with its key, and no refusal")
    func warned() {
        let findings = findings(merchant: "M.1001", device: "box*1")
        #expect(findings.map(\.level) == [.amber, .amber])
        #expect(findings[0].detail.contains("merchant_id \"M.1001\" holds \".\""))
        #expect(findings[1].detail.contains("device_id \"box*1\" holds \"*\""))
    }

    @Test(
        "A blank at an end of the password is a warning",
        arguments: [("x y", 0), ("xyz ", 1), ("\u{3000}xyz", 1), ("xyz\t", 1)])
    func blank(password: String, count: Int) {
        let findings = SetupTrial.passwordFindings(password)
        #expect(findings.map(\.level) == Array(repeating: .amber, count: count))
        #expect(!findings.contains { $0.detail.contains(password) })
    }

    @Test("Other signs are no warning")
    func silent() { #expect(findings(merchant: "M-1001_x", device: "前台").isEmpty) }
}
