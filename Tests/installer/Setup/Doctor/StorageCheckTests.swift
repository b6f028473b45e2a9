import SoundboxSystem
import Testing

@testable import SoundboxSetup

@Suite("What the doctor says about a power cut")
struct StorageCheckTests {
    private let check = StorageCheck(stateDirectory: "/var/lib/soundbox", setupFolder: "/etc/soundbox")

    @Test(
        "State or setup in RAM is red; a trial's is amber",
        arguments: [
            (PowerLoss.kept, PowerLoss.kept, Finding.Level.green), (.gone("why"), .kept, .red),
            (.kept, .gone("why"), .red), (.expected("why"), .gone("why"), .red), (.expected("why"), .kept, .amber),
            (.kept, .expected("why"), .green),
        ])
    func levels(state: PowerLoss, setup: PowerLoss, level: Finding.Level) {
        let finding = check.finding(state: state, setup: setup)
        #expect(finding.level == level)
        #expect((finding.advice == nil) == (level == .green))
        #expect(finding.detail.contains("why") == (level != .green))
    }
}
