import SoundboxCore
import SoundboxMQTT
import SoundboxSystem
import Synchronization

/// Commands to boxes that somebody waits for, and the boxes' replies. Nothing is on a disk: who gets no answer asks again.
///
///     let outcome = await commands.send("volume", [("volume", .integer(40))], to: box, at: now)
///
/// Any thread, apart from what the connection's thread calls.
package final class PendingCommands: Sendable {
    package enum Outcome: Sendable, Equatable {
        /// What the box says.
        case reply(JSONValue)
        /// The broker keeps it for the box.
        case waits(id: String)
        /// It never got to the broker.
        case unsent(reason: String)
        /// It may have come to the box.
        case noAnswer(id: String)
    }

    /// The box takes none that is older (`at`).
    static let expiry = 60
    private static let timeout = Duration.seconds(10)
    /// Each holds a connection until it is answered, and payments need some.
    static let most = 128
    /// A box that answers nothing leaves room for the commands of others.
    static let mostOfOneBox = 32
    /// Payments and `reconciled` have other numbers.
    private static let firstNumber = Int64.min

    private struct Command {
        let box: BoxID
        let id: String
        let members: [(name: String, value: JSONValue)]
        let waitsAtBroker: Bool
        let isAway: Bool
        let answer: CheckedContinuation<Outcome, Never>
        var isPublished = false
        var isTaken = false
    }

    private struct State {
        var commands: [Int64: Command] = [:]
        var last = PendingCommands.firstNumber
    }

    private let state = Mutex(State())
    private let timeout: Duration

    /// - Parameter timeout: for one answer.
    package init(timeout: Duration = timeout) { self.timeout = timeout }

    /// - Parameters:
    ///   - members: without `id`, `at` and `type`. An `id` among them is the command's.
    ///   - waits: whether the broker may keep it for a box that is away.
    ///   - isAway: whether nobody will reply soon: then it is done when the broker has it.
    ///   - wake: has ``publications(limit:payload:)`` called soon.
    package func send(
        _ type: String, _ members: [(name: String, value: JSONValue)], to box: BoxID, at now: Timestamp,
        waits: Bool, isAway: Bool, wake: @Sendable () -> Void
    ) async -> Outcome {
        let id = members.first { $0.name == "id" }?.value.string ?? "g-\(ReceiptEpoch.new())"
        let own: [(name: String, value: JSONValue)] = [
            ("id", .string(id)), ("at", .string("\(now)")), ("type", .string(type)),
        ]
        // A signature is the gateway's, too.
        let rest = members.filter { member in
            member.name != MessageSigner.member && !own.contains { $0.name == member.name }
        }
        return await withCheckedContinuation { answer in
            let (number, problem): (Int64?, String) = state.withLock { state in
                guard state.commands.count < Self.most else { return (nil, "\(Self.most) others wait for answers") }
                guard state.commands.values.count(where: { $0.box == box }) < Self.mostOfOneBox else {
                    return (nil, "\(Self.mostOfOneBox) others wait for this box's answers")
                }
                state.last += 1
                state.commands[state.last] = Command(
                    box: box, id: id, members: own + rest, waitsAtBroker: waits, isAway: isAway, answer: answer)
                return (state.last, "")
            }
            guard let number else {
                answer.resume(returning: .unsent(reason: problem))
                return
            }
            wake()
            Task { [timeout] in
                try? await Task.sleep(for: timeout)
                self.giveUp(number)
            }
        }
    }

    private func giveUp(_ number: Int64) {
        guard let command = state.withLock({ $0.commands.removeValue(forKey: number) }) else { return }
        let outcome: Outcome =
            if !command.isPublished {
                .unsent(reason: "the broker is not reached")
            } else if command.waitsAtBroker, command.isTaken {
                .waits(id: command.id)
            } else {
                .noAnswer(id: command.id)
            }
        command.answer.resume(returning: outcome)
    }

    // MARK: The connection's thread

    /// What is to be published.
    ///
    /// - Parameter payload: signs it. Blocks on the disk.
    func publications(
        limit: Int, payload: ([(name: String, value: JSONValue)], BoxID, String) throws(SecretFileError) -> [UInt8]
    ) -> [FleetPublication] {
        let due = state.withLock { state in
            let due = state.commands.filter { !$0.value.isPublished }.sorted { $0.key < $1.key }.prefix(max(0, limit))
            for (number, _) in due { state.commands[number]?.isPublished = true }
            return Array(due)
        }
        var publications: [FleetPublication] = []
        for (number, command) in due {
            let topic = command.box.topic(.commands)
            do throws(SecretFileError) {
                publications.append(
                    FleetPublication(
                        id: number, topic: topic, payload: try payload(command.members, command.box, topic),
                        expiry: command.waitsAtBroker ? nil : Self.expiry))
            } catch { end(number, .unsent(reason: "the box's key: \(error.reason)")) }
        }
        return publications
    }

    /// Ends the commands that the turn answers.
    ///
    /// - Returns: the turn without what is about commands.
    func removeCommands(from turn: FleetTurn) -> FleetTurn {
        var rest = turn
        rest.messages.removeAll { message in
            guard message.topic.hasSuffix("/\(Topic.replies.rawValue)") else { return false }
            var word = ""
            guard let box = BoxID(topic: message.topic, &word), word == Topic.replies.rawValue else { return false }
            if let json = try? JSONValue(parsing: message.payload) { endCommands(of: box, answeredBy: json) }
            return true
        }
        func isCommand(_ id: Int64) -> Bool { id < .min / 2 }
        for id in turn.acknowledged where isCommand(id) {
            let command = state.withLock { state in
                state.commands[id]?.isTaken = true
                return state.commands[id]
            }
            if let command, command.isAway { end(id, .waits(id: command.id)) }
        }
        for (id, reason) in turn.refused where isCommand(id) { end(id, .unsent(reason: "the broker: \(reason)")) }
        rest.acknowledged.removeAll(where: isCommand)
        rest.refused.removeAll { isCommand($0.id) }
        return rest
    }

    private func endCommands(of box: BoxID, answeredBy reply: JSONValue) {
        let published = state.withLock { $0.commands.filter { $0.value.isPublished && $0.value.box == box } }
        if let id = reply["command"]?.string {
            for (number, command) in published where command.id == id { end(number, .reply(reply)) }
        } else if reply["command"] == .null, reply["result"]?.string == "refused",
            let (number, command) = published.min(by: { $0.key < $1.key })
        {
            // What the box cannot verify or read has no id to it. It answers in the order in which commands come.
            var members: [(name: String, value: JSONValue)] = [
                ("command", .string(command.id)), ("result", .string("refused")),
            ]
            if let reason = reply["reason"] { members.append(("reason", reason)) }
            end(number, .reply(.object(members)))
        }
    }

    private func end(_ number: Int64, _ outcome: Outcome) {
        state.withLock { $0.commands.removeValue(forKey: number) }?.answer.resume(returning: outcome)
    }
}
