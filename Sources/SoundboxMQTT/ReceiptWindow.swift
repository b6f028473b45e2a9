/// Which receipts are on their way: at most `capacity` in flight, each confirmed once. Pure bookkeeping.
///
/// Receipts in flight survive a lost connection: the client keeps them and sends them again, with the same packet id
/// and the DUP flag, after the next CONNACK. So a reconnect publishes nothing twice on top of that; only a restart of
/// the process begins again from the outbox's oldest. A receipt can still arrive twice, never not at all.
struct ReceiptWindow {
    let capacity: Int
    /// The outbox may hold receipts that have not been read from it.
    private(set) var outboxMayHoldMore = true
    /// Confirmed by the broker, and not yet reported to the outbox.
    private(set) var confirmed: [Int64] = []
    private var inFlight: [UInt16: Int64] = [:]
    /// The highest sequence sent and perhaps still in the outbox; reading goes on after it.
    private(set) var lastSent: Int64 = 0

    init(capacity: Int = 32) { self.capacity = capacity }

    /// How many receipts may be read and sent now.
    var room: Int { outboxMayHoldMore ? capacity - inFlight.count : 0 }

    /// Nothing is in flight, waiting in the outbox or waiting to be reported.
    var isIdle: Bool { inFlight.isEmpty && confirmed.isEmpty && !outboxMayHoldMore }

    mutating func outboxHasGrown() { outboxMayHoldMore = true }

    /// - Parameters:
    ///   - count: how many receipts came back.
    ///   - limit: how many were asked for; fewer mean that the outbox has been read to its end.
    mutating func didRead(_ count: Int, limit: Int) { outboxMayHoldMore = count >= limit }

    mutating func didSend(_ sequence: Int64, packetID: UInt16) {
        inFlight[packetID] = sequence
        lastSent = max(lastSent, sequence)
    }

    /// - Returns: whether the packet was a receipt.
    mutating func didConfirm(packetID: UInt16) -> Bool {
        guard let sequence = inFlight.removeValue(forKey: packetID) else { return false }
        confirmed.append(sequence)
        return true
    }

    /// The outbox has let go of ``confirmed``.
    mutating func didReport() { confirmed.removeAll() }
}
