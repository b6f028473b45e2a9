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
    /// Something in the setup keeps the box from its work.
    case setupFault = "setup_fault"
    /// Holding these buttons any longer takes the box out of service.
    case unprovisionWarning = "unprovision_warning"
    /// Nothing can be stored: no payment can be taken.
    case storageFault = "storage_fault"
    case noPaymentYet = "no_payment_yet"
    /// It rang, and nobody answered.
    case ringMissed = "ring_missed"
    /// What was being said has been taken back.
    case cancelled
    /// There is something to be said, and the voice has no words for it.
    case message
    /// The code that lets a phone onto the shop's page follows.
    case signInCode = "sign_in_code"
    /// A payment message was refused: the shop must look at its phone for what was paid.
    case paymentUnreadable = "payment_unreadable"
    /// The words that follow are somebody's text, spoken by a synthesiser. A voice without it says ``message`` there.
    case marker

    /// Whether a voice without it is refused. A prompt that came after version 0.1.0 is optional, so that programs and
    /// voices of different ages fit.
    public var isRequired: Bool {
        switch self {
        case .setupFault, .ringMissed, .cancelled, .message, .signInCode, .paymentUnreadable, .marker: false
        default: true
        }
    }

    /// What is said instead by a voice that lacks it; nothing (`nil`) where no other prompt means the same.
    public var fallback: Prompt? {
        switch self {
        case .setupFault: .notProvisioned
        case .paymentUnreadable: .message
        default: nil
        }
    }
}
