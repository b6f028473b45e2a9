/// What becomes of whatever comes while it rings.
public struct RingPolicy: Sendable, Equatable {
    /// Of a second ring.
    public enum Second: String, Sendable, CaseIterable {
        /// It rings when the first one has ended, if it still has time.
        case wait
        /// It is refused.
        case busy
    }

    /// Of what is to be said, payments above all.
    public enum Payments: String, Sendable, CaseIterable {
        /// Spoken over the ring, which is held down meanwhile.
        case over
        /// Spoken when the ring has ended.
        case after
    }

    public var second: Second
    public var payments: Payments

    public init(second: Second = .wait, payments: Payments = .over) {
        self.second = second
        self.payments = payments
    }
}
