import ArgumentParser
import SoundboxAudio
import SoundboxCommandLine
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxVoice

struct VoiceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "voice",
        abstract: "List the voices, and hear everything that one has to say.",
        discussion: "Voices are made and checked with soundbox-voicetools, a package of its own.",
        subcommands: [ListVoices.self, TryVoice.self, MovedVoiceCommand.self])
}

/// A former subcommand for voice authors.
struct MovedVoiceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Moved to soundbox-voicetools.", shouldDisplay: false,
        aliases: ["new", "script", "import", "render", "compare", "synthesize"])

    @Argument(parsing: .captureForPassthrough)
    var arguments: [String] = []

    func validate() throws {
        let name = CommandLine.arguments.dropFirst(2).first ?? "check"
        throw ValidationError(
            "`soundbox voice \(name)` is now `soundbox-voicetools \(name)`, in the package soundbox-voicetools.")
    }
}

struct ListVoices: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Show which voices there are.")

    @OptionGroup var sounds: SoundsOptions

    @Flag(help: "Print JSON, for programs.")
    var json = false

    func run() throws {
        let folder = sounds.folder
        // Report an unreadable one, and list the others.
        var failures = 0
        var voices: [Voice] = []
        for name in folder.names {
            do { voices.append(try folder.voice(name)) } catch {
                failures += 1
                printError("\(error)")
            }
        }
        if json {
            printLine(JSONValue.array(voices.map(Self.json)).text)
        } else {
            for voice in voices {
                let speaker = voice.speaker.map { "  \($0.id), \($0.name)" } ?? ""
                printLine(
                    "\(voice.name)  \(voice.language.name)\(speaker)  \(voice.recordings.entries.count) recordings")
            }
        }
        if folder.names.isEmpty {
            throw VoiceError.notFound(name: "", directory: folder.path, available: [])
        }
        if failures > 0 { throw ExitCode.failure }
    }

    private static func json(_ voice: Voice) -> JSONValue {
        .object([
            ("locale", .string(voice.language.locale)), ("name", .string(voice.language.name)),
            (
                "speaker",
                voice.speaker.map { .object([("id", .string($0.id)), ("name", .string($0.name))]) } ?? .null
            ),
            ("directory", .string(voice.directory)), ("recordings", .integer(voice.recordings.entries.count)),
        ])
    }
}

struct TryVoice: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "try", abstract: "Say everything that a voice has to say, as text or as sound.",
        discussion: """
            Every sentence with every channel, every prompt and kind, counts, each currency and some amounts: one per \
            line, under headings. What cannot be said is told, and the exit code is 1. Recordings are needed for -o only: \
            FILE.wav gets all of it, a folder one WAV for each line.

              soundbox voice try ms-MY
              soundbox voice try zh-CN-yunxi -o trial.wav
            """)

    @Argument(help: "Which voice.")
    var locale: String

    @Option(
        name: [.short, .customLong("output")],
        help: ArgumentHelp("A WAV, or a folder, which is made when it is missing.", valueName: "file.wav|folder"))
    var output: String?

    @OptionGroup var sounds: SoundsOptions

    func run() async throws {
        let voice = try sounds.folder.voice(locale)
        let tour = VoiceTour(voice)
        let parts = tour.parts
        let isWhole = output?.lowercased().hasSuffix(".wav") == true
        if let output { try SmallFile.createFolders(isWhole ? SmallFile.folder(of: output) : output) }
        var failures = 0
        var number = 0
        for part in parts {
            printLine("\(number == 0 ? "" : "\n")\(part.heading)")
            for stop in part.stops {
                number += 1
                switch stop.script {
                case .failure(let error):
                    failures += 1
                    printError("\(voice.directory)/voice.yaml: \(stop.key): \(error)")
                case .success(let script):
                    guard let output, !isWhole else {
                        printLine("  \(script.text)")
                        continue
                    }
                    let file = "\(output)/\(Self.name(number, stop.key)).wav"
                    try await tour.write(script, to: file)
                    printLine("  \(script.text)  \(file)")
                }
            }
        }
        if let output, isWhole { try await tour.write(to: output) }
        if failures > 0 { throw ExitCode.failure }
    }

    /// A name that sorts in order and describes the content: `007-sentences-refund`.
    private static func name(_ number: Int, _ key: String) -> String {
        let digits = String(number)
        let word = key.map { $0.isLetter || $0.isNumber ? $0 : "-" }
        return String(repeating: "0", count: max(0, 3 - digits.count)) + digits + "-" + String(word)
    }
}
