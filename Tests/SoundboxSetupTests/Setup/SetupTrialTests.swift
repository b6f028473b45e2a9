import Testing

@testable import SoundboxSetup

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

    @Test("Other signs are no warning")
    func silent() { #expect(findings(merchant: "M-1001_x", device: "前台").isEmpty) }
}
