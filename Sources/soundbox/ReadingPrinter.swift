import SoundboxCore
import SoundboxVoice
import SoundboxWorkshop

/// What `say` prints for one amount.
struct ReadingPrinter {
    let voice: Voice
    /// `nil` prints the reading, or nothing when it is also played.
    let style: Say.Print?
    let bare: Bool
    let isAlsoPlayed: Bool

    func line(for money: Money, channel: String?) throws(SpeechError) -> String? {
        switch style {
        case nil where isAlsoPlayed: return nil
        case nil, .reading: return try reading(money)
        case .segments:
            let script = try voice.writer.exactScript(for: .payment(money, channel: channel))
            return script.elements.map { element in
                switch element {
                case .phrase(let index): voice.recordings.entries[index].text
                case .pause(let length): "(\(length.inMilliseconds) ms)"
                case .sound(let sound): "[\(sound.duration.inMilliseconds) ms]"
                }
            }.joined(separator: " ")
        case .json: return try json(money, channel: channel).text
        }
    }

    private func reading(_ money: Money) throws(SpeechError) -> String {
        try voice.language.reading(of: money, withUnit: !bare)
    }

    private func json(_ money: Money, channel: String?) throws(SpeechError) -> JSONValue {
        let script = try voice.writer.exactScript(for: .payment(money, channel: channel))
        let segments = script.elements.map { element in
            switch element {
            case .phrase(let index):
                JSONValue.object([
                    ("text", .string(voice.recordings.entries[index].text)),
                    ("file", .string(voice.recordings.entries[index].file + ".flac")),
                ])
            case .pause(let length): JSONValue.object([("pause_ms", .integer(length.inMilliseconds))])
            case .sound(let sound): JSONValue.object([("sound_ms", .integer(sound.duration.inMilliseconds))])
            }
        }
        return .object([
            ("amount", .string("\(money.amount)")), ("currency", .string(money.currency.code)),
            ("reading", .string(try reading(money))), ("text", .string(script.text)), ("segments", .array(segments)),
        ])
    }
}
