import ArgumentParser
import SoundboxCore
import SoundboxVoice

struct ListVoices: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Show which voices there are.")

    @OptionGroup var sounds: SoundsOptions

    @Flag(help: "Print JSON, for programs.")
    var json = false

    func run() throws {
        let folder = sounds.folder
        // One that cannot be read is reported, and the others are still listed.
        var failures = 0
        var voices: [Voice] = []
        for locale in folder.locales {
            do { voices.append(try folder.voice(locale)) } catch {
                failures += 1
                printError("\(error)")
            }
        }
        if json {
            printLine(JSONValue.array(voices.map(Self.json)).text)
        } else {
            for voice in voices {
                printLine(
                    "\(voice.language.locale)  \(voice.language.name)  \(voice.recordings.entries.count) recordings")
            }
        }
        if folder.locales.isEmpty {
            throw VoiceError.notFound(locale: "", directory: folder.path, available: [])
        }
        if failures > 0 { throw ExitCode.failure }
    }

    private static func json(_ voice: Voice) -> JSONValue {
        .object([
            ("locale", .string(voice.language.locale)), ("name", .string(voice.language.name)),
            ("directory", .string(voice.directory)), ("recordings", .integer(voice.recordings.entries.count)),
        ])
    }
}
