import SoundboxCore

/// The fault that messages were refused because of their topic.
package struct TopicFault: Sendable, Equatable {
    /// How long the fault lasts after the last message. More messages extend it.
    package static let memory = Duration.seconds(3600)

    /// In words for people.
    package let reason: String
    /// When the last message arrived, on the monotonic clock.
    package let last: Duration

    /// - Parameter name: the topic, as the broker delivers it.
    package init(name: String, isDoubtful: Bool, at now: Duration) {
        let shown = String(name.unicodeScalars.prefix(200))
        reason =
            isDoubtful
            ? "the broker rewrites topics, and messages that may be for this box come as \"\(shown)\": they are refused; "
                + "leave . and * out of merchant_id and device_id, or sign messages"
            : "messages come on \"\(shown)\", which is none of this box's topics: they are refused; publish to the "
                + "topics of its configuration, and end the broker's old subscription"
        last = now
    }

    /// - Returns: itself, or `nil` after ``memory``.
    func stillTold(at now: Duration) -> TopicFault? { now - last < Self.memory ? self : nil }
}
