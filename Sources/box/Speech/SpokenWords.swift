import SoundboxCore

/// The words with which the voices of a box speak of money and of the box itself, each with the authors who may not use
/// it.
struct SpokenWords: Sendable {
    struct Word: Sendable {
        /// Letters alone.
        let units: [FoldedText.Unit]
        let meaning: TextProblem.Meaning
        /// The most trusted author who may not use it.
        let barred: TextRules.Author
        /// Whether it means money only beside a number, except from a payer: 元, won, USD.
        let needsNumber: Bool
    }

    /// By the first letter, without its marks.
    private(set) var words: [String: [Word]] = [:]
    /// The blocks of the letters in the sentences: see ``FoldedText/Unit/block``.
    private(set) var blocks: Set<UInt32> = []
    /// The prompts that a provider may have spoken unchanged, as ``key(of:)``.
    private(set) var freePrompts: Set<String> = []

    /// Statements about the box that people believe, so that nobody else may make them.
    private static let barredPrompts: [Prompt] = [.cancelled, .storageFault, .signInCode, .paymentUnreadable]
    /// Sentences that say that money came or went.
    private static let moneySentences: [Language.Sentence] = [
        .payment, .paymentWithoutChannel, .refund, .unreadable, .unreadableWithoutChannel, .unreadableRefund,
    ]
    /// Currency signs that Unicode encodes only as letters, and everyday Chinese words for money.
    private static let everydayUnits = ["RMB", "Rp", "RM", "Rs", "块", "毛", "रुपए", "रूपए", "रूपये", "रुपया"]

    /// Everyday words for money that beside a number are an amount.
    private static let amountWords = ["红包", "紅包", "利是", "利市", "大洋"]
    /// Everyday words for money that has come, and amounts without a number word, which no voice's sentences have.
    private static let claims = [
        "半元", "半块", "半毛", "进账", "入账", "进帐", "入帐", "转来", "汇入", "匯入", "打款", "已付",
        "paymentreceived", "moneyreceived", "receivedpayment", "haspaid", "havepaid", "paidyou", "deposited",
        "credited",
    ]

    init(_ languages: [Language]) {
        for unit in Self.everydayUnits { add(unit, .unit, .voice, needsNumber: true) }
        for word in Self.amountWords { add(word, .sentence, .provider, needsNumber: true) }
        for claim in Self.claims { add(claim, .sentence, .provider) }
        for unit in ["RMB", "人民币"] { add(unit, .unit, .provider) }
        for language in languages {
            addNumbers(of: language)
            addUnits(of: language)
            addChannels(of: language)
            addSentences(of: language)
            for (prompt, text) in language.prompts {
                let isBarred = Self.barredPrompts.contains(prompt)
                add(text, .prompt, isBarred ? .provider : .payer)
                // Its first half says it all: a payment message could not be read.
                if isBarred, let half = text.runs.first { addLong(half, .prompt, .provider) }
                if !isBarred { freePrompts.insert(Self.key(of: text)) }
            }
        }
    }

    /// Equal for texts that sound alike.
    static func key(of text: String) -> String {
        FoldedText(text).units.filter { $0.kind != .separator }.map(\.plain).joined()
    }

    // MARK: - What a voice says

    /// Numerals of Chinese are numbers by Unicode, and are no words here.
    private mutating func addNumbers(of language: Language) {
        let joint = Set(language.subunitJoint.words)
        let pieces = language.numbers.vocabulary(ofSets: language.ruleSets, withDecimals: false)
        for word in Set(pieces.flatMap(\.words)).subtracting(joint) { add(word, .number, .payer) }
    }

    private mutating func addUnits(of language: Language) {
        let words = language.units.values.flatMap { [$0.unit] + $0.subunits.map(\.word) }
        let names = Self.letters(of: words.flatMap { [$0.one, $0.other] })
        // "dollar" of Hong Kong dollar, "đô la" of đô la Mỹ.
        let shared = Self.sharedBeginnings(of: names) + Self.sharedEnds(of: names)
        for units in names + shared { add(units, .unit, .voice, needsNumber: !Self.isLong(units)) }
        for code in language.units.keys { add(code, .unit, .voice, needsNumber: true) }
        if let other = language.otherCurrency { add(other, .unit, .provider) }
    }

    private mutating func addChannels(of language: Language) {
        let names = Self.letters(of: Array(language.channels.values))
        for units in names { add(units, .channel, .voice) }
        for key in language.channels.keys { add(key, .channel, .voice) }
        // "MoMo" of qua MoMo.
        for beginning in Self.sharedBeginnings(of: names) {
            for name in names where name.begins(with: beginning) {
                let rest = Array(name.dropFirst(beginning.count))
                if Self.isLong(rest) { add(rest, .channel, .provider) }
            }
        }
        for word in language.channels.values.flatMap(\.words) { addLong(word, .channel, .payer) }
    }

