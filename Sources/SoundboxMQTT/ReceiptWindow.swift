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
