import SoundboxCore
import SoundboxSpeech

/// Prompts that are to be spoken: one for each ``Prompt/Concern`` at most, however many are asked for.
package struct PromptQueue: Sendable, Equatable {
    private var prompts: [Prompt.Concern: Prompt] = [:]

    package init() {}

    /// Takes the place of an earlier prompt of the same concern, which is no longer true.
    package mutating func put(_ prompt: Prompt) { prompts[prompt.concern] = prompt }

    /// Takes a prompt back that is no longer true. Does nothing when it does not wait.
    package mutating func withdraw(_ prompt: Prompt) {
        if prompts[prompt.concern] == prompt { prompts[prompt.concern] = nil }
    }

    /// Whether there is one to be spoken.
    ///
    /// - Parameter paymentsWait: leaves those to wait that are for quiet moments.
    package func hasDue(whilePaymentsWait paymentsWait: Bool) -> Bool {
        prompts.keys.contains { !paymentsWait || !$0.waitsForPayments }
    }

    /// The prompt to be spoken next.
    ///
    /// - Parameter paymentsWait: leaves those to wait that are for quiet moments.
    package mutating func take(whilePaymentsWait paymentsWait: Bool = false) -> Prompt? {
        let due = prompts.keys.filter { !paymentsWait || !$0.waitsForPayments }
        return due.min().flatMap { prompts.removeValue(forKey: $0) }
    }
}

extension Prompt {
    /// What a prompt is about. Of two prompts about the same thing, the later one says how it is now. Two about
    /// different things are both to be heard: a key at the end of its range says nothing about the disk.
    package enum Concern: Int, Sendable, Comparable {
        // In the order in which they are spoken.
        /// What somebody is doing at this moment with the buttons.
        case warning
        /// What keeps the box from its work.
        case fault
        /// A payment that cannot be announced.
        case refusal
        /// Whether payments can arrive.
        case network
        /// What became of a ring.
        case ring
        /// What became of something else that was asked for.
        case customMessage
        /// What a key has done.
        case key

        package static func < (left: Concern, right: Concern) -> Bool { left.rawValue < right.rawValue }

        /// Whether it is told only when no payment waits. The others take turns with the payments.
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
