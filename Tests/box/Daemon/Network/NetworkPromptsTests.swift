import Logging
import ServiceLifecycle
import SoundboxCore
import SoundboxSpeech
import TestSupport
import Testing

@testable import SoundboxBox

@Suite("The service that speaks of the network", .timeLimit(.minutes(15)))
struct NetworkPromptsTests {
    private let state = BoxState(volume: Volume(80))
    private let requests = AnnouncerRequests()

    private func service(_ policy: NetworkPromptSettings) -> NetworkPrompts {
        NetworkPrompts(policy, state: state, quietTime: QuietTime(), requests: requests)
    }

    /// What waits to be said.
    private var waiting: Prompt? {
        requests.with { asked in
            var prompts = asked.prompts
            return prompts.popFirst()
        }
    }

    private func waits(_ prompt: Prompt?) async { while waiting != prompt { await requests.wait(atMost: nil) } }

    private func hear(_ prompt: Prompt, _ service: NetworkPrompts) async {
        await waits(prompt)
        requests.with { _ = $0.prompts.popFirst() }
        service.heard(prompt)
    }

    private func lose() {
        state.update { $0.connection = .disconnected(reason: "no route", retryIn: .zero) }
    }

    @Test("Ready, lost and found are said in their order, each when the one before has been heard")
    func order() async {
        let service = service(.init(grace: .milliseconds(1)))
        let run = Task { await service.run() }
        defer { run.cancel() }
        state.update { $0.connection = .subscribed }
        await hear(.greeting, service)
        lose()
        await hear(.networkLost, service)
        state.update { $0.connection = .subscribed }
        await waits(.networkRestored)
        // Nobody has heard it.
        lose()
        await waits(nil)
    }

    @Test("A box that is stopped takes back what nobody has heard")
    func stopped() async throws {
        let service = service(.init(grace: .milliseconds(1)))
        let group = ServiceGroup(services: [service], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        async let run: Void = group.run()
        state.update { $0.connection = .subscribed }
        await waits(.greeting)
        await group.triggerGracefulShutdown()
        try await run
        #expect(waiting == nil)
    }
}
