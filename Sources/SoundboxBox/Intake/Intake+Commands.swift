import Logging
import SoundboxCore
import SoundboxSystem

extension Intake {
    /// A message of the commands topic, verified and decoded.
    struct ReadCommand {
        /// The error has no id where nobody vouches for it.
        let content: Result<(message: CommandMessage, isSigned: Bool), CommandError>
        let isRetained: Bool

        /// Whether it was kept in a file, or a full disk has refused that: it comes again until its sender is told which.
        var changesFiles: Bool {
            guard case .success((let message, _)) = content else { return false }
            switch message.command {
            case .settings, .certificate: return true
            default: return false
            }
        }
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
        return (try CommandMessage(decoding: message.payload, kinds: reader.kinds), isSigned)
    }

    /// Ends what a cancel names, if that sounds: past every queue, and before anything is written.
    func hush(_ command: ReadCommand) {
        guard !command.isRetained, case .success((let message, _)) = command.content,
            case .cancel(let target) = message.command
        else { return }
        hooks.hush(target)
    }

    /// Like payments, commands are acknowledged once what they change or forbid is on the disk, and their replies with it.
    func take(_ commands: [ReadCommand], mayHaveWaited: Bool) throws(InboxError) {
        guard !commands.isEmpty else { return }
        var judged: [(message: CommandMessage?, arrival: CommandArrival)] = []
        for command in commands {
            do throws(CommandError) {
                let (message, arrival) = try judge(command, mayHaveWaited: mayHaveWaited)
                judged.append((message, arrival))
            } catch {
                guard let arrival = refuse(error) else { continue }
                judged.append((nil, arrival))
            }
        }
        // Nobody could tell whose reply it is, and a knob that is turned should not wear out a card.
        let arrivals = judged.map(\.arrival).filter { $0 != .always(nil) }
        var outcomes = try note(arrivals, mayGoUnanswered: !commands.contains(where: \.changesFiles)).makeIterator()
        for (message, arrival) in judged {
            let outcome = arrival == .always(nil) ? .isNew : outcomes.next()
            guard let message, let outcome else { continue }
            carryOut(message, outcome)
        }
    }

    /// A command that was too large to be read.
    func refuseUnread(_ reason: String) throws(InboxError) {
        guard let arrival = refuse(CommandError(reason: reason)) else { return }
        _ = try note([arrival], mayGoUnanswered: true)
    }

    /// - Throws: why it is not to be carried out.
    private func judge(
        _ command: ReadCommand, mayHaveWaited: Bool
    ) throws(CommandError) -> (CommandMessage, CommandArrival) {
        let (message, isSigned) = try command.content.get()
        let circumstances = CommandJudge.Circumstances(
            isSigned: isSigned, isRetained: command.isRetained, mayHaveWaited: mayHaveWaited, clock: clock.reading,
            allowsOneRing: allowsOneRing)
        if isSigned, let at = message.at { learn(at) }
        let arrival = CommandJudge.judge(message, circumstances)
        if case .refused(let id, let reason, _) = arrival { throw CommandError(id: id, reason: reason) }
        if case .errand(let errand) = message.command, let problem = rules.problem(of: errand, at: .monotonicNow) {
            throw CommandError(id: errand.id, reason: problem)
        }
        // Its reply says what came of it, and it may come twice.
        if case .reconciled(let epoch) = message.command, let problem = hooks.reconciled(epoch) {
            throw CommandError(id: message.id, reason: problem)
        }
        if case .settings(let settings) = message.command, let problem = hooks.settings(settings) {
            throw CommandError(id: message.id, reason: problem)
        }
        if case .certificate(let text) = message.command, let problem = hooks.certificate(text) {
            throw CommandError(id: message.id, reason: problem)
        }
        return (message, arrival)
    }

    /// - Returns: what is noted of it; `nil` when too many were refused.
    private func refuse(_ error: CommandError) -> CommandArrival? {
        logSparingly(.warning, "command refused", ["reason": "\(error)"])
        guard answersToRefusedCommands.take() != nil else { return nil }
        // It may quote what was sent, and a receipt with a zero in it could not be read back.
        return .refused(error.id, reason: error.reason.printable, isUnknown: error.isUnknown)
    }

    /// - Parameter mayGoUnanswered: whether it is worth more to go on than that the replies are kept.
    private func note(_ arrivals: [CommandArrival], mayGoUnanswered: Bool) throws(InboxError) -> [CommandOutcome] {
        guard !arrivals.isEmpty else { return [] }
        let outcomes: [CommandOutcome]
        do throws(InboxError) {
            outcomes = try inbox.take(arrivals, at: clock.reading)
        } catch {
            report(error)
            // A reply alone is worth holding up neither the messages behind it nor what was asked for.
            guard mayGoUnanswered, arrivals.allSatisfy(\.isRepliedToOnly) else { throw error }
            return arrivals.map { if case .refused = $0 { .refused } else { .isNew } }
        }
        state.update { $0.storingFault = nil }
        hooks.receiptsAreWaiting()
        return outcomes
    }

    private func carryOut(_ message: CommandMessage, _ outcome: CommandOutcome) {
        switch outcome {
        case .isNew: hooks.perform(message.command)
        case .duplicate: logSparingly(.info, "command not repeated", ["id": "\(message.id?.text ?? "unknown")"])
        case .refused: break
        case .accepted(let entry): accepted(entry)
        case .notAccepted(let reason):
            logSparingly(.notice, "command refused", ["id": "\(message.id?.text ?? "unknown")", "reason": "\(reason)"])
        case .cancelled(let target, let moment):
            if case .payment(let id) = target { metrics?.cancelled(id) }
            logger.notice("cancelled", metadata: target.logMetadata(["moment": "\(moment.rawValue)"]))
            // It may have begun to sound while this was committed.
            hooks.hush(target)
            hooks.errandsMayWait()
            hooks.somethingMayWait()
        case .remembered(let id): logSparingly(.info, "cancelled before it came", ["id": "\(id)"])
        case .tooLate(let target, let state):
            logSparingly(.notice, "too late to cancel", target.logMetadata(["state": "\(state)"]))
        case .unknown(let target):
            logSparingly(.warning, "cannot cancel an unknown payment", target.logMetadata())
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
    fileprivate func logMetadata(_ others: Logger.Metadata = [:]) -> Logger.Metadata {
        switch self {
        case .payment(let id): id.logMetadata(others)
        case .errand(let id): others.merging(["id": "\(id)"]) { _, new in new }
        }
    }
}

extension CommandArrival {
    /// Whether nothing of it is remembered but its reply.
    fileprivate var isRepliedToOnly: Bool {
        switch self {
        case .always, .refused: true
        case .once, .errand, .cancel: false
        }
    }
}
