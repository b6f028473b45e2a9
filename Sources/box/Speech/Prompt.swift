import SoundboxCore

/// What the box says about itself. A voice must have every one that ``isRequired``.
public enum Prompt: String, Sendable, CaseIterable {
    /// Said when an installer has finished, and when a box that was started can take payments.
    case greeting
    case volumeUp = "volume_up"
    case volumeDown = "volume_down"
    case volumeMaximum = "volume_maximum"
    case volumeMinimum = "volume_minimum"
    case muted
    case networkLost = "network_lost"
    case networkRestored = "network_restored"
    case notProvisioned = "not_provisioned"
    /// An error in the setup keeps the box from working.
    case setupFault = "setup_fault"
    /// Holding these buttons any longer takes the box out of service.
    case unprovisionWarning = "unprovision_warning"
    /// The disk cannot be written: no payment can be accepted.
    case storageFault = "storage_fault"
    case noPaymentYet = "no_payment_yet"
    /// A ring ended, and nobody answered.
    case ringMissed = "ring_missed"
    /// The current announcement was cancelled.
    case cancelled
    /// There is a message, and the voice has no words for it.
    case message
    /// Said before the code that lets a phone onto the shop's page.
    case signInCode = "sign_in_code"
    /// A payment message was refused: the shop must look at its phone for what was paid.
    case paymentUnreadable = "payment_unreadable"
    /// The words that follow are somebody's text, spoken by a synthesiser. A voice without it says ``message`` there.
    case marker

    /// Whether a voice without it is refused. Prompts added after version 0.1.0 are optional, so that programs and
    /// voices of different versions work together.
    public var isRequired: Bool {
        switch self {
        case .setupFault, .ringMissed, .cancelled, .message, .signInCode, .paymentUnreadable, .marker: false
        default: true
        }
    }

    /// The prompt that a voice without it says instead; `nil` if no other prompt means the same.
    public var fallback: Prompt? {
        switch self {
        case .setupFault: .notProvisioned
        case .paymentUnreadable: .message
        default: nil
        }
    }
}
