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
            let amount = try language.reading(of: money)
            guard let name = channelName(channel) else {
                return try script(.paymentWithoutChannel, ["amount": amount])
            }
            return try script(.payment, ["channel": name, "amount": amount])
        case .refund(let money):
            return try script(.refund, ["amount": try language.reading(of: money)])
        case .lateSummary(let count, let totals) where totals.isEmpty:
            return try script(.lateSummaryWithoutTotal, ["count": try language.reading(of: count)])
        case .lateSummary(let count, let totals):
            // One total after the other when several currencies waited.
            var readings: [String] = []
            for total in totals { readings.append(try language.reading(of: total)) }
            let separator =
                language.sentences[.lateSummary]?.first { language.pauses[$0] != nil }.map(String.init) ?? " "
            return try script(
                .lateSummary,
                ["count": try language.reading(of: count), "total": readings.joined(separator: separator)])
        case .noPaymentYet:
            return try script(.noPaymentYet, [:])
        case .prompt(let prompt):
            return try script(ofText: language.prompts[prompt] ?? "")
        }
    }

    /// Covers any text: phrases for the words, rests for the punctuation.
    public func script(ofText text: String) throws(SpeechError) -> AnnouncementScript {
        var elements: [AnnouncementScript.Element] = []
        var run = ""
        for character in text {
            guard let pause = language.pauses[character] else {
                run.append(character)
                continue
            }
            elements += try selection.cover(run).map { .phrase($0) }
            elements.append(.pause(pause))
            run = ""
        }
        elements += try selection.cover(run).map { .phrase($0) }
        return AnnouncementScript(text: text, elements: elements)
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
                ((try? language.reading(of: money)).map { [(.paymentWithoutChannel, ["amount": $0])] } ?? [])
                    + (channelName(channel).map { [(.unreadable, ["channel": $0])] } ?? [])
                    + [(.unreadableWithoutChannel, [:])]
            case .refund: [(.unreadableRefund, [:])]
            case .lateSummary(let count, _):
                ((try? language.reading(of: count)).map { [(.lateSummaryWithoutTotal, ["count": $0])] } ?? [])
                    + [(.unreadableWithoutChannel, [:])]
            case .noPaymentYet, .prompt: []
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
