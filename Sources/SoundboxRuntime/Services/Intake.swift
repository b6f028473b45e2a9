import Logging
import SoundboxCore

/// What happens to messages as they arrive: decode, make durable, wake the announcer. Runs on the feed's thread.
struct Intake: PaymentFeedDelegate {
    let decoder: PaymentNoticeDecoder
    let inbox: any Inbox
    let state: BoxState
    let logger: Logger
    /// Told after a commit that brought something to announce. Must not block.
    let noticesMayWait: @Sendable () -> Void
    /// Told after a commit that wrote receipts. Must not block.
    let receiptsAreWaiting: @Sendable () -> Void
    /// Takes a command. Must not block.
    let perform: @Sendable (Command) -> Void

    func commit(_ batch: [FeedMessage]) throws {
        let arrivals = batch.filter { $0.topic == .payments }.map(decode)
        if !arrivals.isEmpty { try store(arrivals) }
        for message in batch where message.topic == .commands { take(message) }
    }

    func receipts(after sequence: Int64, limit: Int) throws -> [OutgoingReceipt] {
        try inbox.receipts(after: sequence, limit: limit)
    }

    func receiptsDelivered(_ sequences: [Int64]) throws {
        try inbox.removeReceipts(sequences)
    }

    func connectionChanged(to connection: FeedConnection) {
        state.update { $0.connection = connection }
        switch connection {
        case .connecting: logger.debug("connecting to the broker")
        case .subscribed: logger.info("online")
        case .disconnected(let reason, let retryIn):
            logger.warning("offline", metadata: ["reason": "\(reason)", "retry_in": "\(retryIn)"])
        case .stopped: logger.info("disconnected from the broker")
        }
    }

    private func decode(_ message: FeedMessage) -> Arrival {
        do {
            let notice = try decoder.decode(message.payload)
            if message.isRetained {
                logger.warning(
                    "retained payment message: publish payments without the retain flag",
                    metadata: ["id": "\(notice.id)"])
            }
            return .notice(notice)
        } catch {
            return .rejection(error)
        }
    }

    private func store(_ arrivals: [Arrival]) throws(InboxError) {
        let outcomes: [ArrivalOutcome]
        do { outcomes = try inbox.store(arrivals, at: .now) } catch {
            state.update { $0.inboxFault = error.description }
            logger.error("payments refused: the broker will send them again", metadata: ["reason": "\(error)"])
            throw error
        }
        state.update { $0.inboxFault = nil }
        for outcome in outcomes { log(outcome) }
        receiptsAreWaiting()
        noticesMayWait()
    }

    private func log(_ outcome: ArrivalOutcome) {
        switch outcome {
        case .stored(let entry): logger.info("stored", metadata: entry.notice.logMetadata)
        case .duplicate(let notice, nil): logger.info("duplicate, not spoken again", metadata: notice.logMetadata)
        case .duplicate(let notice, let stored?):
            var metadata = notice.logMetadata
            metadata["stored_amount"] = "\(stored)"
            logger.warning("duplicate with another amount, not spoken", metadata: metadata)
        case .rejected(let rejection):
            logger.warning(
                "rejected", metadata: ["id": "\(rejection.id?.text ?? "unknown")", "reason": "\(rejection)"])
        }
    }

    private func take(_ message: FeedMessage) {
        do { perform(try Command(decoding: message.payload)) } catch {
            logger.warning("command refused", metadata: ["reason": "\(error)"])
        }
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
