import Logging
import SoundboxCore

extension Intake {
    /// Like payments, commands are acknowledged once what they change or forbid is on the disk.
    func take(_ messages: [FeedMessage], mayHaveWaited: Bool) throws(InboxError) {
        guard !messages.isEmpty else { return }
        var judged: [(message: CommandMessage?, arrival: CommandArrival?)] = []
        for message in messages {
            do throws(CommandError) {
                let (command, isSigned) = try read(message)
                let circumstances = CommandJudge.Circumstances(
                    isSigned: isSigned, isRetained: message.isRetained, mayHaveWaited: mayHaveWaited,
                    clock: clock.reading)
                if isSigned, let at = command.at { learn(at) }
                let arrival = CommandJudge.judge(command, circumstances)
                if case .refused(let id, let reason)? = arrival { throw CommandError(id: id, reason: reason) }
                judged.append((command, arrival))
            } catch {
                refuse(error)
                guard answersToRefusedCommands.take() != nil else { continue }
                judged.append((nil, .refused(error.id, reason: error.reason)))
            }
        }
        var outcomes = try note(judged.compactMap(\.arrival)).makeIterator()
        for (message, arrival) in judged {
            let outcome = arrival == nil ? nil : outcomes.next()
            guard let message else { continue }
            try carryOut(message, outcome)
        }
    }

    /// A command that was too large to be read.
    func refuseUnread(_ reason: String) throws(InboxError) {
        let error = CommandError(reason: reason)
        refuse(error)
        try answer(error.id, error.reason)
    }

    private func answer(_ id: CommandID?, _ reason: String) throws(InboxError) {
        guard answersToRefusedCommands.take() != nil else { return }
        _ = try note([.refused(id, reason: reason)])
    }

    /// - Throws: without an id where nobody vouches for it.
    private func read(_ message: FeedMessage) throws(CommandError) -> (CommandMessage, isSigned: Bool) {
        guard message.payload.count <= CommandMessage.maximumPayloadBytes else {
            throw CommandError(reason: "payload: longer than \(CommandMessage.maximumPayloadBytes) bytes")
        }
        let isSigned: Bool
        do { isSigned = try verifier?.isSigned(message) ?? false } catch {
            throw CommandError(reason: "signature: \(error.problem)")
        }
        return (try CommandMessage(decoding: message.payload), isSigned)
    }

    private func refuse(_ error: CommandError) {
        logSparingly(.warning, "command refused", ["reason": "\(error)"])
    }

    private func note(_ arrivals: [CommandArrival]) throws(InboxError) -> [CommandOutcome] {
        guard !arrivals.isEmpty else { return [] }
        let outcomes: [CommandOutcome]
        let reading = clock.reading
        do throws(InboxError) {
            outcomes = try inbox.take(arrivals, at: reading.time, earliest: reading.earliest)
        } catch {
            report(error)
            // The answer to a refused command is not worth holding up the messages behind it.
            guard arrivals.allSatisfy({ if case .refused = $0 { true } else { false } }) else { throw error }
            return arrivals.map { _ in .refused }
        }
        state.update { $0.storingFault = nil }
        receiptsAreWaiting()
        return outcomes
    }

    /// - Parameter outcome: `nil` for a command that is carried out as often as it comes.
    private func carryOut(_ message: CommandMessage, _ outcome: CommandOutcome?) throws(InboxError) {
        guard case .cancel(let id) = message.command else {
            guard outcome == nil || outcome == .isNew else {
                return logSparingly(.info, "command not repeated", ["id": "\(message.id?.text ?? "unknown")"])
            }
            return perform(message.command)
        }
        guard case .cancellation(let outcome) = outcome else { return }
        switch outcome {
        case .cancelled: logger.notice("cancelled", metadata: ["id": "\(id)"])
        case .tooLate(let state):
            logSparingly(.notice, "too late to cancel", ["id": "\(id)", "state": "\(state.rawValue)"])
            try answer(message.id, "payment_id: too late, the payment is \(state.rawValue)")
        case .unknown:
            logSparingly(.warning, "cannot cancel an unknown payment", ["id": "\(id)"])
            try answer(message.id, "payment_id: no such payment is known")
        }
    }
}
