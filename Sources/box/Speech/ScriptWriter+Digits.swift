import SoundboxCore

extension ScriptWriter {
    /// Names digits one by one, slowly enough to be written down.
    ///
    /// - Parameters:
    ///   - digits: 0 to 9 each.
    ///   - rest: silence after each digit.
    public func script(
        ofDigits digits: some Sequence<Int>, restingFor rest: Duration
    ) throws(SpeechError) -> AnnouncementScript {
        var script = AnnouncementScript(text: "", elements: [])
        for digit in digits {
            let word = try language.reading(ofDigit: digit)
            script.text += language.wordsAreSpaced && !script.text.isEmpty ? " \(word)" : word
            script.elements += try self.script(ofText: word).elements + [.pause(rest)]
        }
        return script
    }

    /// The words for the code, and its digits.
    ///
    /// - Throws: also if the voice has no words for the code: digits alone could be taken for money.
    func script(of code: SignInCode) throws(SpeechError) -> AnnouncementScript {
        let words = language.words(of: .signInCode)
        guard !words.isEmpty else { throw .missingPhrase(Prompt.signInCode.rawValue) }
        var script = try script(ofText: words)
        let digits = try self.script(ofDigits: code.digits, restingFor: .milliseconds(250))
        script.text += " \(digits.text)"
        script.elements += [.pause(.milliseconds(500))] + digits.elements
        return script
    }

    /// The state of the network, then the address with pauses between its four numbers.
    func network(_ prompt: Prompt, _ address: [UInt8]) throws(SpeechError) -> AnnouncementScript {
        var script = try script(ofText: language.words(of: prompt))
        for octet in address {
            let number = try self.script(
                ofDigits: String(octet).compactMap(\.wholeNumberValue), restingFor: .milliseconds(60))
            script.text += " \(number.text)"
            script.elements += [.pause(.milliseconds(400))] + number.elements
        }
        return script
    }
}