    private mutating func addSentences(of language: Language) {
        for (sentence, text) in language.sentences {
            let isMoney = Self.moneySentences.contains(sentence)
            let pieces = SentenceTemplate(text).pieces
            for (index, piece) in pieces.enumerated() {
                guard case .text(let literal) = piece else { continue }
                blocks.formUnion(FoldedText(literal).units.compactMap(\.block))
                for run in literal.runs {
                    addLong(run, .sentence, isMoney ? .voice : sentence == .replay ? .provider : .payer)
                    addParts(of: run, isMoney ? .provider : .payer)
                }
                guard case .placeholder(let next)? = pieces.dropFirst(index + 1).first, let last = literal.runs.last
                else { continue }
                // total, 总计
                if next == .total { addLong(last, .sentence, .provider) }
                // 收款 of 今日收款: only Chinese and Korean words are long enough with two letters.
                if next == .count { addLong(String(last.words.last?.suffix(2) ?? ""), .sentence, .provider) }
            }
        }
        for kind in language.kinds.values where kind.hasAmount {
            for run in SentenceTemplate(kind.words).literals.flatMap(\.runs) {
                addLong(run, .sentence, .provider)
                addParts(of: run, .payer)
            }
        }
    }

    /// The words of a sentence; in Chinese any two adjacent characters, among them every recorded word.
    private mutating func addParts(of run: String, _ barred: TextRules.Author) {
        for word in run.words { addLong(word, .sentence, barred) }
        let units = FoldedText(run).units
        for pair in zip(units, units.dropFirst()).map({ [$0, $1] })
        where pair.allSatisfy({ $0.kind == .letter(.han) && !$0.isNumeral }) {
            add(pair, .sentence, barred)
        }
    }

    // MARK: - Adding

    /// Adds a text unless it is too short to be significant, such as "of".
    private mutating func addLong(_ text: String, _ meaning: TextProblem.Meaning, _ barred: TextRules.Author) {
        guard Self.isLong(FoldedText(text).units.filter(\.isLetter)) else { return }
        add(text, meaning, barred)
    }

    private mutating func add(
        _ text: String, _ meaning: TextProblem.Meaning, _ barred: TextRules.Author, needsNumber: Bool = false
    ) {
        for spelling in Set([text, text.withoutUmlauts]) {
            add(FoldedText(spelling).units.filter(\.isLetter), meaning, barred, needsNumber: needsNumber)
        }
    }

    private mutating func add(
        _ units: [FoldedText.Unit], _ meaning: TextProblem.Meaning, _ barred: TextRules.Author,
        needsNumber: Bool = false
    ) {
        guard let first = units.first, first.kind != .letter(.han) || meaning != .number else { return }
        words[first.plain, default: []].append(
            Word(units: units, meaning: meaning, barred: barred, needsNumber: needsNumber))
    }

    /// At least four letters, or two syllables.
    private static func isLong(_ units: [FoldedText.Unit]) -> Bool {
        switch units.first?.kind {
        case .letter(.han), .letter(.hangul): units.count > 1
        default: units.count > 3
        }
    }

    private static func letters(of names: [String]) -> [[FoldedText.Unit]] {
        Set(names.flatMap { [$0, $0.withoutUmlauts] }).map { FoldedText($0).units.filter(\.isLetter) }
    }

    /// What three or more of them begin with.
    private static func sharedBeginnings(of names: [[FoldedText.Unit]]) -> [[FoldedText.Unit]] {
        var found: [String: [FoldedText.Unit]] = [:]
        for (index, one) in names.enumerated() {
            for other in names[..<index] {
                let count = zip(one, other).prefix { $0.plain == $1.plain }.count
                let shared = Array(one.prefix(count))
                // qua, 币
                let isWord = count > 2 || isLong(shared) || shared.first?.kind == .letter(.han)
                guard isWord, names.count(where: { $0.begins(with: shared) }) > 2 else { continue }
                found[shared.map(\.plain).joined()] = shared
            }
        }
        return Array(found.values)
    }

    private static func sharedEnds(of names: [[FoldedText.Unit]]) -> [[FoldedText.Unit]] {
        sharedBeginnings(of: names.map { $0.reversed() }).map { $0.reversed() }
            .filter { isLong($0) || $0.first?.kind == .letter(.han) }
    }
}

extension [FoldedText.Unit] {
    fileprivate func begins(with other: [FoldedText.Unit]) -> Bool {
        count >= other.count && zip(self, other).allSatisfy { $0.plain == $1.plain }
    }
}

extension SentenceTemplate {
    /// The text between the placeholders.
    fileprivate var literals: [String] { pieces.compactMap { if case .text(let text) = $0 { text } else { nil } } }
}

extension String {
    /// The text between punctuation marks.
    fileprivate var runs: [String] { split(whereSeparator: \.isPunctuation).map(String.init) }

    fileprivate var words: [String] {
        split { $0.isWhitespace || $0.isPunctuation }.map(String.init)
    }

    /// How German is written without umlauts: fuenf, dreissig.
    fileprivate var withoutUmlauts: String {
        replacing("ä", with: "ae").replacing("ö", with: "oe").replacing("ü", with: "ue").replacing("Ü", with: "Ue")
            .replacing("ß", with: "ss")
    }
}
