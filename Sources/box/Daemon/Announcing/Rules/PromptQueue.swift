import SoundboxCore
import SoundboxSpeech

/// Prompts to speak, at most one for each ``Prompt/Concern``:
///
///     prompts.put(.networkLost)
///     prompts.put(.networkRestored)  // replaces it: the same concern
///     prompts.take()  // .networkRestored
package struct PromptQueue: Sendable, Equatable {
    private var prompts: [Prompt.Concern: Prompt] = [:]

    package init() {}

    /// Replaces an earlier prompt of the same concern, which is no longer true.
    package mutating func put(_ prompt: Prompt) { prompts[prompt.concern] = prompt }

    /// Removes a prompt that is no longer true, if it waits.
    package mutating func withdraw(_ prompt: Prompt) {
        if prompts[prompt.concern] == prompt { prompts[prompt.concern] = nil }
    }

    /// Whether a prompt can be spoken.
    ///
    /// - Parameter paymentsWait: leaves out prompts that wait for payments to end.
    package func hasDue(whilePaymentsWait paymentsWait: Bool) -> Bool {
        prompts.keys.contains { !paymentsWait || !$0.waitsForPayments }
    }

    /// Removes and returns the next prompt.
    ///
    /// - Parameter paymentsWait: leaves out prompts that wait for payments to end.
    package mutating func take(whilePaymentsWait paymentsWait: Bool = false) -> Prompt? {
        let due = prompts.keys.filter { !paymentsWait || !$0.waitsForPayments }
        return due.min().flatMap { prompts.removeValue(forKey: $0) }
    }
}

extension Prompt {
    /// What a prompt is about. Of two prompts with the same concern, only the later one is true. Two prompts with
    /// different concerns are both spoken: a key at the end of its range says nothing about the disk.
    package enum Concern: Int, Sendable, Comparable {
        // In the order of speaking.
        /// A warning about the buttons that are being held.
        case warning
        /// A fault that stops the box from working.
        case fault
        /// A payment that cannot be announced.
        case refusal
        /// Whether payments can arrive.
        case network
        /// The end of a ring.
        case ring
        /// The outcome of another command, or a part of its announcement.
        case customMessage
        /// The effect of a key.
        case key

        package static func < (left: Concern, right: Concern) -> Bool { left.rawValue < right.rawValue }

        /// True if it is spoken only while no payment waits. The others take turns with payments.
        var waitsForPayments: Bool { self == .network }
    }

    package var concern: Concern {
        switch self {
        case .unprovisionWarning: .warning
        case .storageFault, .setupFault, .notProvisioned: .fault
        case .paymentUnreadable: .refusal
        case .greeting, .networkLost, .networkRestored: .network
        case .ringMissed: .ring
        case .cancelled, .message, .signInCode, .marker: .customMessage
        case .volumeUp, .volumeDown, .volumeMaximum, .volumeMinimum, .muted, .noPaymentYet: .key
        }
    }
}
