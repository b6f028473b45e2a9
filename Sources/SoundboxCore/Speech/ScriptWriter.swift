/// Turns utterances into scripts with the phrases of one voice.
public struct ScriptWriter: Sendable {
    public let language: Language
    public let phrases: [String]
    private let selection: UnitSelection
    private let sentences: [Language.Sentence: SentenceTemplate]
    private let pauses: Pauses

    /// - Parameter phrases: what the voice has recordings for, in the order that script elements refer to.
    public init(language: Language, phrases: [String]) {
        self.language = language
        self.phrases = phrases
        selection = UnitSelection(phrases: phrases, wordsAreSpaced: language.wordsAreSpaced)
        sentences = language.sentences.mapValues(SentenceTemplate.init)
        pauses = Pauses(language)
    }

    /// Never fails. What cannot be said exactly is said without the amount, and the script carries the reason.
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
        case .replay(let repeated): return repetition(try script(.replay), of: try exactScript(for: repeated))
        case .lateSummary(let count, let totals):
            return try summary(count, totals, .lateSummary, withoutTotal: .lateSummaryWithoutTotal)
        case .today(let count, let totals):
            return try summary(count, totals, .today, withoutTotal: .todayWithoutTotal)
        case .prompt(let prompt): return try script(ofText: language.words(of: prompt))
        case .network(let isOnline, let address):
            return try network(isOnline ? .networkRestored : .networkLost, address)
        }
    }

    /// Totals follow one another when payments came in several currencies.
    private func summary(
        _ count: Int, _ totals: [Money], _ sentence: Language.Sentence, withoutTotal: Language.Sentence,
        exactly: Bool = true
    ) throws(SpeechError) -> AnnouncementScript {
        let number = try language.reading(of: count)
        guard !totals.isEmpty else { return try script(withoutTotal, count: number).withoutAmount }
        return try script(sentence, count: number, totals: totals, exactly: exactly)
    }

    /// Stands between two totals: the mark that makes a rest in the sentence itself.
    private func separator(in sentence: Language.Sentence) -> String {
        language.sentences[sentence]?.first { language.pauses[$0] != nil }.map(String.init) ?? " "
    }

    /// Covers any text: phrases for the words, rests for the punctuation.
    public func script(ofText text: String) throws(SpeechError) -> AnnouncementScript {
        let letters = Array(text.unicodeScalars)
        var elements: [AnnouncementScript.Element] = []
        var run = letters.startIndex
        while let (mark, length) = pauses.firstMark(in: letters, from: run) {
            elements += try selection.cover(letters[run..<mark.lowerBound]).map { .phrase($0) }
            elements.append(.pause(length))
            run = mark.upperBound
        }
        elements += try selection.cover(letters[run...]).map { .phrase($0) }
        return AnnouncementScript(text: pauses.textWithoutUnitMarks(text), elements: elements)
    }

    /// - Parameter exactly: an amount whose currency has no word is an error, instead of another currency's.
    private func script(
        _ sentence: Language.Sentence, channel: String = "", amount: Money? = nil, count: String = "",
        totals: [Money] = [], exactly: Bool = true
    ) throws(SpeechError) -> AnnouncementScript {
        var words = ""
        for piece in sentences[sentence]?.pieces ?? [] {
            switch piece {
            case .text(let text): words += text
            case .placeholder(.channel): words += channel
            case .placeholder(.count): words += count
            case .placeholder(.amount):
                if let amount { words += try reading(of: amount, exactly) }
            case .placeholder(.total):
                for (index, total) in totals.enumerated() {
                    if index > 0 { words += separator(in: sentence) }
                    words += try reading(of: total, exactly)
                }
            }
        }
        return try script(ofText: words)
    }

    private func reading(of money: Money, _ exactly: Bool) throws(SpeechError) -> String {
        exactly
            ? try language.reading(of: money, unitJoint: pauses.unitJoint)
            : try language.readingOfAnyCurrency(money, unitJoint: pauses.unitJoint)
    }

    /// Between the words that tell a repetition, and what is repeated.
    private static let restBeforeRepetition = Duration.milliseconds(300)

    private func repetition(_ words: AnnouncementScript, of script: AnnouncementScript) -> AnnouncementScript {
        guard !words.elements.isEmpty, !script.elements.isEmpty else { return script }
        return AnnouncementScript(
            text: "\(words.text) \(script.text)",
            elements: words.elements + [.pause(Self.restBeforeRepetition)] + script.elements,
            shortcoming: script.shortcoming, lacksAmount: script.lacksAmount)
    }

    private func fallbackScript(for utterance: Utterance) -> AnnouncementScript {
        switch utterance {
        case .replay(let repeated):
            guard let words = try? script(.replay) else {
                // The voice has the words, but cannot play them. Silence is better than what sounds like a new payment.
                if let sentence = language.sentences[.replay], !sentence.isEmpty { break }
                return script(for: repeated)
            }
            return repetition(words, of: script(for: repeated))
        case .payment(let money, let channel):
            // If only the currency's word or the channel's recording is missing, the amount is still told.
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
        case .network(let isOnline, _):
            if let script = try? exactScript(for: .network(isOnline: isOnline, address: [])) { return script }
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
