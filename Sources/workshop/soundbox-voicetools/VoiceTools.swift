import ArgumentParser
import Glibc
import SoundboxCommandLine
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxVoice
import SoundboxWorkshop

/// The voice author's program. Each subcommand has its own file.
struct VoiceTools: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soundbox-voicetools",
        abstract: "Begin, record, check, compare and make the voices of a sound box.",
        version: SoundboxVersion.current,
        subcommands: [
            NewVoice.self, PrintScript.self, ImportRecordings.self, CheckVoice.self, RenderAmounts.self,
            CompareVoices.self, SynthesizeVoice.self,
        ])
}

@main
enum Main {
    static func main() async {
        StandardOutput.open(program: "soundbox-voicetools")
        await VoiceTools.runProgram()
    }
}

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

struct PrintScript: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "script", abstract: "Print what a speaker must read aloud, to be recorded in one take.",
        discussion: """
            In the order of the list in voice.yaml, under the comments that group it. Read it aloud in this order and give \
            the take to `soundbox-voicetools import`, with the same --missing or --synthesized.

              soundbox-voicetools script zh-CN | lp
            """)

    @Argument(help: "Which voice.")
    var locale: String

    @OptionGroup var selection: SelectionOptions

    @OptionGroup var sounds: SoundsOptions

    func run() throws {
        let voice = try sounds.folder.voice(locale)
        let lines = try RecordingScript(directory: voice.directory, selection: selection.selection).lines
        printLine("\(voice.language.locale), \(voice.language.name): \(lines.count) phrases to read aloud")
        if lines.isEmpty { return }
        printLine("")
        printLine(Self.advice)
        let width = "\(lines.count)".count
        var heading: String?
        for (index, line) in lines.enumerated() {
            if index == 0 || line.heading != heading {
                heading = line.heading
                printLine("\n\(heading ?? "")")
            }
            let number = "\(index + 1)"
            let indent = String(repeating: " ", count: width - number.count + 2)
            printLine("\(indent)\(number)  \(line.entry.text)   [\(line.entry.file)]")
        }
    }

    private static let advice = """
        - A quiet room with curtains or books. Fans, refrigerator and telephone off.
        - A hand's span (20 cm) from the microphone, a little beside it; the same distance throughout.
        - One voice, one mood, one speed: calm and clear. Say each phrase as people say it, not its syllables.
        - Peaks near -12 dBFS: the meter never reaches its red end. WAV or FLAC, mono, 44.1 or 48 kHz, 16 or 24 bits.
        - Rest for a full second in silence before the first phrase and after each one.
        - One take, in this order, each phrase once. The numbers and file names are not read.
        - After a slip, cut the bad phrase out of the take in a sound editor, or begin again from the start.
        """
}

struct SynthesizeVoice: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "synthesize", abstract: "Make the recordings of a voice with its synthesiser.",
        discussion: """
            Speaks what is new or changed in voice.yaml since each file was made, trims and levels it, and writes it \
            as Opus. A second run changes nothing; a person's recordings are never overwritten.
            """)

    @Argument(help: ArgumentHelp("Which voices; otherwise all of them.", valueName: "locale"))
    var locales: [String] = []

    @Flag(help: "Speak every entry that has a \"say\", as after a change of the synthesiser.")
    var all = false

    @Option(
        help: ArgumentHelp(
            "Also write what is made as FLAC, without loss, to FOLDER/LOCALE; with --all that is everything.",
            valueName: "folder"))
    var masters: String?

    @OptionGroup var sounds: SoundsOptions

    func run() async throws {
        let folder = sounds.folder
        for locale in locales.isEmpty ? folder.names : locales {
            let masters = masters.map { "\($0)/\(locale)" }
            if let masters { try SmallFile.createFolders(masters) }
            let workshop = VoiceWorkshop(directory: try folder.voice(locale).directory, masters: masters)
            let report = try await workshop.makeRecordings(all: all) { progress in
                let line = "\(locale): \(progress.done) of \(progress.total) phrases"
                showProgress(line)
                // A log has no line to overwrite.
                if isatty(STDERR_FILENO) == 0, progress.done.isMultiple(of: 50) { printLine(line) }
            }
            showProgress("")
            printLine(
                """
                \(locale): \(report.made.count) made, \(report.unchanged.count) unchanged, \
                \(report.removed.count) removed, \(report.skipped.count) by people left alone
                """)
        }
    }
}
