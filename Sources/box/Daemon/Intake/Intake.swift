import Logging
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem

/// Handles messages on arrival: decodes and verifies them, stores them, wakes the announcer. Runs on the feed's thread.
struct Intake: PaymentFeedDelegate {
    let reader: NoticeReader
    /// `nil` takes every message that the broker delivers.
    let verifier: MessageVerifier?
    let admission: NoticeAdmission
    let rules: any CustomMessageRules
    let ring: RingSettings
    let inbox: any Inbox
    let clock: BoxClock
    let state: BoxState
    let logger: Logger
    /// `nil` counts nothing.
    let metrics: BoxMetrics?
    let requests: AnnouncerRequests
    let delegate: any IntakeDelegate
    let ages: MessageAges
    /// Limits how many refused commands are logged and answered.
    let refusalLimit = RateLimit()
    let refusals = Refusals()
    private let absences = AbsenceWatch()
    /// Limits the receipts for messages on other topics, which could fill the outbox.
    let strayAnswerLimit = RateLimit()
    /// Messages that the mapping ignores are expected: log one a minute.
    private let ignoredLineLimit = RateLimit(limit: 1)
    /// Limits every log line that a client can cause at will.
    private let limit = RateLimit()

    init(
        reader: NoticeReader, verifier: MessageVerifier?, admission: NoticeAdmission,
        rules: any CustomMessageRules, ring: RingSettings = RingSettings(), inbox: any Inbox, clock: BoxClock,
        state: BoxState, logger: Logger, metrics: BoxMetrics? = nil, ages: MessageAges = MessageAges(),
        requests: AnnouncerRequests = AnnouncerRequests(), delegate: any IntakeDelegate
    ) {
        self.metrics = metrics
        self.ages = ages
        self.reader = reader
        self.verifier = verifier
        self.admission = admission
        self.rules = rules
        self.ring = ring
        self.inbox = inbox
        self.clock = clock
        self.state = state
        self.logger = logger
        self.requests = requests
        self.delegate = delegate
    }

    @discardableResult func commit(_ batch: [FeedMessage]) throws -> Int {
        let arrivedAt = Duration.monotonicNow
        var commands = batch.filter { $0.topic == .commands }.map(read)
        // A cancel ends the sound before anything waits for the disk.
        for index in commands.indices { hold(&commands[index]) }
        // Also for refused cancels and failed commits.
        defer { for case let target? in commands.map(\.held) { delegate.letGo(target, isCancelled: false) } }
        let (arrivals, messages) = try decode(batch.filter { $0.topic == .payments })
        if let notice = arrivals.firstNotice { delegate.expect(notice) }
        // If the disk refuses this, it refuses the next write too.
        try? clock.doubtArrivals(in: inbox, logger: logger)
        let outcomes = arrivals.isEmpty ? [] : try store(arrivals, of: messages, arrivedAt: arrivedAt)
        reportRefusals(outcomes, of: messages)
        try apply(commands)
        return outcomes.count { if case .stored = $0 { true } else { false } }
    }

    func skipped(_ topic: FeedMessage.Topic, bytes: Int) throws {
        let rejection = NoticeRejection.oversized(bytes: bytes)
        switch topic {
        case .payments: try store([.rejection(rejection)])
        case .commands: refuse(CommandError(reason: rejection.description))
        }
    }

    func receipts(after sequence: Int64, limit: Int) throws -> [OutgoingReceipt] {
        let kept = try inbox.receipts(after: sequence, limit: limit)
        return kept + refusals.removeFirst(limit - kept.count)
    }

    func receiptsDelivered(_ sequences: [Int64]) throws {
        let kept = sequences.filter { $0 > 0 }
        guard !kept.isEmpty else { return }
        try inbox.removeReceipts(kept)
        state.inboxChanged()
    }

    func connectionChanged(to connection: FeedConnection) {
        delegate.connectionChanged(to: connection)
        state.update {
            $0.connection = connection
            if connection != .connecting { $0.isStarting = false }
        }
        switch connection {
        case .connecting:
            logger.debug("connecting to the broker")
        case .subscribed:
            metrics?.online()
            logger.info("online")
        case .disconnected(let reason, let retryIn):
            logger.warning("offline", metadata: ["reason": "\(reason)", "retry_in": "\(retryIn.inTenths)"])
        case .stopped:
            logger.info("disconnected from the broker")
            settle()
        }
    }

    func sessionBegan(_ session: FeedSession) { delegate.sessionBegan(session) }

    /// Stores the last confirmations, so that these receipts are not sent again after the restart.
    private func settle() {
        do { try inbox.settle() } catch {
            logger.warning("the last receipts are sent once more", metadata: ["reason": "\(error)"])
        }
    }

