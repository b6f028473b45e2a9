import ArgumentParser
import SoundboxAudio
import SoundboxCommandLine
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxVoice
import SoundboxWorkshop

struct RenderAmounts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render", abstract: "Speak amounts in every voice, into WAVs to listen to and compare.",
        discussion: """
            One WAV for each voice, <locale>.wav, with chime. With --separate one for each amount, without chime, in a \
            folder for each voice: <locale>/<amount>.wav. Beside them, index.jsonl has one line of JSON for each: its \
            file, amount, currency, the text that is spoken, the amount's part of it (reading) and the segments that \
            speak it.

            A file of amounts has one per line; empty lines, and those that begin with #, count for nothing. An amount \
            that a voice cannot say is told, and the others are spoken.

              soundbox-voicetools render 0.06 1005 123.45 -o trial
              soundbox-voicetools render --amounts amounts.txt --separate --voice zh-CN -o trial
            """)

    @Argument(help: "Plain digits, such as 123.45.")
    var amounts: [String] = []

    @Option(
        name: .customLong("amounts"),
        help: ArgumentHelp("More amounts, one per line; - for standard input.", valueName: "file"))
    var list: String?

    @Option(help: ArgumentHelp("A code of ISO 4217. (default: each voice's currency)", valueName: "code"))
    var currency: String?

    @Option(help: "How it was paid: alipay, wechat …")
    var channel: String?

    @Option(name: .customLong("voice"), help: ArgumentHelp("Only these voices.", valueName: "locale"))
    var locales: [String] = []

    @Flag(help: "One WAV for each amount, and index.jsonl, in a folder for each voice.")
    var separate = false

    @Option(
        name: [.short, .customLong("output")],
        help: ArgumentHelp("The folder for the files; made when it is missing.", valueName: "folder"))
    var output: String

    @OptionGroup var loudspeaker: SpeakerOptions

    @OptionGroup var sounds: SoundsOptions

    func validate() throws {
        if let currency, Currency(currency) == nil {
            throw ValidationError("\"\(currency)\" is no currency of ISO 4217; expected a code such as CNY.")
        }
        guard !amounts.isEmpty || list != nil else {
            throw ValidationError("Expected amounts, such as 123.45, or --amounts FILE.")
        }
        for amount in amounts {
            do { _ = try DecimalNumber(amount) } catch { throw ValidationError("AMOUNT \"\(amount)\": \(error).") }
        }
    }

    func run() async throws {
        var texts: [String] = []
        for text in amounts + (try list.map(AmountList.read) ?? []) where !texts.contains(text) { texts.append(text) }
        let folder = sounds.folder
        let chosen = locales.isEmpty ? folder.names : locales
        guard !chosen.isEmpty else { throw VoiceError.notFound(name: "", directory: folder.path, available: []) }
        // Open all voices before the first file is written.
        let voices = try chosen.map { ($0, try folder.voice($0)) }
        try SmallFile.createFolders(output)
        var failures = 0
        for (name, voice) in voices {
            let currency = currency.flatMap { Currency($0) } ?? voice.language.currency
            func failed(_ amount: String, _ error: any Error) {
                failures += 1
                printError("\(name): amount \"\(amount)\": \(error)")
            }
            if separate {
                try await writeEach(of: texts, currency, by: voice, called: name, failed: failed)
            } else {
                try await writeAll(texts, currency, by: voice, called: name, failed: failed)
            }
        }
        if failures > 0 { throw ExitCode.failure }
    }

    /// Renders all amounts into one file, like announcements of the box.
    private func writeAll(
        _ amounts: [String], _ currency: Currency, by voice: Voice, called name: String,
        failed: (String, any Error) -> Void
    ) async throws {
        let file = "\(output)/\(name).wav"
        let speaker = Speaker(
            on: SoundThread { _ in WAVFileSink(path: file) }, voice: voice, loudspeaker: try loudspeaker.choice)
        for amount in amounts {
            do {
                let money = try Money(amount, currency)
                let reading = try voice.language.reading(of: money)
                try await speaker.speak(.payment(money, channel: channel))
                printLine("\(file): \(reading)")
            } catch let error as AudioSinkError {
                throw error
            } catch {
                failed(amount, error)
            }
        }
        await speaker.close()
    }

    /// Renders each amount into its own file, with a line in the index.
    private func writeEach(
        of amounts: [String], _ currency: Currency, by voice: Voice, called name: String,
        failed: (String, any Error) -> Void
    ) async throws {
        let folder = "\(output)/\(name)"
        try SmallFile.createFolders(folder)
        let renderer = SpeechRenderer(voice: voice, framesPerPeriod: 256, loudspeaker: try loudspeaker.choice)
        var index: [JSONValue] = []
        for amount in amounts {
            do {
                let money = try Money(amount, currency)
                let script = try voice.writer.exactScript(for: .payment(money, channel: channel))
                let file = "\(amount).wav"
                try await renderer.write(script, to: "\(folder)/\(file)")
                index.append(
                    .object([
                        ("file", .string(file)), ("amount", .string(amount)), ("currency", .string(currency.code)),
                        ("text", .string(script.text)), ("reading", .string(try voice.language.reading(of: money))),
                        ("segments", script.segments(of: voice)),
                    ]))
                showProgress("\(name): \(index.count)/\(amounts.count)")
            } catch let error as RecordingError {
                throw error
            } catch {
                failed(amount, error)
            }
        }
        showProgress("")
        let lines = index.map { $0.text + "\n" }.joined()
        try SmallFile.replace("\(folder)/index.jsonl", with: lines, mode: 0o644, owner: nil)
        printLine("\(folder): \(index.count) of \(amounts.count) amounts")
    }
}

/// Amounts in a file, one per line.
enum AmountList {
    /// - Parameter path: the file; `-` for standard input.
    /// - Throws: ``FileError`` that names the line that is not an amount, or the file without amounts.
    static func read(_ path: String) throws(FileError) -> [String] {
        let isInput = path == "-"
        let name = isInput ? "standard input" : path
        let text = try isInput ? SmallFile.read("/dev/stdin", mayBePipe: true) : SmallFile.read(path)
        var amounts: [String] = []
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let amount = line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            guard !amount.isEmpty, amount.first != "#" else { continue }
            do throws(DecimalError) { _ = try DecimalNumber(amount) } catch {
                throw FileError(path: "\(name):\(number + 1)", problem: "\"\(amount)\": \(error)")
            }
            amounts.append(amount)
        }
        guard !amounts.isEmpty else {
            throw FileError(path: name, problem: "holds no amount; expected one per line, such as 123.45")
        }
        return amounts
    }
}
