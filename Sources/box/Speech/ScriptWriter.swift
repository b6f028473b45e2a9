import SoundboxCore

/// Turns utterances into scripts with the phrases of one voice.
///
///     let writer = ScriptWriter(language: language, phrases: ["支付宝到账", "十二", "元"])
///     let script = writer.script(for: .payment(try Money("12", .CNY), channel: "alipay"))
///     print(script.text, script.elements)
///
/// Pure; any thread; never blocks.
public struct ScriptWriter: Sendable {
    public let language: Language
    public let phrases: [String]
    private let endings: Set<Int>
    private let selection: UnitSelection
    private let sentences: [Language.Sentence: SentenceTemplate]
    private let kinds: [KindName: SentenceTemplate]
    private let chimes: [KindName: Int]
    private let pauses: Pauses
    /// The characters of the phrases, as these are written.
    private let written: Set<Character>

    /// - Parameters:
    ///   - phrases: the recorded phrases, in the order that script elements refer to.
    ///   - endings: indices of phrases that were spoken as the end of a sentence. They are used there and before a
    ///     pause, and nowhere else.
    ///   - chimes: indices of the chimes of kinds.
    public init(language: Language, phrases: [String], endings: Set<Int> = [], chimes: [KindName: Int] = [:]) {
        self.chimes = chimes
        self.language = language
        self.phrases = phrases
        self.endings = endings
        selection = UnitSelection(
            phrases: phrases, endings: endings,
            places: language.numbers.placeWords(ofSets: language.ruleSets),
            wordsAreSpaced: language.wordsAreSpaced)
        sentences = language.sentences.mapValues(SentenceTemplate.init)
        kinds = language.kinds.mapValues { SentenceTemplate($0.words) }
        pauses = Pauses(language)
        written = phrases.reduce(into: []) { $0.formUnion($1) }
    }

    /// The same voice without its endings: a phrase of this writer can be used in any place of a sentence.
    public var withoutEndings: ScriptWriter {
        let others = phrases.enumerated().map { index, phrase in endings.contains(index) ? "" : phrase }
        return ScriptWriter(language: language, phrases: others, chimes: chimes)
    }

    /// Never fails. What cannot be said exactly is said without the amount, and the script contains the reason.
    public func script(for utterance: Utterance) -> AnnouncementScript {
        do throws(SpeechError) {
            return try exactScript(for: utterance)
        } catch {
            var script = fallbackScript(for: utterance)
            script.shortcoming = error
            return script
        }
    }

    /// The script with every word in it.
    /// - Throws: what the number rules, the units or the recordings lack.
    public func exactScript(for utterance: Utterance) throws(SpeechError) -> AnnouncementScript {
        switch utterance {
        case .payment(let money, let channel):
            guard let name = channelName(channel) else { return try script(.paymentWithoutChannel, amount: money) }
            return try script(.payment, channel: name, amount: money)
        case .refund(let money): return try script(.refund, amount: money)
        case .kind(let kind, let amount, let number): return try script(kind, amount, number)
        case .replay(let repeated): return repetition(try script(.replay), of: try exactScript(for: repeated))
        case .lateSummary(let count, let totals):
            return try summary(count, totals, .lateSummary, withoutTotal: .lateSummaryWithoutTotal)
        case .today(let count, let totals):
            return try summary(count, totals, .today, withoutTotal: .todayWithoutTotal)
        case .dayTakings(let takings):
            let payments = try exactScript(for: .today(count: takings.payments, totals: takings.totals))
            return joined(payments, try refunds(of: takings))
        case .prompt(let prompt): return try script(ofText: language.words(of: prompt))
        case .network(let isOnline, let address):
            return try network(isOnline ? .networkRestored : .networkLost, address)
        case .signInCode(let code): return try script(of: code)
        }
    }

