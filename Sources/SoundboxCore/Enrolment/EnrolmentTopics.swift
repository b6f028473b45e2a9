/// Where a box that has no setup asks for one, and hears the answer: topics beside those of any box.
public enum EnrolmentTopics {
    public static let prefix = "soundbox/enrol"

    /// The topics of one box of a claim: ``Topic/receipts`` is where it asks, and ``Topic/commands`` where it is answered.
    ///
    /// - Parameters:
    ///   - claim: one level, as is `hardwareID`.
    public static func topics(claim: String, hardwareID: String) throws(TopicsError) -> Topics {
        try Topics(
            prefix: prefix, merchant: claim, device: hardwareID,
            layout: TopicLayout(own: [
                .receipts: "{prefix}/{merchant}/{device}/request", .commands: "{prefix}/{merchant}/{device}/answer",
            ]))
    }
}
