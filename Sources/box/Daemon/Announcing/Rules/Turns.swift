import SoundboxCore

/// Whose turn it is: payments come first, and nothing starves.
///
/// While payments wait, the oldest is next. A sentence of a lower rank is let in between two payments only if no
/// waiting payment was held up by such a sentence before, so that none is held up twice. Of the lower ranks the highest
/// is next; a rank that was passed over ``timeout`` times goes first.
///
/// A payment is held up if it waits while a lower sentence plays, whether it came before or after that began.
struct Turns: Sendable, Equatable {
    /// How many times a waiting lower rank may be passed over by other lower ranks.
    static let timeout = 4

    /// Payments up to this sequence were held up; `nil` if no waiting payment was.
    private var heldUp: Int64?
    /// A lower sentence was played since the queue was read.
    private var lowerHasSounded = false
    /// A payment was heard since the last lower sentence, and since payments began to wait.
    private var paymentHadTurn = false
    private var passedOver: [Rank: Int] = [:]

    /// Call with the queue after each reading, before ``next(of:oldestPayment:)``.
    mutating func look(at queue: NoticeQueue) {
        if queue.payments.isEmpty {
            heldUp = nil
            paymentHadTurn = false
        } else if lowerHasSounded {
            heldUp = [heldUp, queue.lastPayment].compactMap(\.self).max()
        }
        lowerHasSounded = false
    }

    /// - Parameter oldestPayment: the sequence of the oldest payment that waits.
    /// - Returns: `nil` when nothing waits.
    func next(of waiting: Set<Rank>, oldestPayment: Int64?) -> Rank? {
        let lower = nextLower(of: waiting)
        guard waiting.contains(.payment), let oldestPayment else { return lower }
        let isLetIn = paymentHadTurn && heldUp.map { oldestPayment > $0 } ?? true
        return isLetIn ? lower ?? .payment : .payment
    }

    private func nextLower(of waiting: Set<Rank>) -> Rank? {
        let lower = waiting.subtracting([.payment])
        let longest = lower.map { passedOver[$0, default: 0] }.max() ?? 0
        return longest < Self.timeout ? lower.min() : lower.filter { passedOver[$0] == longest }.min()
    }

    /// Records that a rank was chosen. `waiting` is all ranks that waited, `rank` included.
    mutating func choose(_ rank: Rank, of waiting: Set<Rank>) {
        guard rank != .payment else { return }
        passedOver = passedOver.filter { waiting.contains($0.key) }
        passedOver[rank] = nil
        for other in waiting where other != rank && other != .payment { passedOver[other, default: 0] += 1 }
    }

    mutating func lowerSounds() {
        lowerHasSounded = true
        paymentHadTurn = false
    }

    mutating func paymentWasHeard() { paymentHadTurn = true }
}
