import SoundboxCore

extension BoxState {
    /// A ring that can be answered.
    package struct Ring: Sendable, Equatable {
        package var id: CommandID
        /// Its words; empty for the tone alone.
        package var text: String
        /// The end of its time, on the monotonic clock.
        package var deadline: Duration

        package init(id: CommandID, text: String, deadline: Duration) {
            self.id = id
            self.text = text
            self.deadline = deadline
        }

        package init(of customMessage: CustomMessage, until deadline: Duration) {
            self.init(id: customMessage.id, text: customMessage.content.summary, deadline: deadline)
        }

        /// Seconds until ``deadline``, rounded up; never negative.
        package func secondsLeft(at now: Duration) -> Int {
            let left = max(.zero, deadline - now)
            return Int(left.components.seconds) + (left.components.attoseconds > 0 ? 1 : 0)
        }
    }
}

extension CustomMessage.Content {
    /// In words for people; empty for the tone alone.
    var summary: String {
        switch self {
        case .tone: ""
        case .text(let text): text
        case .segments(let phrases): phrases.joined(separator: " ")
        case .clip(_, let otherwise): otherwise ?? "a clip"
        case .kind(let kind, let number): number.map { "\(kind) \($0)" } ?? "\(kind)"
        }
    }
}
