import SoundboxCore
import SoundboxSystem

/// Decides whether a message, notice or command, comes from somebody who knows the device's key.
///
/// The voice is the proof of payment, so a false announcement is theft, and so is one that is withheld. Whoever reads
/// the message judges whether it is recent enough.
package struct MessageVerifier: Sendable {
    /// Two while the key is being changed; either will do.
    private let keys: [SigningKey]
    private let required: Bool
    private let topics: Topics

    package init(keys: [SigningKey], required: Bool, topics: Topics) {
        self.keys = keys
        self.required = required
        self.topics = topics
    }

    /// Whether a message that arrived is signed; `false` only where an unsigned one is taken as well.
    ///
    /// - Throws: why nobody vouches for it. Nothing in such a message is to be believed, not even its id.
    package func isSigned(_ message: FeedMessage) throws(AuthenticityError) -> Bool {
        let signed: SignedPayload
        do { signed = try SignedPayload(message.payload) } catch {
            if error == .missing, !required { return false }
            throw AuthenticityError(problem: error.description)
        }
        let topic =
            switch message.topic {
            case .payments: topics[.payments]
            case .commands: topics[.commands]
            }
        let bytes = SigningKey.bytesToSign(topic: topic, payload: signed.message)
        // Each compares in constant time, and all of them are tried.
        let fitting = keys.filter { key in
            key.withBytes { SHA256.isAuthenticationCode(signed.signature, of: bytes, key: $0) }
        }
        guard !fitting.isEmpty else {
            throw AuthenticityError(problem: "does not fit the topic, the payload and this device's key")
        }
        return true
    }
}

/// Why nobody vouches for a message.
package struct AuthenticityError: Error, Equatable {
    package var problem: String
}