    /// One total follows another when payments came in several currencies.
    private func summary(
        _ count: Int, _ totals: [Money], _ sentence: Language.Sentence, withoutTotal: Language.Sentence,
        exactly: Bool = true
    ) throws(SpeechError) -> AnnouncementScript {
        let number = try language.reading(of: count)
        guard !totals.isEmpty else { return try script(withoutTotal, count: number).withoutAmount }
        return try script(sentence, count: number, totals: totals, exactly: exactly)
    }

    /// Empty if nothing was paid back, and for a voice without the words: the takings are then spoken without refunds,
    /// which is correct by itself.
    private func refunds(of takings: DayTakings) throws(SpeechError) -> AnnouncementScript {
        guard takings.refunds > 0, !takings.refundTotals.isEmpty, language.sentences[.todayRefunds]?.isEmpty == false
        else { return AnnouncementScript(text: "", elements: []) }
        return try script(
            .todayRefunds, count: try language.reading(of: takings.refunds), totals: takings.refundTotals)
    }

    /// The text between two totals: the sentence's own pause mark.
    private func separator(in sentence: Language.Sentence) -> String {
        language.sentences[sentence]?.first { language.pauses[$0] != nil }.map(String.init) ?? " "
    }

    /// Covers any text: phrases for the words, pauses for the punctuation.
    public func script(ofText text: String) throws(SpeechError) -> AnnouncementScript {
        // Others may write a letter in parts (é as e and its accent): equal characters, and other scalars.
        let text = String(text.map { character in written.firstIndex(of: character).map { written[$0] } ?? character })
        return try script(ofText: text, amounts: [])
    }

    /// - Parameter amounts: the places of amounts and counts in the text, in Unicode scalars. A phrase that covers a
    ///   part of one belongs to it as a whole.
    private func script(ofText text: String, amounts: [Range<Int>]) throws(SpeechError) -> AnnouncementScript {
        let letters = Array(text.unicodeScalars)
        var elements: [AnnouncementScript.Element] = []
        // The range of the text that each element covers.
        var places: [Range<Int>] = []
        func append(_ run: ArraySlice<Unicode.Scalar>) throws(SpeechError) {
            for unit in try selection.units(for: run) {
                elements.append(.phrase(unit.phrase))
                places.append(unit.place)
            }
        }
        var run = letters.startIndex
        while let (mark, length) = pauses.firstMark(in: letters, from: run) {
            try append(letters[run..<mark.lowerBound])
            elements.append(.pause(length))
            places.append(mark)
            run = mark.upperBound
        }
        try append(letters[run...])
        let ranges = amounts.compactMap { amount -> Range<Int>? in
            guard let first = places.firstIndex(where: { $0.overlaps(amount) }),
                let last = places.lastIndex(where: { $0.overlaps(amount) })
            else { return nil }
            return first..<last + 1
        }
        return AnnouncementScript(
            text: pauses.textWithoutUnitMarks(text), elements: elements, amountRanges: ranges)
    }

    /// - Parameter exactly: whether an amount whose currency has no word is an error, instead of being read as another
    ///   currency's.
    private func script(
        _ sentence: Language.Sentence, channel: String = "", amount: Money? = nil, count: String = "",
        totals: [Money] = [], exactly: Bool = true
    ) throws(SpeechError) -> AnnouncementScript {
        var words = ""
        var amounts: [Range<Int>] = []
        func append(amount: String) {
            let begin = words.unicodeScalars.count
            words += amount
            amounts.append(begin..<words.unicodeScalars.count)
        }
        for piece in sentences[sentence]?.pieces ?? [] {
            switch piece {
            case .text(let text): words += text
            case .suffix(let name): words += language.suffixes[name]?.text(after: words) ?? ""
            case .placeholder(.channel): words += channel
            case .placeholder(.number): break
            case .placeholder(.count): append(amount: count)
            case .placeholder(.amount):
                if let amount { append(amount: try reading(of: amount, exactly)) }
            case .placeholder(.total):
                for (index, total) in totals.enumerated() {
                    if index > 0 { words += separator(in: sentence) }
                    append(amount: try reading(of: total, exactly))
                }
            }
        }
        return try script(ofText: words, amounts: amounts)
    }

