/// How a box's topic names and client id are made: by templates, since some platforms prescribe them.
///
///     let layout = TopicLayout(common: "{prefix}/{merchant}/{device}/{topic}")
///     let topics = try Topics(merchant: "M1001", device: "box-01", layout: layout)
///
/// `{prefix}`, `{merchant}` and `{device}` stand for the configured values, `{topic}` for the topic's own word.
public struct TopicLayout: Sendable, Equatable {
    /// The default of ``common``.
    public static let usual = "{prefix}/{merchant}/{device}/{topic}"

    /// The template of all topics without one of their own.
    public var common: String
    public var own: [Topic: String]
    /// `nil` is ``ClientID/box(merchant:device:)``.
    public var clientID: String?

    public init(common: String = usual, own: [Topic: String] = [:], clientID: String? = nil) {
        self.common = common
        self.own = own
        self.clientID = clientID
    }

    func template(of topic: Topic) -> String { own[topic] ?? common }
}

/// One template.
struct TopicTemplate {
    let text: String
    private let part: TopicsError.Part
    /// The topic whose word replaces `{topic}`.
    private let topic: Topic?

    init(_ text: String, of part: TopicsError.Part) {
        self.text = text
        self.part = part
        topic = if case .topic(let topic) = part { topic } else { nil }
    }

    private var placeholders: [String] {
        ["{prefix}", "{merchant}", "{device}"] + (topic == nil ? [] : ["{topic}"])
    }

    func filled(prefix: String, merchant: String, device: String) -> String {
        // Replaced in the template's order: braces within a value are no placeholder.
        var (rest, result) = (text[...], "")
        let values = ["{prefix}": prefix, "{merchant}": merchant, "{device}": device, "{topic}": topic?.rawValue ?? ""]
        while let brace = rest.firstIndex(of: "{") {
            result += rest[..<brace]
            rest = rest[brace...]
            guard let placeholder = placeholders.first(where: { rest.hasPrefix($0) }) else { break }
            result += values[placeholder] ?? ""
            rest = rest.dropFirst(placeholder.count)
        }
        return result + rest
    }

    func check() throws(TopicsError) {
        var bare = text
        for placeholder in placeholders { bare = bare.replacing(placeholder, with: "") }
        try refuse(if: bare.contains { "{}".contains($0) }, .unknownPlaceholder(placeholders))
        try refuse(if: bare.unicodeScalars.contains(where: \.isControl), .controlCharacter)
        // Two boxes with one name would announce each other's payments.
        try refuse(if: !text.contains("{device}"), .withoutDevice)
        guard topic != nil else { return }
        for sign in "+#" { try refuse(if: bare.contains(sign), .reserved(sign)) }
        try refuse(if: text.hasPrefix("$share/"), .shared)
        let levels = text.split(separator: "/", omittingEmptySubsequences: false)
        try refuse(if: levels.dropFirst().contains(""), .emptyLevel)
        // The merchant a-b with the device c would have the topics of the merchant a with the device b-c.
        try refuse(
            if: levels.contains { level in
                ["{prefix}", "{merchant}", "{device}"].count(where: { level.contains($0) }) > 1
            }, .twoInOneLevel)
    }

    private func refuse(if isWrong: Bool, _ problem: TopicsError.Problem) throws(TopicsError) {
        if isWrong { throw TopicsError(part: part, value: text, problem: problem) }
    }
}
