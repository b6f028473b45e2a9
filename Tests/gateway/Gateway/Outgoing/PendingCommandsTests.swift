import SoundboxCore
import SoundboxMQTT
import SoundboxSystem
import TestSupport
import Testing

@testable import SoundboxGateway

@Suite("Commands that somebody waits for", .timeLimit(.minutes(10)))
struct PendingCommandsTests {
    private let commands = PendingCommands(timeout: .seconds(3600))

    private func send(
        _ id: String, _ type: String = "volume", to box: BoxID = trialBox, isAway: Bool = false
    ) async -> PendingCommands.Outcome {
        let members: [(name: String, value: JSONValue)] = [
            ("id", .string(id)), ("volume", .integer(5)), ("type", .string("settings")), ("signature", .string("00")),
        ]
        return await commands.send(
            type, members, to: box, at: Moment.start.time, waits: type == "cancel", isAway: isAway, wake: {})
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
        // It would be there twice, which no box takes.
        #expect(command["signature"] == nil)
        for other in [
            turn(#"{"command":"c-1","result":"ok"}"#, from: otherBox), turn(#"{"command":"c-2","result":"ok"}"#),
            turn(#"{"command":null,"result":"refused"}"#, from: otherBox), turn(#"{"result":"refused"}"#),
            turn(#"{"command":null,"result":"ok"}"#), turn("nonsense"),
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

    @Test("A refusal without an id is about the first that waits: the box cannot verify or read it, and says why")
    func withoutID() async throws {
        async let first = send("c-1")
        _ = try await publication()
        async let second = send("c-2", "cancel")
        _ = try await publication()
        let refusal = turn(#"{"command":null,"result":"refused","reason":"signature: does not fit"}"#)
        _ = commands.removeCommands(from: refusal)
        let reply: JSONValue = .object([
            ("command", .string("c-1")), ("result", .string("refused")), ("reason", .string("signature: does not fit")),
        ])
        #expect(await first == .reply(reply))
        _ = commands.removeCommands(from: refusal)
        guard case .reply(let other) = await second else { throw TestFailure("no reply") }
        #expect(other["command"] == .string("c-2"))
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

    @Test("No more than 128 wait at once, and 32 of a box: each holds a connection, which a payment may need")
    func most() async throws {
        let boxes = try (0..<PendingCommands.most / PendingCommands.mostOfOneBox).map {
            try BoxID(merchant: "M1001", device: "box-\($0)")
        }
        await withTaskGroup(of: PendingCommands.Outcome.self) { group in
            func publish(_ count: Int) async {
                var published = 0
                while published < count {
                    published += commands.publications(limit: 1000) { (_, _, _) in [] }.count
                    await Task.yield()
                }
            }
            for (index, box) in boxes.enumerated() {
                for number in 0..<PendingCommands.mostOfOneBox { group.addTask { await send("c-\(number)", to: box) } }
                await publish(PendingCommands.mostOfOneBox)
                guard index == 0 else { continue }
                #expect(await send("one more", to: box) == .unsent(reason: "32 others wait for this box's answers"))
            }
            #expect(await send("one more", to: otherBox) == .unsent(reason: "128 others wait for answers"))
            for box in boxes {
                for number in 0..<PendingCommands.mostOfOneBox {
                    _ = commands.removeCommands(from: turn(#"{"command":"c-\#(number)","result":"ok"}"#, from: box))
                }
            }
            for await outcome in group { if case .reply = outcome {} else { Issue.record("\(outcome)") } }
        }
    }
}
