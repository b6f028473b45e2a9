import SoundboxCommandLine
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxVoice

/// The output of `say` for one amount.
struct ReadingPrinter {
    let voice: Voice
    /// `nil` prints the reading, or nothing if it is also played.
    let style: Say.Print?
    let bare: Bool
    let isAlsoPlayed: Bool

    func line(for money: Money, channel: String?) throws(SpeechError) -> String? {
        switch style {
        case nil where isAlsoPlayed: return nil
        case nil, .reading: return try reading(money)
        case .segments:
            let script = try voice.writer.exactScript(for: .payment(money, channel: channel))
            let words = script.elements.map { element in
                switch element {
                case .phrase(let index): "[\(voice.recordings.entries[index].text)]"
                case .pause(let length): "(\(length.inMilliseconds) ms)"
                case .sound(let sound): "(sound, \(sound.duration.inMilliseconds) ms)"
                }
            }.joined()
            let files = script.elements.compactMap { element -> String? in
                if case .phrase(let index) = element { voice.recordings.entries[index].file + ".flac" } else { nil }
            }
            return "\(words)  \(files.joined(separator: " "))"
        case .json: return try json(money, channel: channel).text
        }
    }

    private func reading(_ money: Money) throws(SpeechError) -> String {
        try voice.language.reading(of: money, withUnit: !bare)
    }

    private func json(_ money: Money, channel: String?) throws(SpeechError) -> JSONValue {
        let script = try voice.writer.exactScript(for: .payment(money, channel: channel))
        return .object([
            ("amount", .string("\(money.amount)")), ("currency", .string(money.currency.code)),
            ("reading", .string(try reading(money))), ("text", .string(script.text)),
            ("segments", script.segments(of: voice)),
        ])
    }
}
