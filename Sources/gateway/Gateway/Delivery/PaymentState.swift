/// What has become of a payment. The raw value is the word in answers, lists and the database.
package enum PaymentState: String, Sendable, CaseIterable {
    /// Stored here, and not yet acknowledged by the broker.
    case accepted
    /// The broker has acknowledged it; the box has not.
    case published
    /// On the box's disk.
    case stored
    /// Spoken. `how` says what could be heard.
    case announced
    /// Too late for the box. `how` says what was heard in a summary, if anything was.
    case expired
    case cancelled
    /// The box refuses it; `reason` says why.
    case failed
    /// The box has not stored it within 72 hours.
    case givenUp = "given_up"

    /// Whether it is still published, or published again.
    package var isOpen: Bool { self == .accepted || self == .published }

    /// Whether the shop has not heard of it, as far as is known here.
    package var isUnheard: Bool {
        switch self {
        case .accepted, .published, .stored, .expired, .failed, .givenUp: true
        case .announced, .cancelled: false
        }
    }
}
