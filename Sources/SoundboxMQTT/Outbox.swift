import SoundboxCore
import SoundboxSystem

/// Sends receipts, replies and the newest status. Lives on the feed's thread.
struct Outbox {
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

    /// After a connection: the newest status is sent on the next one, and not the one that was under way.
    mutating func takeStatusBack(from session: Session) {
        if let statusID { session.takeBack(statusID) }
        statusID = nil
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

    mutating func sendStatus(with session: Session) throws(MQTTError) {
        guard statusIsDue, statusID == nil, let status else { return }
        statusID = try session.publish(status, to: .status)
        statusIsDue = false
    }

    mutating func sendReceipts(with session: Session) throws(MQTTError) {
        let room = window.room
        guard room > 0 else { return }
        var receipts: [OutgoingReceipt] = []
        guardingErrors("receipts cannot be read from the outbox") {
            receipts = try $0.delegate.receipts(after: $0.window.lastSent, limit: room)
            $0.window.didRead(receipts.count, limit: room)
        }
        for receipt in receipts {
            window.didSend(receipt.sequence, id: try session.publish(receipt.payload, to: receipt.topic))
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

/// Which receipts are on their way: at most `capacity` in flight, each confirmed once. Pure.
///
/// Receipts in flight survive a lost connection. The client keeps them and sends them again after the next CONNACK, with
/// the same packet id and the DUP flag. Only a restart of the process begins again with the oldest receipt of the
/// outbox. A receipt may arrive twice; it never fails to arrive.
struct ReceiptWindow {
    let capacity: Int
    /// Whether the outbox may hold receipts that were not read from it yet.
    private(set) var outboxMayHoldMore = true
    /// Confirmed by the broker and not yet reported to the outbox.
    private(set) var confirmed: [Int64] = []
    private var inFlight: [Int: Int64] = [:]
    /// The highest sequence that was sent. Reading goes on after it.
    private(set) var lastSent: Int64 = 0

    init(capacity: Int = 32) { self.capacity = capacity }

    /// How many receipts may be read and sent now.
    var room: Int { outboxMayHoldMore ? capacity - inFlight.count : 0 }

    /// Whether nothing is in flight, in the outbox or waiting to be reported.
    var isIdle: Bool { inFlight.isEmpty && confirmed.isEmpty && !outboxMayHoldMore }

    mutating func outboxHasGrown() { outboxMayHoldMore = true }

    /// - Parameters:
    ///   - count: how many receipts were read.
    ///   - limit: how many were asked for. Fewer mean that the outbox has been read to its end.
    mutating func didRead(_ count: Int, limit: Int) { outboxMayHoldMore = count >= limit }

    mutating func didSend(_ sequence: Int64, id: Int) {
        inFlight[id] = sequence
        lastSent = max(lastSent, sequence)
    }

    /// - Returns: whether the packet was a receipt.
    mutating func didConfirm(id: Int) -> Bool {
        guard let sequence = inFlight.removeValue(forKey: id) else { return false }
        confirmed.append(sequence)
        return true
    }

    /// Notes that the outbox has forgotten ``confirmed``.
    mutating func didReport() { confirmed.removeAll() }
}

/// How a stopped feed ends its connection: it sends the remaining receipts, the offline status and DISCONNECT.
///
/// If the broker does not acknowledge all of that in time, the connection is dropped without a DISCONNECT. The broker
/// then publishes the will, which says the same as the offline status.
struct Farewell {
    /// When to give up, on the clock of `Duration.monotonicNow`.
    let end: Duration
    private var statusID: Int?
    private var statusIsKnown = false
    private var isDisconnecting = false

    init(end: Duration) { self.end = end }

    mutating func confirm(_ ids: [Int]) {
        if let statusID, ids.contains(statusID) { statusIsKnown = true }
    }

    /// Queues the next step.
    mutating func proceed(
        _ session: Session, outbox: Outbox, status: [UInt8]
    ) throws(MQTTError) {
        if statusID == nil, outbox.isIdle {
            statusID = try session.publish(status, to: .status)
        } else if statusIsKnown, !isDisconnecting {
            session.disconnect()
            isDisconnecting = true
        }
    }

    /// Whether the DISCONNECT has been sent, which closes the connection, or the time is up.
    func isOver(_ session: Session) -> Bool {
        (isDisconnecting && !session.isConnected) || .monotonicNow >= end
    }
}
