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
    private let said = Journal<Prompt>()
    private let withdrawn = Journal<Prompt>()

    private func service(_ policy: NetworkPromptPolicy) -> NetworkPrompts {
        NetworkPrompts(
            policy, state: state, quietTime: QuietTime(), say: { [said] in said.append($0) },
            withdraw: { [withdrawn] in withdrawn.append($0) })
    }

    private func lose() {
        state.update { $0.connection = .disconnected(reason: "no route", retryIn: .zero) }
    }

    @Test("Ready, lost and found are said in their order, each when the one before has been heard")
    func order() async throws {
        let service = service(.init(grace: .milliseconds(1)))
        let run = Task { await service.run() }
        defer { run.cancel() }
        state.update { $0.connection = .subscribed }
        #expect(try await said.next() == .greeting)
        service.heard(.greeting)
        lose()
        #expect(try await said.next() == .networkLost)
        service.heard(.networkLost)
        state.update { $0.connection = .subscribed }
        #expect(try await said.next() == .networkRestored)
        #expect(said.entries.count == 3)
        // Nobody has heard it.
        lose()
        try await withdrawn.next { $0 == .networkRestored ? () : nil }
    }

    @Test("A box that is stopped takes back what nobody has heard")
    func stopped() async throws {
        let service = service(.init(grace: .milliseconds(1)))
        let group = ServiceGroup(services: [service], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        async let run: Void = group.run()
        state.update { $0.connection = .subscribed }
        #expect(try await said.next() == .greeting)
        await group.triggerGracefulShutdown()
        try await run
        #expect(withdrawn.entries == [.greeting])
    }
}
