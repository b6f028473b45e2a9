import Logging
import SoundboxCore
import SoundboxSystem

extension Intake {
    /// A message of the commands topic, verified and decoded.
    struct ReadCommand {
        /// The error has no id if the message is not authentic.
        let content: Result<(message: CommandMessage, isSigned: Bool), CommandError>
        let isRetained: Bool
        let isLive: Bool
        /// The target of a cancel, and whether a part of it was heard.
        var held: CancelTarget?
        var hasBegun = false
    }

    func read(_ message: FeedMessage) -> ReadCommand {
        let content = Result { () throws(CommandError) in try open(message) }
        return ReadCommand(content: content, isRetained: message.isRetained, isLive: message.isLive)
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

    /// Ends the target of a cancel if it plays, ahead of every queue and before anything is stored.
    func hold(_ command: inout ReadCommand) {
        guard !command.isRetained, case .success((let message, _)) = command.content,
            case .cancel(let target) = message.command
        else { return }
        command.held = target
        command.hasBegun = delegate.hold(target)
    }

    /// Stores the effects and replies of commands. Like payments, commands are acknowledged after that. Nothing is
    /// stored of refused commands.
    func apply(_ commands: [ReadCommand]) throws(InboxError) {
        var judged: [(message: CommandMessage, arrival: CommandArrival)] = []
        var hasCancel = false
        for command in commands {
            do throws(CommandError) {
                judged.append(try judge(command, afterCancel: hasCancel))
                if case .cancel? = judged.last?.arrival { hasCancel = true }
            } catch {
                refuse(error)
            }
        }
        // A command without id gets no reply, and storing each turn of a volume knob would wear out the card.
        let arrivals = judged.map(\.arrival).filter { $0 != .always(nil) }
        var outcomes = try store(
            arrivals, mayGoUnanswered: !judged.contains(where: \.message.command.hasChangedFiles)
        ).makeIterator()
        for (message, arrival) in judged {
            guard let outcome = arrival == .always(nil) ? .isNew : outcomes.next() else { continue }
            if outcome.isRefusal {
                refuse(arrival.reply(to: outcome, at: clock.reading.time), message.command)
            } else {
                carryOut(message, outcome)
            }
        }
    }

    /// - Parameter afterCancel: whether a cancel precedes it in the batch, which may make room.
    /// - Throws: why it is not carried out.
    private func judge(
        _ command: ReadCommand, afterCancel: Bool
    ) throws(CommandError) -> (message: CommandMessage, arrival: CommandArrival) {
        let (message, isSigned) = try command.content.get()
        let circumstances = CommandJudge.Circumstances(
            isSigned: isSigned, isRetained: command.isRetained, mayHaveWaited: !command.isLive, clock: clock.reading,
            hasBegun: command.hasBegun, allowsOneRing: ring.second == .busy)
        if isSigned, let at = message.at { learn(at) }
        let arrival = try CommandJudge.judge(message, circumstances)
        if case .customMessage(let customMessage, _, let onlyWhenNoRing) = arrival, customMessage.content != .tone {
            // Check for room first, because checking the words takes longer. A disk error shows again in `note`.
            let noRoom =
                afterCancel ? nil : (try? inbox.reasonNotToAccept(customMessage, onlyWhenNoRing: onlyWhenNoRing))
            if let problem = noRoom ?? rules.problem(of: customMessage) {
                throw CommandError(id: customMessage.id, reason: problem)
            }
        }
        // Carried out here, because the reply reports the outcome. A second delivery does no harm.
        if case .reconciled(let epoch) = message.command, let problem = delegate.reconciled(epoch: epoch) {
            throw CommandError(id: message.id, reason: problem)
        }
        if case .settings(let settings) = message.command, let problem = delegate.apply(settings) {
            throw CommandError(id: message.id, reason: problem)
        }
        if case .certificate(let text) = message.command, let problem = delegate.apply(certificate: text) {
            throw CommandError(id: message.id, reason: problem)
        }
        return (message, arrival)
    }

    func refuse(_ error: CommandError) { refuse(error.reply(at: clock.reading.time)) }

    /// Logs and answers a refused command, within the limit of refusals.
    private func refuse(_ reply: Receipt, _ command: Command? = nil) {
        var metadata: Logger.Metadata = ["reason": "\(reply.reason ?? "")"]
        if case .command(let id?) = reply.subject { metadata["id"] = "\(id)" }
        if case .cancel(let target)? = command { metadata[target.field] = "\(target.text)" }
        guard log(.warning, "command refused", metadata, within: refusalLimit) else { return }
        refusals.append(reply)
        delegate.receiptsAreWaiting()
    }

    /// - Parameter mayGoUnanswered: whether a failure to store only replies is ignored.
    private func store(_ arrivals: [CommandArrival], mayGoUnanswered: Bool) throws(InboxError) -> [CommandOutcome] {
        guard !arrivals.isEmpty else { return [] }
        let outcomes: [CommandOutcome]
        do throws(InboxError) {
            outcomes = try inbox.apply(arrivals, at: clock.reading)
        } catch {
            report(error)
            // A reply alone must not delay the next messages or its own command.
            guard mayGoUnanswered, arrivals.allSatisfy(\.isRepliedToOnly) else { throw error }
            return arrivals.map { _ in .isNew }
        }
        // Nothing was stored.
        guard !outcomes.allSatisfy(\.isRefusal) else { return outcomes }
        state.update { $0.storingFault = nil }
        delegate.receiptsAreWaiting()
        return outcomes
    }

    private func carryOut(_ message: CommandMessage, _ outcome: CommandOutcome) {
        switch outcome {
        case .isNew: delegate.perform(message.command)
        case .duplicate: logSparingly(.info, "command not repeated", ["id": "\(message.id?.text ?? "unknown")"])
        case .accepted(let entry): accepted(entry)
        case .cancelled(let target, let moment):
            if case .payment(let id) = target { metrics?.cancelled(id) }
            logger.notice("cancelled", metadata: target.logMetadata(["moment": "\(moment.rawValue)"]))
            delegate.letGo(target, isCancelled: true)
        case .remembered(let id): logSparingly(.info, "cancelled before it came", ["id": "\(id)"])
        case .tooLate(let target, _): logSparingly(.info, "cancelled already", target.logMetadata())
        // Handled as refusals before.
        case .notAccepted, .unknown: break
        }
    }

    private func accepted(_ entry: CustomMessageEntry) {
        let customMessage = entry.customMessage
        logger.info(
            "stored", metadata: ["command": "\(customMessage.id)", "type": customMessage.isRing ? "ring" : "say"])
        requests.inboxChanged()
    }
}

extension CancelTarget {
    fileprivate func logMetadata(_ others: Logger.Metadata = [:]) -> Logger.Metadata {
        switch self {
        case .payment(let id): id.logMetadata(others)
        case .customMessage(let id): others.merging(["id": "\(id)"]) { _, new in new }
        }
    }

    fileprivate var text: String {
        switch self {
        case .payment(let id): id.text
        case .customMessage(let id): id.text
        }
    }
}

extension Command {
    /// True if the command writes a file. Such a command is redelivered until its reply is stored.
    fileprivate var hasChangedFiles: Bool {
        switch self {
        case .settings, .certificate: true
        case .play, .volume, .cancel, .customMessage, .reconciled, .warnOfUnprovisioning, .unprovision: false
        }
    }
}

extension CommandArrival {
    /// Whether the inbox stores only its reply.
    fileprivate var isRepliedToOnly: Bool {
        switch self {
        case .always: true
        case .once, .customMessage, .cancel: false
        }
    }
}
