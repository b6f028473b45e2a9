import ArgumentParser
import SoundboxAudio
import SoundboxCommandLine
import SoundboxConfiguration
import SoundboxCore
import SoundboxHardware
import SoundboxSpeech
import SoundboxSystem
import SoundboxVoice

struct Say: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Read amounts as the box would, in words or as sound.",
        discussion: """
            Needs no configuration, no broker and no running box. Without AMOUNT one amount per line is read from \
            standard input and answered with one line each; a line that is no amount is answered with an empty one.

              soundbox say 1005                       一千零五元
              soundbox say 123.45 --channel alipay -o payment.wav
              printf '1005\\n0.06\\n' | soundbox say --print segments
            """)

    enum Print: String, ExpressibleByArgument, CaseIterable {
        case reading
        case segments
        case json
    }

    @Argument(help: "Plain digits, such as 123.45.")
    var amounts: [String] = []

    @Option(help: ArgumentHelp("A code of ISO 4217. (default: the voice's currency)", valueName: "code"))
    var currency: String?

    @Option(help: "How it was paid: alipay, wechat …")
    var channel: String?

    @OptionGroup var voice: VoiceOptions

    @Option(
        help:
            """
            reading: the amount in words; segments: the recordings of the announcement in brackets, with their files \
            behind; json: both. (default: reading)
            """
    )
    var print: Print?

    @Flag(help: "Leave the currency's word out of the reading.")
    var bare = false

    @Option(
        name: [.short, .customLong("output")],
        help: ArgumentHelp("Write the announcements to this WAV.", valueName: "file.wav"))
    var output: String?

    @Option(help: ArgumentHelp("Play on this ALSA device, such as default.", valueName: "device"))
    var device: String?

    @OptionGroup var loudspeaker: SpeakerOptions

    func validate() throws {
        if let currency, Currency(currency) == nil {
            throw ValidationError("\"\(currency)\" is no currency of ISO 4217; expected a code such as CNY.")
        }
        guard output == nil || device == nil else { throw ValidationError("Give either --output or --device.") }
        for amount in amounts {
            do { _ = try DecimalNumber(amount) } catch { throw ValidationError("AMOUNT \"\(amount)\": \(error).") }
        }
    }

    func run() async throws {
        let voice = try voice.open()
        let currency = self.currency.flatMap { Currency($0) } ?? voice.language.currency
        let loudspeaker = try self.loudspeaker.choice
        let speaker = (output.map { "file:\($0)" } ?? device).map {
            Speaker(device: $0, voice: voice, loudspeaker: loudspeaker)
        }
        let printer = ReadingPrinter(voice: voice, style: print, bare: bare, isAlsoPlayed: speaker != nil)
        var failures = 0

        func say(_ text: String, _ place: String) async throws {
            do {
                let money = try Money(text, currency)
                if let line = try printer.line(for: money, channel: channel) { printLine(line) }
                try await speaker?.speak(.payment(money, channel: channel))
            } catch let error as AudioSinkError {
                throw error
            } catch {
                failures += 1
                printError("\(place) \"\(text)\": \(error)")
                printLine("")
            }
        }

        if amounts.isEmpty {
            var number = 0
            while !StandardOutput.isLost, let line = readLine() {
                number += 1
                try await say(line, "line \(number)")
            }
        }
        for amount in amounts { try await say(amount, "amount") }
        await speaker?.close()
        if failures > 0 { throw ExitCode.failure }
    }
}

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
                if case .phrase(let index) = element { voice.fileName(ofRecording: index) } else { nil }
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

struct VoiceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Which voice speaks.", valueName: "locale"))
    var voice = Configuration.Default.locale

    @OptionGroup var sounds: SoundsOptions

    func open() throws -> Voice { try sounds.folder.voice(voice) }
}
