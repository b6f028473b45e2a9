import SoundboxCore
import SoundboxMQTT
import SoundboxSystem
import TestSupport
import Testing

@testable import SoundboxGateway

@Suite("Commands that somebody waits for", .timeLimit(.minutes(10)))
struct PendingCommandsTests {
    private let commands = PendingCommands(timeout: .seconds(3600))

    private func send(_ id: String, _ type: String = "volume", isAway: Bool = false) async -> PendingCommands.Outcome {
        await commands.send(
            type, [("id", .string(id)), ("volume", .integer(5)), ("type", .string("settings"))], to: trialBox,
            at: Moment.start.time, waits: type == "cancel", isAway: isAway, wake: {})
    }

    /// What is published, as soon as there is something.
    private func publication() async throws -> FleetPublication {
        while true {
            let found = commands.publications(limit: 1) { (members, _, _) throws(SecretFileError) in
                JSONValue.object(members).bytes
            }
            if let found = found.first { return found }
            await Task.yield()
        }
    }

    private func turn(_ reply: String, from box: BoxID = trialBox) -> FleetTurn {
        var turn = FleetTurn()
        turn.messages = [.init(topic: box.topic(.replies), payload: Array(reply.utf8))]
        return turn
    }

    @Test("Each gets the reply to its own command, from its own box, and nothing of it is left for others")
    func reply() async throws {
        async let first = send("c-1")
        let published = try await publication()
        #expect(published.topic == trialBox.topic(.commands) && published.expiry == 60)
        let command = try JSONValue(parsing: published.payload)
        #expect(command["id"] == .string("c-1") && command["at"] != nil && command["volume"] == .integer(5))
        // The path says which command it is, and with it which right.
        #expect(command["type"] == .string("volume"))
        for other in [
            turn(#"{"command":"c-1","result":"ok"}"#, from: otherBox), turn(#"{"command":"c-2","result":"ok"}"#),
            turn(#"{"command":null,"result":"refused"}"#), turn("nonsense"),
        ] { #expect(commands.removeCommands(from: other).messages.isEmpty) }
        var turn = turn(#"{"command":"c-1","result":"refused","reason":"volume: no"}"#)
        turn.messages.append(.init(topic: trialBox.topic(.receipts), payload: []))
        (turn.acknowledged, turn.refused) = ([published.id, 7, -1], [(8, "x")])
        let rest = commands.removeCommands(from: turn)
        #expect(rest.messages.map(\.topic) == [trialBox.topic(.receipts)])
        #expect(rest.acknowledged == [7, -1] && rest.refused.map(\.id) == [8])
        guard case .reply(let reply) = await first else { throw TestFailure("no reply") }
        #expect(reply["reason"] == .string("volume: no"))
    }

    @Test("For a box that is away it is done when the broker has it, and kept there without end")
    func away() async throws {
        async let cancel = send("c-1", "cancel", isAway: true)
        let published = try await publication()
        #expect(published.expiry == nil)
        var turn = FleetTurn()
        turn.acknowledged = [published.id]
        #expect(commands.removeCommands(from: turn).acknowledged.isEmpty)
        #expect(await cancel == .waits(id: "c-1"))
    }

    @Test("What the broker refuses, and what cannot be signed, is told as not sent")
    func unsent() async throws {
        async let refused = send("c-1")
        var turn = FleetTurn()
        turn.refused = [(try await publication().id, "not authorised")]
        _ = commands.removeCommands(from: turn)
        #expect(await refused == .unsent(reason: "the broker: not authorised"))
        async let unsigned = send("c-2")
        while true {
            let broken = SecretFile(path: "/k").failure("is blank")
            var isAsked = false
            _ = commands.publications(limit: 1) { (_, _, _) throws(SecretFileError) in
                isAsked = true
                throw broken
            }
            if isAsked { break }
            await Task.yield()
        }
        #expect(await unsigned == .unsent(reason: "the box's key: is blank"))
    }

    @Test("Without a reply it ends after a while, and says whether the broker had it")
    func timeout() async throws {
        let commands = PendingCommands(timeout: .milliseconds(1))
        let outcome = await commands.send(
            "volume", [], to: trialBox, at: Moment.start.time, waits: false, isAway: false, wake: {})
        #expect(outcome == .unsent(reason: "the broker is not reached"))
    }

    @Test("No more than 128 wait at once: each holds a connection, which a payment may need")
    func most() async throws {
        await withTaskGroup(of: PendingCommands.Outcome.self) { group in
            for number in 0..<PendingCommands.most { group.addTask { await send("c-\(number)") } }
            var published = 0
            while published < PendingCommands.most {
                published += commands.publications(limit: 1000) { (_, _, _) in [] }.count
                await Task.yield()
            }
            #expect(await send("one more") == .unsent(reason: "128 others wait for answers"))
            for number in 0..<PendingCommands.most {
                _ = commands.removeCommands(from: turn(#"{"command":"c-\#(number)","result":"ok"}"#))
            }
            for await outcome in group { if case .reply = outcome {} else { Issue.record("\(outcome)") } }
        }
    }
}
