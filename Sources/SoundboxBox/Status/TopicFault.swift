import SoundboxCore

/// Messages were refused because of the topic that they came under.
package struct TopicFault: Sendable, Equatable {
    /// How long after the last one it is told: a sender who looks has looked by then, and one whose messages still come
    /// keeps it.
    package static let memory = Duration.seconds(3600)

    /// In words for people.
    package let reason: String
    /// When the last one came, on a clock that is never set.
    package let last: Duration

    /// - Parameter name: the topic, as the broker has it.
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

    /// - Returns: itself while it is still to be told.
    func stillTold(at now: Duration) -> TopicFault? { now - last < Self.memory ? self : nil }
}
