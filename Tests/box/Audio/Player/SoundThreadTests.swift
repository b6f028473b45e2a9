import SoundboxCore
import SoundboxSystem
import SoundboxTesting
import Testing

@testable import SoundboxAudio

@Suite("The sound thread", .timeLimit(.minutes(10)))
struct SoundThreadTests {
    @Test("Looks do not keep a device open that is to be closed when it is idle, nor do they open it again")
    func looksWhileIdle() async throws {
        let sink = RecordingSink()
        let thread = SoundThread(closeWhenIdle: .milliseconds(20)) { _ in sink }
        _ = try await thread.open()
        // For ever, if each of them counted as use.
        while sink.isOpen { try await thread.checkDevice() }
        for _ in 1...3 { try await thread.checkDevice() }
        #expect(sink.openingCount == 1)
    }

    @Test("Without being asked to, the thread is as urgent as the others")
    func ordinary() async throws {
        let thread = SoundThread { _ in RecordingSink() }
        let scheduling = try await thread.run { _ in ThreadScheduling.current }
        if case .realTime = scheduling { Issue.record("\(scheduling)") }
    }
}
