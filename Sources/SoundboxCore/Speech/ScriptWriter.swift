/// Turns utterances into scripts with the phrases of one voice.
public struct ScriptWriter: Sendable {
    public let language: Language
    public let phrases: [String]
    private let selection: UnitSelection

    /// - Parameter phrases: what the voice has recordings for, in the order that script elements refer to.
    public init(language: Language, phrases: [String]) {
        self.language = language
        self.phrases = phrases
        selection = UnitSelection(phrases: phrases, wordsAreSpaced: language.wordsAreSpaced)
    }

    /// Never fails: what cannot be said exactly is said without the amount, and the script carries the reason.
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
            let amount = try marked(money)
            guard let name = channelName(channel) else {
                return try script(.paymentWithoutChannel, ["amount": amount])
            }
            return try script(.payment, ["channel": name, "amount": amount])
        case .refund(let money):
            return try script(.refund, ["amount": try marked(money)])
        case .lateSummary(let count, let totals):
            return try summary(count, totals, .lateSummary, withoutTotal: .lateSummaryWithoutTotal)
        case .today(let count, let totals):
            return try summary(count, totals, .today, withoutTotal: .todayWithoutTotal)
        case .prompt(let prompt): return try script(ofText: language.prompts[prompt] ?? "")
        }
    }

    /// Totals follow one another when payments came in several currencies.
    private func summary(
        _ count: Int, _ totals: [Money], _ sentence: Language.Sentence, withoutTotal: Language.Sentence
    ) throws(SpeechError) -> AnnouncementScript {
        let number = try language.reading(of: count)
        if totals.isEmpty { return try script(withoutTotal, ["count": number]) }
        var readings: [String] = []
        for total in totals { readings.append(try marked(total)) }
        let separator = language.sentences[sentence]?.first { language.pauses[$0] != nil }.map(String.init) ?? " "
        return try script(sentence, ["count": number, "total": readings.joined(separator: separator)])
    }

    /// The reading of an amount with a mark where the rest before a unit belongs.
    private func marked(_ money: Money) throws(SpeechError) -> String {
        let joint = language.unitPause > .zero ? String(Self.unitMark) + language.blank : language.blank
        return try language.pieces(of: money).map { $0.number + joint + $0.unit }
            .joined(separator: language.subunitJoint)
    }

    /// Stands for the rest between a number and its unit. A private-use character, which no text of a voice may hold.
    static let unitMark: Character = "\u{F8FF}"

    /// Covers any text: phrases for the words, rests for the punctuation.
    public func script(ofText text: String) throws(SpeechError) -> AnnouncementScript {
        var elements: [AnnouncementScript.Element] = []
        var run = ""
        for character in text {
            guard let pause = character == Self.unitMark ? language.unitPause : language.pauses[character] else {
                run.append(character)
                continue
            }
            elements += try selection.cover(run).map { .phrase($0) }
            elements.append(.pause(pause))
            run = ""
        }
        elements += try selection.cover(run).map { .phrase($0) }
        return AnnouncementScript(text: text.filter { $0 != Self.unitMark }, elements: elements)
    }

    private func script(
        _ sentence: Language.Sentence, _ values: [String: String]
    ) throws(SpeechError) -> AnnouncementScript {
        var text = language.sentences[sentence] ?? ""
        for (name, value) in values {
            text = text.replacing("{\(name)}", with: value)
        }
        return try script(ofText: text)
    }

    private func fallbackScript(for utterance: Utterance) -> AnnouncementScript {
        let attempts: [(Language.Sentence, [String: String])] =
            switch utterance {
            case .payment(let money, let channel):
                // Where only the channel's recording is missing, the amount is still told.
                ((try? marked(money)).map { [(.paymentWithoutChannel, ["amount": $0])] } ?? [])
                    + (channelName(channel).map { [(.unreadable, ["channel": $0])] } ?? [])
                    + [(.unreadableWithoutChannel, [:])]
            case .refund: [(.unreadableRefund, [:])]
            case .lateSummary(let count, _):
                ((try? language.reading(of: count)).map { [(.lateSummaryWithoutTotal, ["count": $0])] } ?? [])
                    + [(.unreadableWithoutChannel, [:])]
            case .today(let count, _):
                (try? language.reading(of: count)).map { [(.todayWithoutTotal, ["count": $0])] } ?? []
            case .prompt: []
            }
        for (sentence, values) in attempts {
            if let script = try? script(sentence, values) { return script }
        }
        // The chime alone still says that something came; the voice check refuses a voice that gets this far.
        return AnnouncementScript(text: "", elements: [])
    }

    private func channelName(_ channel: String?) -> String? {
        channel.flatMap { language.channels[$0.lowercased()] }
    }
}