    /// News of a kind that the voice defines.
    private func script(
        _ kind: KindName, _ amount: Money?, _ number: Int64?, exactly: Bool = true
    ) throws(SpeechError) -> AnnouncementScript {
        guard let template = kinds[kind] else { throw .noKind(kind) }
        var words = ""
        var amounts: [Range<Int>] = []
        func append(amount: String) {
            let begin = words.unicodeScalars.count
            words += amount
            amounts.append(begin..<words.unicodeScalars.count)
        }
        for piece in template.pieces {
            switch piece {
            case .text(let text): words += text
            // After nothing there is no suffix.
            case .suffix(let name): if !amounts.isEmpty { words += language.suffixes[name]?.text(after: words) ?? "" }
            case .placeholder(.amount):
                if let amount { append(amount: try reading(of: amount, exactly)) }
            case .placeholder(.number):
                guard let number else { throw .noNumber(kind) }
                append(amount: try language.reading(ofNumber: number))
            case .placeholder(.channel), .placeholder(.count), .placeholder(.total): break
            }
        }
        var script = try script(ofText: words, amounts: amounts)
        script.lacksAmount = amount == nil && language.kinds[kind]?.hasAmount == true
        guard let chime = chimes[kind] else { return script }
        let call = AnnouncementScript(text: "", elements: [.phrase(chime)])
        var whole = call.followed(by: script, after: Self.restBehindChime)
        whole.lacksAmount = script.lacksAmount
        return whole
    }

    private func reading(of money: Money, _ exactly: Bool) throws(SpeechError) -> String {
        exactly
            ? try language.reading(of: money, unitJoint: pauses.unitJoint)
            : try language.readingOfAnyCurrency(money, unitJoint: pauses.unitJoint)
    }

    /// Between the chime of a kind, which has decayed by then, and its words.
    private static let restBehindChime = Duration.milliseconds(50)

    /// Between the words that announce a repetition, and what is repeated.
    private static let restBeforeRepetition = Duration.milliseconds(300)

    private func repetition(_ words: AnnouncementScript, of script: AnnouncementScript) -> AnnouncementScript {
        guard !words.elements.isEmpty, !script.elements.isEmpty else { return script }
        var whole = words.followed(by: script, after: Self.restBeforeRepetition)
        whole.shortcoming = script.shortcoming
        whole.lacksAmount = script.lacksAmount
        return whole
    }

    /// Between a day's takings and its refunds.
    private static let restBeforeRefunds = Duration.milliseconds(300)

    private func joined(_ payments: AnnouncementScript, _ refunds: AnnouncementScript) -> AnnouncementScript {
        guard !payments.elements.isEmpty, !refunds.elements.isEmpty else { return payments }
        var script = payments.followed(by: refunds, after: Self.restBeforeRefunds)
        script.shortcoming = payments.shortcoming ?? refunds.shortcoming
        script.lacksAmount = payments.lacksAmount
        return script
    }

