import ArgumentParser
import SoundboxCommandLine
import SoundboxSystem
import SoundboxVoice
import SoundboxWorkshop

struct NewVoice: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Begin a voice: a folder with a voice.yaml to be translated and recorded.",
        discussion: """
            The new voice speaks digits one by one, with English words to be translated; every line of its voice.yaml is \
            explained. With --from it takes over the rules, sentences and list of another voice, without its recordings. \
            A voice that is there already stays as it is.

              soundbox-voicetools new ms-MY --sounds sounds
              soundbox-voicetools script ms-MY            what to read aloud
              soundbox-voicetools import ms-MY take.wav   the recording, cut into phrases
            """)

    @Argument(help: "A BCP 47 tag, such as ms-MY.")
    var locale: String

    @Option(help: ArgumentHelp("The voice to take over; otherwise digits in English.", valueName: "locale"))
    var from: String?

    @OptionGroup var sounds: SoundsOptions

    func validate() throws {
        guard VoiceSkeleton.isLocale(locale) else {
            throw ValidationError("\"\(locale)\" is no locale; expected a BCP 47 tag such as ms-MY.")
        }
    }

    func run() throws {
        let folder = sounds.folder
        let origin = try from.map { try source($0).directory }
        let directory = try VoiceSkeleton(locale: locale, in: folder.path).create(from: origin)
        let count = try Voice(directory: directory).recordings.entries.count
        printLine("\(directory)/voice.yaml: \(count) phrases to translate and record")
    }

    /// A voice of the same folder, or an installed one.
    private func source(_ locale: String) throws -> Voice {
        let shipped = VoiceFolder(path: InstalledFolders.nearestSounds)
        let hasOwn = sounds.folder.names.contains(locale)
        return try (hasOwn || !shipped.names.contains(locale) ? sounds.folder : shipped).voice(locale)
    }
}
