import SoundboxCore

/// Sends receipts, replies and the newest status. Lives on the feed's thread.
struct FeedOutbox {
    private let delegate: any PaymentFeedDelegate
    private let log: @Sendable (String) -> Void

    private var window = ReceiptWindow()
    private var status: [UInt8]?
    private var statusIsDue = false
    /// The status in flight. There is never a second one: a slow broker gets the newest status, not a queue of them.
    private var statusID: Int?
    /// The delegate's last error, so that it is logged once and not at every turn.
    private var lastError: String?

    init(delegate: any PaymentFeedDelegate, log: @escaping @Sendable (String) -> Void) {
        self.delegate = delegate
        self.log = log
    }

    /// Whether no receipt is waiting or in flight, as far as the delegate could say.
    var isIdle: Bool { window.isIdle }

    mutating func note(_ requests: FeedControl.Requests) {
        if requests.receiptsAreWaiting { window.outboxHasGrown() }
        if let newStatus = requests.newStatus {
            status = newStatus
            statusIsDue = true
        }
    }

    /// Sends status and receipts again on a new connection: the broker has just published the will, or never knew the
    /// status.
    mutating func connectionIsNew() {
        statusIsDue = status != nil
        window.outboxHasGrown()
    }

    /// Takes the broker's acknowledgements and tells the delegate which receipts it can forget.
    mutating func confirm(_ ids: [Int]) {
        for id in ids where !window.didConfirm(id: id) && id == statusID { statusID = nil }
        guard !window.confirmed.isEmpty else { return }
        guardingErrors("confirmed receipts cannot be removed from the outbox") {
            try $0.delegate.receiptsDelivered($0.window.confirmed)
            $0.window.didReport()
        }
    }

    mutating func sendStatus(with client: MQTTClient) throws(MQTTError) {
        guard statusIsDue, statusID == nil, let status else { return }
        statusID = try client.publish(status, to: .status)
        statusIsDue = false
    }

    mutating func sendReceipts(with client: MQTTClient) throws(MQTTError) {
        let room = window.room
        guard room > 0 else { return }
        var receipts: [OutgoingReceipt] = []
        guardingErrors("receipts cannot be read from the outbox") {
            receipts = try $0.delegate.receipts(after: $0.window.lastSent, limit: room)
            $0.window.didRead(receipts.count, limit: room)
        }
        for receipt in receipts {
            window.didSend(receipt.sequence, id: try client.publish(receipt.payload, to: receipt.topic))
        }
    }

    /// Runs `body`. An error is logged and changes nothing, so that the next turn tries again.
    private mutating func guardingErrors(_ what: String, _ body: (inout FeedOutbox) throws -> Void) {
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