    private func fallbackScript(for utterance: Utterance) -> AnnouncementScript {
        switch utterance {
        case .replay(let repeated):
            guard let words = try? script(.replay) else {
                // The voice has the words but cannot play them. Silence is better than something that sounds like a new
                // payment.
                if let sentence = language.sentences[.replay], !sentence.isEmpty { break }
                return script(for: repeated)
            }
            return repetition(words, of: script(for: repeated))
        case .payment(let money, let channel):
            // If only the currency's word or the channel's recording is missing, the amount is still spoken.
            if let name = channelName(channel),
                let script = try? script(.payment, channel: name, amount: money, exactly: false)
            {
                return script
            }
            if let script = try? script(.paymentWithoutChannel, amount: money, exactly: false) { return script }
            if let name = channelName(channel), let script = try? script(.unreadable, channel: name) {
                return script.withoutAmount
            }
            if let script = try? script(.unreadableWithoutChannel) { return script.withoutAmount }
        case .refund(let money):
            if let script = try? script(.refund, amount: money, exactly: false) { return script }
            if let script = try? script(.unreadableRefund) { return script.withoutAmount }
        case .kind(let kind, let amount, let number):
            // Never the words of a payment, which this is not. Without its amount it is still news, though incomplete.
            if let script = try? script(kind, amount, number, exactly: false) { return script }
            if let script = try? script(kind, nil, number) { return script }
            if let script = try? exactScript(for: .prompt(.message)) {
                return amount == nil ? script : script.withoutAmount
            }
        case .lateSummary(let count, let totals):
            if let script = try? summary(
                count, totals, .lateSummary, withoutTotal: .lateSummaryWithoutTotal, exactly: false)
            {
                return script
            }
            if let number = try? language.reading(of: count),
                let script = try? script(.lateSummaryWithoutTotal, count: number)
            {
                return script.withoutAmount
            }
            if let script = try? script(.unreadableWithoutChannel) { return script.withoutAmount }
        case .today(let count, let totals):
            if let script = try? summary(count, totals, .today, withoutTotal: .todayWithoutTotal, exactly: false) {
                return script
            }
            if let number = try? language.reading(of: count),
                let script = try? script(.todayWithoutTotal, count: number)
            {
                return script.withoutAmount
            }
        case .dayTakings(let takings): return script(for: .today(count: takings.payments, totals: takings.totals))
        case .network(let isOnline, _):
            if let script = try? exactScript(for: .network(isOnline: isOnline, address: [])) { return script }
        // Digits alone could mean anything.
        case .signInCode: return AnnouncementScript(text: "", elements: [])
        case .prompt: break
        }
        // The chime alone still says that something came. The voice check refuses a voice that gets this far.
        return AnnouncementScript(text: "", elements: []).withoutAmount
    }

    private func channelName(_ channel: String?) -> String? {
        channel.flatMap { language.channels[$0] ?? language.channels[$0.lowercased()] }
    }
}

extension AnnouncementScript {
    fileprivate var withoutAmount: AnnouncementScript {
        var script = self
        script.lacksAmount = true
        return script
    }
}

/// The marks in a text that are spoken as pauses: punctuation, and the mark between a number and its unit.
struct Pauses: Sendable {
    private struct Mark: Sendable {
        var letters: [Unicode.Scalar]
        var length: Duration
    }

    /// The text between a number and its unit, including the mark of their pause.
    let unitJoint: String
    /// Longer marks first, because one may begin with another.
    private let marks: [Mark]
    private let hasUnitMark: Bool

    /// The mark of the pause between a number and its unit. A private-use character, which no text of a voice may
    /// contain.
    private static let unitMark: Unicode.Scalar = "\u{F8FF}"

    init(_ language: Language) {
        hasUnitMark = language.unitPause > .zero
        unitJoint = (hasUnitMark ? String(Self.unitMark) : "") + language.blank
        let punctuation = language.pauses.map { Mark(letters: Array($0.key.unicodeScalars), length: $0.value) }
        marks = (punctuation + [Mark(letters: [Self.unitMark], length: language.unitPause)])
            .sorted { $0.letters.count > $1.letters.count }
    }

    /// The first mark in a text at or after a place: where it stands, and how long its pause is.
    func firstMark(in text: [Unicode.Scalar], from start: Int) -> (place: Range<Int>, length: Duration)? {
        for place in start..<text.count {
            if let mark = marks.first(where: { text[place...].starts(with: $0.letters) }) {
                return (place..<place + mark.letters.count, mark.length)
            }
        }
        return nil
    }

    /// The text for people. A pause before a unit is heard and not written.
    func textWithoutUnitMarks(_ text: String) -> String {
        hasUnitMark ? String(text.unicodeScalars.filter { $0 != Self.unitMark }) : text
    }
}