    func faultsChanged(to faults: [FeedFault]) {
        let before = state.snapshot.feedFaults
        state.update { $0.feedFaults = faults }
        for fault in faults where !before.contains(fault) {
            logger.error("payments may go astray", metadata: ["reason": "\(fault)"])
        }
        if faults.isEmpty, !before.isEmpty { logger.notice("the fault of the connection is over") }
    }

    /// - Returns: the arrivals, and the message of each.
    private func decode(_ messages: [FeedMessage]) throws(InboxError) -> ([Arrival], of: [FeedMessage]) {
        var arrivals: [Arrival] = []
        var arrived: [FeedMessage] = []
        // Ids of this batch, so that a later message in it counts as known.
        var ids: Set<PaymentID> = []
        for message in messages {
            // Once for all of its notices: a message has up to 256.
            lazy var signature = Result { () throws(NoticeRejection) in try checkSignature(of: message) }
            for read in notices(in: message) {
                let arrival: Arrival
                switch read {
                case .ignored(let reason):
                    recordIgnored(reason, byAbsence: false)
                    continue
                case .ignoredByAbsence(let reason):
                    recordIgnored(reason, byAbsence: true)
                    continue
                case .refused(let rejection):
                    arrival = .rejection(rejection.id == nil ? rejection : withoutUnverifiedID(rejection, signature))
                case .notice(let notice, let unread):
                    arrival = try admit(notice, unread, message, signature, after: ids)
                }
                recordRead()
                if case .notice(let notice, _) = arrival {
                    ids.insert(notice.id)
                    if let paidAt = notice.paidAt, message.isLive {
                        clock.arrived(paidAt: paidAt)
                        watch(paidAt)
                    }
                }
                arrivals.append(arrival)
                arrived.append(message)
            }
        }
        return (arrivals, arrived)
    }

    /// What a message has for the box: one notice, several, or why there is none.
    private func notices(in message: FeedMessage) -> [DecodedNotice] {
        do throws(NoticeRejection) { return try reader.read(message.payload) } catch { return [.refused(error)] }
    }

    private func recordIgnored(_ reason: String, byAbsence: Bool) {
        metrics?.ignored()
        log(.info, "ignored by the mapping", ["reason": "\(reason)"], within: ignoredLineLimit)
        guard let warning = absences.ignored(reason, byAbsence: byAbsence) else { return }
        logger.warning("\(warning)")
        state.update { $0.mappingWarning = warning }
    }

    private func recordRead() {
        if absences.read() { state.update { $0.mappingWarning = nil } }
    }

    private func admit(
        _ read: PaymentNotice, _ unread: UnreadFields, _ message: FeedMessage,
        _ signature: Result<Bool, NoticeRejection>, after ids: Set<PaymentID>
    ) throws(InboxError) -> Arrival {
        var notice = read
        let isSigned: Bool
        do throws(NoticeRejection) { isSigned = try signature.get() } catch { return .rejection(error) }
        // Read before `checkClock`: a notice must not prove its own time.
        let reading = clock.reading
        if isSigned { checkClock(notice, reading) }
        let remarks = [unread.remark, dropText(of: &notice)].compactMap(\.self)
        let remark = remarks.isEmpty ? nil : remarks.joined(separator: "; ")
        let doubt = doubt(message, isSigned: isSigned).map {
            NoticeRejection(id: notice.id, field: "topic", problem: $0)
        }
        guard
            let rejection = doubt ?? (isSigned ? unread.paidAt : nil)
                ?? admission.rejection(of: notice, isSigned: isSigned, isRetained: message.isRetained, reading)
        else { return .notice(notice, remark: remark) }
        // The id of a stored payment must never be reported as `rejected`.
        do throws(InboxError) {
            if ids.contains(notice.id) { return .notice(notice) }
            if try inbox.knows(notice.id) { return .notice(notice) }
            return .rejection(isSigned || verifier == nil ? rejection : rejection.withoutID)
        } catch {
            report(error)
            throw error
        }
    }

    /// Removes a text that may not be spoken. The payment is announced without it.
    /// - Returns: the remark for the receipt.
    private func dropText(of notice: inout PaymentNotice) -> String? {
        guard let text = notice.text, let problem = rules.problemOfText(text) else { return nil }
        notice.text = nil
        logSparingly(.info, "text not said", notice.id.logMetadata(["reason": "\(problem)"]))
        return "text: \(problem)"
    }

    private func checkClock(_ notice: PaymentNotice, _ reading: ClockReading) {
        if let paidAt = notice.paidAt { learn(paidAt) }
        let fault = admission.clockFault(shownBy: notice, reading)
        guard fault != state.snapshot.signedTimeFault else { return }
        if let fault { logger.error("the clock may be wrong", metadata: ["reason": "\(fault)"]) }
        state.update { $0.signedTimeFault = fault }
    }

