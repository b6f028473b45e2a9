import ArgumentParser
import SoundboxCommandLine
import SoundboxCore
import SoundboxSpeech
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
