import Logging
import SoundboxCore

extension Intake {
    /// A message of the commands topic, verified and decoded.
    struct ReadCommand {
        /// The error has no id where nobody vouches for it.
        let content: Result<(message: CommandMessage, isSigned: Bool), CommandError>
        let isRetained: Bool
    }

    func read(_ message: FeedMessage) -> ReadCommand {
        let content = Result { () throws(CommandError) in try open(message) }
        return ReadCommand(content: content, isRetained: message.isRetained)
    }

    private func open(_ message: FeedMessage) throws(CommandError) -> (message: CommandMessage, isSigned: Bool) {
        guard message.payload.count <= CommandMessage.maximumPayloadBytes else {
            throw CommandError(reason: "payload: longer than \(CommandMessage.maximumPayloadBytes) bytes")
        }
        let isSigned: Bool
        do { isSigned = try verifier?.isSigned(message) ?? false } catch {
            throw CommandError(reason: "signature: \(error.problem)")
        }
        if let doubt = doubt(message, isSigned: isSigned) { throw CommandError(reason: "topic: \(doubt)") }
        return (try CommandMessage(decoding: message.payload), isSigned)
    }

    /// Ends what a cancel names, if that sounds: past every queue, and before anything is written.
    func hush(_ command: ReadCommand) {
        guard !command.isRetained, case .success((let message, _)) = command.content,
            case .cancel(let target) = message.command
        else { return }
        hooks.hush(target)
    }

    /// Like payments, commands are acknowledged once what they change or forbid is on the disk.
    func take(_ commands: [ReadCommand], mayHaveWaited: Bool) throws(InboxError) {
        guard !commands.isEmpty else { return }
        var judged: [(message: CommandMessage?, arrival: CommandArrival?)] = []
        for command in commands {
            do throws(CommandError) {
                let (message, arrival) = try judge(command, mayHaveWaited: mayHaveWaited)
                judged.append((message, arrival))
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

    /// - Throws: why it is not to be carried out.
    private func judge(
        _ command: ReadCommand, mayHaveWaited: Bool
    ) throws(CommandError) -> (CommandMessage, CommandArrival?) {
        let (message, isSigned) = try command.content.get()
        let circumstances = CommandJudge.Circumstances(
            isSigned: isSigned, isRetained: command.isRetained, mayHaveWaited: mayHaveWaited, clock: clock.reading,
            allowsOneRing: allowsOneRing)
        if isSigned, let at = message.at { learn(at) }
        let arrival = CommandJudge.judge(message, circumstances)
        if case .refused(let id, let reason)? = arrival { throw CommandError(id: id, reason: reason) }
        if case .errand(let errand) = message.command, let problem = rules.problem(of: errand) {
            throw CommandError(id: errand.id, reason: problem)
        }
        return (message, arrival)
    }

    private func answer(_ id: CommandID?, _ reason: String) throws(InboxError) {
        guard answersToRefusedCommands.take() != nil else { return }
        _ = try note([.refused(id, reason: reason)])
    }

    private func refuse(_ error: CommandError) {
        logSparingly(.warning, "command refused", ["reason": "\(error)"])
    }

    private func note(_ arrivals: [CommandArrival]) throws(InboxError) -> [CommandOutcome] {
        guard !arrivals.isEmpty else { return [] }
        let outcomes: [CommandOutcome]
        do throws(InboxError) {
            outcomes = try inbox.take(arrivals, at: clock.reading)
        } catch {
            report(error)
            // The answer to a refused command is not worth holding up the messages behind it.
            guard arrivals.allSatisfy({ if case .refused = $0 { true } else { false } }) else { throw error }
            return arrivals.map { _ in .refused }
        }
        state.update { $0.storingFault = nil }
        hooks.receiptsAreWaiting()
        return outcomes
    }

    /// - Parameter outcome: `nil` for a command that is carried out as often as it comes.
    private func carryOut(_ message: CommandMessage, _ outcome: CommandOutcome?) throws(InboxError) {
        switch outcome {
        case nil, .isNew:
            if case .reconciled(let epoch) = message.command {
                guard let problem = hooks.reconciled(epoch) else { return }
                logSparingly(.notice, "command refused", ["reason": "\(problem)"])
                return try answer(message.id, problem)
            }
            hooks.perform(message.command)
        case .duplicate: logSparingly(.info, "command not repeated", ["id": "\(message.id?.text ?? "unknown")"])
        case .refused: break
        case .accepted(let entry): accepted(entry)
        case .notAccepted(let reason):
            logSparingly(.notice, "command refused", ["id": "\(message.id?.text ?? "unknown")", "reason": "\(reason)"])
        case .cancelled(let target, let moment):
            logger.notice("cancelled", metadata: ["id": "\(target.idText)", "moment": "\(moment.rawValue)"])
            // It may have begun to sound while this was committed.
            hooks.hush(target)
            hooks.errandsMayWait()
            hooks.somethingMayWait()
        case .remembered(let id): logSparingly(.info, "cancelled before it came", ["id": "\(id)"])
        case .tooLate(let target, let state):
            logSparingly(.notice, "too late to cancel", ["id": "\(target.idText)", "state": "\(state)"])
            try answer(message.id, "\(target.field): too late, it is \(state)")
        case .unknown(let target):
            logSparingly(.warning, "cannot cancel an unknown payment", ["id": "\(target.idText)"])
            try answer(message.id, "\(target.field): no such payment is known")
        }
    }

    private func accepted(_ entry: ErrandEntry) {
        let errand = entry.errand
        logger.info(
            "stored", metadata: ["command": "\(errand.id)", "type": errand.isRing ? "ring" : "say"])
        hooks.errandsMayWait()
        if !errand.isRing { hooks.somethingMayWait() }
    }
}

extension CancelTarget {
    fileprivate var idText: String {
        switch self {
        case .payment(let id): id.text
        case .errand(let id): id.text
        }
    }

    /// The member that names it.
    fileprivate var field: String {
        switch self {
        case .payment: "payment_id"
        case .errand: "command_id"
        }
    }
}
