import SoundboxCore

/// Sends receipts, replies and the newest status; at the end the offline status and DISCONNECT. Lives on the feed's thread.
///
/// At most ``limit`` receipts are under way, each told to the delegate once the broker has acknowledged it. The session
/// publishes what was not acknowledged on the next connection, and a new process begins with the oldest receipt that the
/// delegate has. A receipt may arrive twice; it never fails to arrive.
struct Outbox {
    static let limit = 32

    private let delegate: any PaymentFeedDelegate
    private let log: @Sendable (String) -> Void

    /// Whether the delegate may have receipts that were not read yet.
    private var mayHaveMore = true
    /// The sequence of each receipt that was sent and not acknowledged, by the session's id.
    private var underWay: [Int: Int64] = [:]
    /// Acknowledged, and not told to the delegate yet.
    private var acknowledged: [Int64] = []
    /// The highest sequence that was sent. Reading goes on after it.
    private var lastSent: Int64 = 0

    private var status: [UInt8]?
    private var statusIsDue = false
    /// The status under way. There is never a second one: a slow broker gets the newest status, not a queue of them.
    private var statusID: Int?
    /// The offline status under way.
    private var offlineID: Int?
    private var isOfflineKnown = false
    private var isDisconnecting = false
    /// The delegate's last error, so that it is logged once and not at every turn.
    private var lastError: String?

    init(delegate: any PaymentFeedDelegate, log: @escaping @Sendable (String) -> Void) {
        self.delegate = delegate
        self.log = log
    }

    mutating func note(_ requests: FeedControl.Requests) {
        if requests.receiptsAreWaiting { mayHaveMore = true }
        if let newStatus = requests.newStatus {
            status = newStatus
            statusIsDue = true
        }
    }

    /// Sends the status again on a new connection: the broker has just published the will, or never knew the status.
    mutating func connectionIsNew() {
        statusIsDue = status != nil
        mayHaveMore = true
    }

    /// After a connection: the newest status is sent on the next one, and not the one that was under way.
    mutating func takeStatusBack(from session: Session) {
        if let statusID { session.takeBack(statusID) }
        statusID = nil
    }

    /// Takes the broker's acknowledgements and tells the delegate which receipts it can forget.
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

    /// Goes on to end the connection: the last receipts, the offline status, DISCONNECT. The status that was under way is
    /// not waited for.
    mutating func sayGoodbye(_ offlineStatus: [UInt8], with session: Session) throws(MQTTError) {
        if isOfflineKnown {
            if !isDisconnecting { session.disconnect() }
            isDisconnecting = true
        } else if offlineID == nil, underWay.isEmpty, acknowledged.isEmpty, !mayHaveMore {
            offlineID = try session.publish(offlineStatus, to: .status)
        }
    }

    /// Runs `body`. An error is logged and changes nothing, so that the next turn tries again.
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
