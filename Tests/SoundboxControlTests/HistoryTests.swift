import SoundboxControl
import SoundboxCore
import Testing

@Suite("The history on the control socket")
struct HistoryTests {
    private let trial: ControlTrial

    init() throws { trial = try ControlTrial() }

    @Test("What is asked reaches the box, with every sign in its names")
    func asks() async throws {
        try await trial.whileOpen {
            let answer = try await trial.client.history([
                ("from", "2026-11-01T08:00:00+08:00"), ("channel", "a&b=c %+é微"), ("limit", "3"),
            ])
            #expect(answer["limit"]?.integer == 3)
            #expect(answer["channels"]?.string == "a&b=c %+é微")
            #expect(answer["from"]?.string == "2026-11-01T00:00:00.000Z")
            #expect(
                try await trial.client.totals([("day", "2026-11-22")])["from"]?.string == "2026-11-22T00:00:00.000Z")
        }
    }

    @Test("What is not understood is a bad request, and a box that cannot answer says so")
    func refuses() async throws {
        try await trial.whileOpen {
            let wrong = try await trial.ask("GET", "/history?colour=red")
            #expect(wrong.code == 400 && wrong.error?.hasPrefix("\"colour\" is unknown") == true)
            #expect(try await trial.ask("GET", "/totals?day=tomorrow").code == 400)
            let fault = try await trial.ask("GET", "/totals?day=today")
            #expect(fault.code == 503 && fault.error?.contains("which day it is") == true)
            await #expect(throws: ControlError.self) { try await trial.client.totals([("day", "today")]) }
        }
    }

    @Test("A box that is not in service has no history")
    func notInService() async throws {
        try await trial.whileOpen(isInService: false) {
            for path in ["/history", "/totals"] {
                let answer = try await trial.ask("GET", path)
                #expect(answer.code == 503)
            }
        }
    }
}
