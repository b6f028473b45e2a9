import SoundboxCore

/// Sends receipts, replies and the newest status; at the end the offline status and DISCONNECT. Used on the feed's
/// thread only.
///
/// At most ``limit`` receipts are in flight. Each is reported to the delegate once the broker has acknowledged it. On
/// the next connection the session publishes again what was not acknowledged; a new process begins with the delegate's
/// oldest receipt. A receipt may arrive twice; it never fails to arrive.
struct Outbox {
    static let limit = 32

    private let delegate: any PaymentFeedDelegate
    private let log: @Sendable (String) -> Void

    /// Whether the delegate may have receipts that were not read yet.
    private var mayHaveMore = true
    /// The sequences of receipts in flight, by the session's id.
    private var underWay: [Int: Int64] = [:]
    /// Acknowledged, and not yet reported to the delegate.
    private var acknowledged: [Int64] = []
    /// The highest sequence that was sent. Reading continues after it.
    private var lastSent: Int64 = 0

    private var status: [UInt8]?
    private var statusIsDue = false
    /// The status in flight. There is never a second one: a slow broker gets the newest status, not a queue of them.
    private var statusID: Int?
    /// The offline status in flight.
    private var offlineID: Int?
    private var isOfflineKnown = false
    private var isDisconnecting = false
    /// The delegate's last error, so that it is logged once and not at every turn.
    private var lastError: String?

    init(delegate: any PaymentFeedDelegate, log: @escaping @Sendable (String) -> Void) {
        self.delegate = delegate
        self.log = log
    }

    mutating func record(_ requests: FeedControl.Requests) {
        if requests.publicationsAreWaiting { mayHaveMore = true }
        if let newStatus = requests.newStatus {
            status = newStatus
            statusIsDue = true
        }
    }

    /// Sends the status again on a new connection: the broker has just published the will, or never had the status.
    mutating func connectionIsNew() {
        statusIsDue = status != nil
        mayHaveMore = true
    }

    /// Called after a connection: the next one sends the newest status, not the one that was in flight.
    mutating func withdrawStatus(from session: Session) {
        if let statusID { session.withdraw(statusID) }
        statusID = nil
    }

    /// Takes the broker's acknowledgements and tells the delegate which receipts it can delete.
    mutating func confirm(_ ids: [Int]) {
        for id in ids {
            if let sequence = underWay.removeValue(forKey: id) { acknowledged.append(sequence) }
            if id == statusID { statusID = nil }
            if id == offlineID { isOfflineKnown = true }
        }
        guard !acknowledged.isEmpty else { return }
        guardingErrors("confirmed receipts cannot be removed from the outbox") {
            try $0.delegate.receiptsDelivered($0.acknowledged)
            $0.acknowledged = []
        }
    }

    mutating func sendStatus(with session: Session) throws(MQTTError) {
        guard statusIsDue, statusID == nil, let status else { return }
        statusID = try session.publish(status, to: .status)
        statusIsDue = false
    }

    mutating func sendReceipts(with session: Session) throws(MQTTError) {
        let room = Self.limit - underWay.count
        guard mayHaveMore, room > 0 else { return }
        var receipts: [OutgoingReceipt] = []
        guardingErrors("receipts cannot be read from the outbox") {
            receipts = try $0.delegate.receipts(after: $0.lastSent, limit: room)
            $0.mayHaveMore = receipts.count >= room
        }
        for receipt in receipts {
            underWay[try session.publish(receipt.payload, to: receipt.topic)] = receipt.sequence
            lastSent = max(lastSent, receipt.sequence)
        }
    }

    /// Ends the connection step by step: the last receipts, the offline status, DISCONNECT. Does not wait for a status
    /// in flight.
    mutating func sayGoodbye(_ offlineStatus: [UInt8], with session: Session) throws(MQTTError) {
        if isOfflineKnown {
            if !isDisconnecting { session.disconnect() }
            isDisconnecting = true
        } else if offlineID == nil, underWay.isEmpty, acknowledged.isEmpty, !mayHaveMore {
            offlineID = try session.publish(offlineStatus, to: .status)
        }
    }

    /// Runs `body`. An error is logged, and the next turn tries again.
    private mutating func guardingErrors(_ what: String, _ body: (inout Outbox) throws -> Void) {
        do {
            try body(&self)
            lastError = nil
        } catch {
            let line = "\(what): \(error)"
            if line != lastError { log(line) }
            lastError = line
        }
    }
}
