import SoundboxCore
import SoundboxSystem

/// Decides whether a notice or command comes from somebody who knows the device's key:
///
///     let verifier = MessageVerifier(keys: [key], required: true, topics: topics)
///     do { _ = try verifier.isSigned(message) } catch { log(error.problem) }
///
/// The spoken announcement is the proof of payment, so a false one is theft, and so is a suppressed one. The caller
/// must also check that the message is recent enough.
package struct MessageVerifier: Sendable {
    /// Two while the key is being changed; either is valid.
    private let keys: [SigningKey]
    private let required: Bool
    private let topics: Topics

    package init(keys: [SigningKey], required: Bool, topics: Topics) {
        self.keys = keys
        self.required = required
        self.topics = topics
    }

    /// Whether a message is signed; `false` only if the box also takes unsigned messages.
    ///
    /// - Throws: why the message is not authentic. Nothing in such a message can be believed, not even its id.
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
        // Constant time for each key, and all keys are tried.
        let fitting = keys.filter { key in
            key.withBytes { SHA256.isAuthenticationCode(signed.signature, of: bytes, key: $0) }
        }
        guard !fitting.isEmpty else {
            throw AuthenticityError(problem: "does not fit the topic, the payload and this device's key")
        }
        return true
    }
}

/// Why a message is not authentic.
package struct AuthenticityError: Error, Equatable {
    package var problem: String
}