    /// - Parameter paidAt: of a live payment.
    private func watch(_ paidAt: Timestamp) {
        guard let now = clock.reading.confirmed else { return }
        var watch = state.snapshot.paidAtWatch
        watch.arrived(paidAt: paidAt, at: now)
        if let fault = watch.fault, state.snapshot.paidAtWatch.fault == nil {
            logger.error("a clock is wrong", metadata: ["reason": "\(fault)"])
        }
        state.update { $0.paidAtWatch = watch }
    }

    /// - Parameter time: the time of a message with a valid signature.
    func learn(_ time: Timestamp) {
        clock.learn(time)
        // Stored for the next start. A failure must not delay payments.
        do { try clock.keep() } catch { logSparingly(.warning, "the time is not kept", ["reason": "\(error)"]) }
        let fault = clock.fault
        guard fault != state.snapshot.clockFault else { return }
        if let fault { logger.error("the clock is wrong", metadata: ["reason": "\(fault)"]) }
        state.update { $0.clockFault = fault }
    }

    func checkSignature(of message: FeedMessage) throws(NoticeRejection) -> Bool {
        do { return try verifier?.isSigned(message) ?? false } catch {
            throw NoticeRejection(id: nil, field: "signature", problem: error.problem)
        }
    }

    /// The rejection, with its id only if the message is authentic. Otherwise anybody could make the provider believe
    /// that one of its payments was refused.
    func withoutUnverifiedID(
        _ rejection: NoticeRejection, _ signature: Result<Bool, NoticeRejection>
    ) -> NoticeRejection {
        switch signature {
        case .success(let isSigned): isSigned || verifier == nil ? rejection : rejection.withoutID
        case .failure(let error): error
        }
    }

    /// - Parameters:
    ///   - messages: the message of each arrival; empty for arrivals that were not read.
    ///   - arrivedAt: on the monotonic clock.
    /// - Returns: one outcome for each arrival, in the same order.
    @discardableResult
    func store(
        _ arrivals: [Arrival], of messages: [FeedMessage] = [], arrivedAt: Duration = .monotonicNow
    ) throws(InboxError) -> [ArrivalOutcome] {
        // Before the commit: the announcer may read them right after it.
        var noted: Set<PaymentID> = []
        for case (.notice(let notice, _), let message) in zip(arrivals, messages) where ages.record(notice.id, message)
        {
            noted.insert(notice.id)
        }
        let outcomes: [ArrivalOutcome]
        let reading = clock.reading
        Timeline.shared.mark(.commitBegun)
        do { outcomes = try inbox.store(arrivals, at: reading.time, clock: reading.trust) } catch {
            report(error)
            throw error
        }
        Timeline.shared.mark(.commitEnded)
        // Log before the announcer acts, so that the log keeps the order of events.
        for outcome in outcomes {
            metrics?.arrived(outcome, at: arrivedAt)
            log(outcome)
            if case .stored(let entry) = outcome { noted.remove(entry.notice.id) }
        }
        // A duplicate does not change the age of the first message.
        ages.forget(noted)
        // Wake the announcer first: a customer waits.
        requests.inboxChanged()
        state.update { $0.storingFault = nil }
        delegate.receiptsAreWaiting()
        return outcomes
    }

    func report(_ error: InboxError) {
        // Once per fault: the broker redelivers the payments until they are stored.
        let isNew = state.snapshot.storingFault != error.description
        // Log before the state changes, so that the log keeps the order of events.
        if isNew {
            logger.error("payments refused: the broker will send them again", metadata: ["reason": "\(error)"])
        }
        state.update { $0.storingFault = error.description }
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
            var metadata = rejection.id?.logMetadata() ?? ["id": "unknown"]
            metadata["reason"] = "\(rejection)"
            logSparingly(.warning, "rejected", metadata)
        }
    }

    /// Logs a line with the number of suppressed lines before it, or suppresses it.
    func logSparingly(_ level: Logger.Level, _ message: Logger.Message, _ metadata: Logger.Metadata) {
        log(level, message, metadata, within: limit)
    }

    /// - Returns: whether the line was logged.
    @discardableResult
    func log(
        _ level: Logger.Level, _ message: Logger.Message, _ metadata: Logger.Metadata, within limit: RateLimit
    ) -> Bool {
        guard let heldBack = limit.take() else { return false }
        var metadata = metadata
        if heldBack > 0 { metadata["not_logged_before"] = "\(heldBack)" }
        logger.log(level: level, message, metadata: metadata)
        return true
    }
}

extension [Arrival] {
    /// The first notice that may be announced.
    fileprivate var firstNotice: PaymentNotice? {
        for case .notice(let notice, _) in self { return notice }
        return nil
    }
}

extension PaymentID {
    func logMetadata(_ others: Logger.Metadata = [:]) -> Logger.Metadata {
        var metadata = others
        metadata["id"] = "\(text)"
        if isRefund { metadata["kind"] = "refund" }
        return metadata
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

extension NoticeRejection {
    /// For a receipt that must not name a payment.
    fileprivate var withoutID: NoticeRejection { NoticeRejection(id: nil, field: field, problem: problem) }
}
