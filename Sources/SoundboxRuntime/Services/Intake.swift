import Logging
import SoundboxCore

/// What happens to messages as they arrive: decode, make durable, wake the announcer. Runs on the feed's thread.
struct Intake: PaymentFeedDelegate {
    let reader: NoticeReader
    /// `nil` takes every notice that the broker lets through.
    let verifier: NoticeVerifier?
    let inbox: any Inbox
    let clock: BoxClock
    let state: BoxState
    let logger: Logger
    /// Told after a commit that brought something to announce. Must not block.
    let noticesMayWait: @Sendable () -> Void
    /// Told after a commit that wrote receipts. Must not block.
    let receiptsAreWaiting: @Sendable () -> Void
    /// Takes a command. Must not block.
    let perform: @Sendable (Command) -> Void
    /// For every line that somebody who can publish can have written as often as they like.
    private let allowance = LogAllowance()

    init(
        reader: NoticeReader, verifier: NoticeVerifier?, inbox: any Inbox, clock: BoxClock, state: BoxState,
        logger: Logger, noticesMayWait: @escaping @Sendable () -> Void,
        receiptsAreWaiting: @escaping @Sendable () -> Void, perform: @escaping @Sendable (Command) -> Void
    ) {
        self.reader = reader
        self.verifier = verifier
        self.inbox = inbox
        self.clock = clock
        self.state = state
        self.logger = logger
        self.noticesMayWait = noticesMayWait
        self.receiptsAreWaiting = receiptsAreWaiting
        self.perform = perform
    }

    func commit(_ batch: [FeedMessage]) throws {
        let arrivals = batch.filter { $0.topic == .payments }.compactMap(decode)
        if !arrivals.isEmpty { try store(arrivals) }
        for message in batch where message.topic == .commands { try take(message) }
    }

    func receipts(after sequence: Int64, limit: Int) throws -> [OutgoingReceipt] {
        try inbox.receipts(after: sequence, limit: limit)
    }

    func receiptsDelivered(_ sequences: [Int64]) throws {
        try inbox.removeReceipts(sequences)
    }

    func connectionChanged(to connection: FeedConnection) {
        state.update {
            $0.connection = connection
            if connection != .connecting { $0.isStarting = false }
        }
        switch connection {
        case .connecting: logger.debug("connecting to the broker")
        case .subscribed: logger.info("online")
        case .disconnected(let reason, let retryIn):
            logger.warning("offline", metadata: ["reason": "\(reason)", "retry_in": "\(retryIn)"])
        case .stopped: logger.info("disconnected from the broker")
        }
    }

    /// - Returns: `nil` for what is not meant for the box.
    private func decode(_ message: FeedMessage) -> Arrival? {
        do {
            let notice: PaymentNotice
            switch try reader.read(message.payload) {
            case .notice(let read): notice = read
            case .ignored(let reason):
                logger.debug("ignored by the mapping", metadata: ["reason": "\(reason)"])
                return nil
            }
            try verifier?.check(message.payload, notice, now: clock.timeIfSet)
            if message.isRetained {
                logSparingly(
                    .warning, "retained payment message: publish payments without the retain flag",
                    ["id": "\(notice.id)"])
            }
            return .notice(notice)
        } catch {
            return .rejection(error)
        }
    }

    private func store(_ arrivals: [Arrival]) throws(InboxError) {
        let outcomes: [ArrivalOutcome]
        do { outcomes = try inbox.store(arrivals, at: .now, clockIsSet: clock.timeIfSet != nil) } catch {
            report(error)
            throw error
        }
        state.update { $0.storingFault = nil }
        for outcome in outcomes { log(outcome) }
        receiptsAreWaiting()
        noticesMayWait()
    }

    private func report(_ error: InboxError) {
        // Once per fault: the broker sends the payments again and again until they are taken.
        let isNew = state.snapshot.storingFault != error.description
        state.update { $0.storingFault = error.description }
        guard isNew else { return }
        logger.error("payments refused: the broker will send them again", metadata: ["reason": "\(error)"])
    }

    private func log(_ outcome: ArrivalOutcome) {
        switch outcome {
        case .stored(let entry): logger.info("stored", metadata: entry.notice.logMetadata)
        case .duplicate(let notice, nil): logSparingly(.info, "duplicate, not spoken again", notice.logMetadata)
        case .duplicate(let notice, let stored?):
            var metadata = notice.logMetadata
            metadata["stored_amount"] = "\(stored)"
            logSparingly(.warning, "duplicate with another amount, not spoken", metadata)
        case .rejected(let rejection):
            let id = rejection.id?.text ?? "unknown"
            logSparingly(.warning, "rejected", ["id": "\(id)", "reason": "\(rejection)"])
        }
    }

    /// Writes a line that says how many before it were held back, or holds this one back.
    func logSparingly(_ level: Logger.Level, _ message: Logger.Message, _ metadata: Logger.Metadata) {
        guard let heldBack = allowance.take() else { return }
        var metadata = metadata
        if heldBack > 0 { metadata["not_logged_before"] = "\(heldBack)" }
        logger.log(level: level, message, metadata: metadata)
    }

    private func take(_ message: FeedMessage) throws(InboxError) {
        let cancellation: CancelCommand?
        do throws(CommandError) {
            cancellation = try CancelCommand(decoding: message.payload)
            if cancellation == nil { perform(try Command(decoding: message.payload)) }
        } catch {
            logSparingly(.warning, "command refused", ["reason": "\(error)"])
            return
        }
        if let cancellation { try cancel(cancellation.paymentID) }
    }

    private func cancel(_ id: PaymentID) throws(InboxError) {
        do throws(InboxError) {
            switch try inbox.cancel(id, at: .now) {
            case .cancelled: logger.notice("cancelled", metadata: ["id": "\(id)"])
            case .tooLate(let state):
                logSparingly(.notice, "too late to cancel", ["id": "\(id)", "state": "\(state.rawValue)"])
            case .unknown: logSparingly(.warning, "cannot cancel an unknown payment", ["id": "\(id)"])
            }
        } catch {
            report(error)
            throw error
        }
        state.update { $0.storingFault = nil }
        receiptsAreWaiting()
    }
}

extension PaymentNotice {
    var logMetadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["id": "\(id)", "amount": "\(money)"]
        if let channel { metadata["channel"] = "\(channel)" }
        if kind != .payment { metadata["kind"] = "\(kind.rawValue)" }
        return metadata
    }
}
