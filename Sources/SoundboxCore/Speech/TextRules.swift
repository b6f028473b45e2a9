/// Decides which text of others may be said: none that tells of an amount, and none that sounds like money that arrives.
///
/// What a payment sounds like is the box's promise. Words that come with a message cannot be held against a notice, so
/// they never sound like one. See docs/decisions/127.
public struct TextRules: Sendable {
    /// Unicode scalars: ten for each character, since no script stacks more, and disguises do.
    static let mostScalars = Errand.longestText * 10

    let search: FoldedText.Search
    let numbers: NumberWords
    let currencies: [CurrencyWord]
    private let arrivals: [FoldedWord]
    /// The names of channels: followed by a number they sound like a payment.
    let channels: [FoldedWord]
    private let harmless: [FoldedWord]

    /// - Parameter languages: those of all voices that speak. What sounds like an arrival in one of them is one.
    public init(_ languages: [Language]) {
        search = FoldedText.Search(marksMatter: languages.contains { $0.locale.hasPrefix("vi") })
        numbers = NumberWords(languages)
        currencies = CurrencyWord.all(languages)
        let neutral = Set(ArrivalWords.neutral.map { $0.lowercased() })
        let own = languages.flatMap { language in
            ArrivalWords.sentences.flatMap { SentenceTemplate(language.sentences[$0] ?? "").literals }
        }
        arrivals = (own.filter { !neutral.contains($0.withoutOuterMarks.lowercased()) } + ArrivalWords.all)
            .compactMap(FoldedWord.init)
        channels = (languages.flatMap(\.channels.values) + CurrencyWord.channels).compactMap(FoldedWord.init)
        // What the box says of itself, it says on its own.
        harmless = (languages.flatMap(\.prompts.values) + ArrivalWords.harmless).compactMap(FoldedWord.init)
    }

    /// - Throws: the first rule that the text breaks, with the words that break it.
    public func check(_ text: String) throws(TextProblem) {
        guard text.contains(where: { !$0.isWhitespace }) else { throw .empty }
        guard text.count <= Errand.longestText else { throw .tooLong(text.count) }
        guard text.unicodeScalars.count <= Self.mostScalars else { throw .tooLong(text.unicodeScalars.count) }
        guard !text.unicodeScalars.contains(where: \.mayNotBeSaid) else { throw .controlCharacter }
        // espeak-ng reads what stands in double brackets as sounds, and leaves out what stands in angle brackets.
        let seen = text.unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint }
        guard !seen.contains(where: { $0 == "<" || $0 == ">" }) else { throw .markup }
        guard !zip(seen, seen.dropFirst()).contains(where: { $0 == "[" && $1 == "[" }) else { throw .markup }
        let folded = FoldedText(text)
        if let words = amount(in: folded) { throw .amount(words) }
        if let words = arrival(in: folded) { throw .arrival(words) }
    }

    private func arrival(in text: FoldedText) -> String? {
        let text = text.barring(harmless, search)
        if let range = text.firstRange(of: arrivals, search) { return text.words(range) }
        for pair in ArrivalWords.pairs {
            guard let money = text.firstRange(of: pair.money, search),
                let done = text.firstRange(of: pair.done, search, from: money.upperBound)
            else { continue }
            return text.words(money.lowerBound..<done.upperBound)
        }
        var spelled = search
        spelled.passesDigits = true
        return text.firstRange(of: ArrivalWords.spelled, spelled).map(text.words)
    }
}

/// Why a text may not be said.
public enum TextProblem: Error, Sendable, Equatable, CustomStringConvertible {
    case empty
    case tooLong(Int)
    case controlCharacter
    case markup
    /// The words that tell it.
    case amount(String)
    case arrival(String)

    public var description: String {
        switch self {
        case .empty: "expected a string of 1 to \(Errand.longestText) characters"
        case .tooLong(let count): "expected at most \(Errand.longestText) characters, found \(count)"
        case .controlCharacter: "must not contain control characters"
        case .markup: "must not contain [[, < or >, which a synthesiser does not take for letters"
        case .amount(let words): "tells of an amount (\(words.excerpt)); amounts are spoken from a notice's digits only"
        case .arrival(let words): "sounds like a payment that arrives (\(words.excerpt)); only payments may"
        }
    }
}

extension Unicode.Scalar {
    fileprivate var mayNotBeSaid: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate: true
        default: false
        }
    }
}

extension SentenceTemplate {
    /// What stands between the placeholders.
    var literals: [String] { pieces.compactMap { if case .text(let text) = $0 { text } else { nil } } }
}

extension String {
    fileprivate var withoutOuterMarks: String {
        let isOutside = { (character: Character) in character.isWhitespace || character.isPunctuation }
        return String(drop(while: isOutside).reversed().drop(while: isOutside).reversed())
    }
}
