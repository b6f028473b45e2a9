import SoundboxCore

/// The topics on which a box without a setup requests one. They differ from the topics of all boxes.
public enum EnrolmentTopics {
    public static let prefix = "soundbox/enrol"

    /// Whether this is a valid name of a claim or a machine: 1 to 64 ASCII letters, digits, dots, hyphens and
    /// underscores. An issuer may use it as the name of a file.
    public static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch UInt8(byte) {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "._-".utf8.contains(byte)
                }
            }
    }

    /// The topics of one box of a claim: ``Topic/receipts`` for the request, ``Topic/commands`` for the answer.
    ///
    /// - Parameter claim: one level, like `hardwareID`.
    public static func topics(claim: String, hardwareID: String) throws(TopicsError) -> Topics {
        try Topics(
            prefix: prefix, merchant: claim, device: hardwareID,
            layout: TopicLayout(own: [
                .receipts: "{prefix}/{merchant}/{device}/request", .commands: "{prefix}/{merchant}/{device}/answer",
            ]))
    }
}
