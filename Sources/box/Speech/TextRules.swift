import SoundboxCore

/// Decides which text from others may be spoken: none with the words that the box's own voices use for money.
///
///     let rules = TextRules([language])
///     try rules.check("三号桌叫人", by: .provider)
///
/// Such text has no payment behind it, and people believe this voice. See docs/decisions/127.
public struct TextRules: Sendable {
    /// Who wrote a text, the most trusted first. What one author may not write, those after it may not either.
    public enum Author: Int, Sendable, Comparable {
        /// The author of the voice, in the words of a kind.
        case voice
        /// The sender of commands.
        case provider
        /// The payer, in the text of a notice.
        case payer

        public static func < (one: Author, other: Author) -> Bool { one.rawValue < other.rawValue }
    }

    private let words: SpokenWords

    /// - Parameter languages: of all voices that speak. What may not be said in one of them may not be said.
    public init(_ languages: [Language]) { words = SpokenWords(languages) }

    /// - Parameter text: of any length, also several texts that are heard one after the other.
    /// - Throws: the first words that may not be said.
    public func check(_ text: String, by author: Author) throws(TextProblem) {
        if let finding = TextSearch(text, words, by: author).finding { throw finding }
    }

    /// Whether it is a prompt of the box that a provider may have spoken unchanged.
    public func isFreePrompt(_ text: String) -> Bool { words.freePrompts.contains(SpokenWords.key(of: text)) }

    /// The unit of an amount in a voice's own words; `nil` when there is none.
    func amount(in text: String) -> String? { TextSearch(text, words, by: .voice).amount }

    /// Whether a voice's own words contain a number.
    func hasNumber(_ text: String) -> Bool { TextSearch(text, words, by: .voice).hasNumber }

    /// Whether the text ends with a number, ignoring spaces but not punctuation after it.
    func endsWithNumber(_ text: String) -> Bool { TextSearch(text, words, by: .voice).endsWithNumber }
}

/// Words that a text may not contain.
public struct TextProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// What such words mean.
    public enum Meaning: String, Sendable {
        case number = "a number"
        case unit = "a unit of money"
        case channel = "the name of a channel"
        case sentence = "a part of what the box says of payments"
        case prompt = "what the box says of itself"
        case foreign = "in a script that the box does not speak"
    }

    /// As they stand in the text.
    public var words: String
    public var meaning: Meaning

    public var description: String { "must not say \(words.excerpt), which is \(meaning.rawValue)" }
}

extension FoldedText.Unit {
    /// A digit of any script or picture, or a Chinese numeral, including the financial ones: 五, 伍.
    var isNumeral: Bool {
        kind == .digit || kind == .letter(.han) && plain.unicodeScalars.contains { $0.properties.numericType != nil }
    }
}
