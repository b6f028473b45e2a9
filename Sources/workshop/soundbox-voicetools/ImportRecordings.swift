import ArgumentParser
import SoundboxCommandLine
import SoundboxCore
import SoundboxVoice
import SoundboxWorkshop
import SoundboxYAML

struct ImportRecordings: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Make the recordings of a voice out of what a person has read aloud.",
        discussion: """
            One file is a take of the whole `soundbox-voicetools script`, in its order, with a second of silence after each \
            phrase; it is cut at the silences. Files named after the entries (yi1.wav, or 一.wav) hold one phrase each. \
            What was cut is centred, brought to the rate and loudness of the voice, checked and written as Opus. A \
            synthesiser's recording is replaced; a person's only with --replace. A phrase that fails is told with its \
            time in the take, and the others are written.

            Where a take does not hold as many phrases as the script, nothing is written: one phrase too few or too many, \
            and each one after it would get the wrong name, and the box would speak wrong amounts. Listen to the result: \
            soundbox-voicetools render 1234.56 7890 -o FOLDER
            """)

    @Argument(help: "Which voice.")
    var locale: String

    @Argument(help: "WAV, FLAC or what else libsndfile reads.")
    var files: [String]

    @OptionGroup var selection: SelectionOptions

    @Flag(help: "Overwrite a person's recordings, too.")
    var replace = false

    @Flag(help: "Take a take that ends before the script does; it must begin with its first phrase and leave none out.")
    var partial = false

    @Option(
        help: ArgumentHelp("Silence that separates two phrases, from 200ms to 5s.", valueName: "duration"),
        transform: pauseDuration)
    var pause = VoiceImporter.usualPause

    @OptionGroup var sounds: SoundsOptions

    func run() throws {
        let directory = try sounds.folder.voice(locale).directory
        let importer = try VoiceImporter(
            directory: directory, selection: selection.selection, replacesPersons: replace)
        let report = try importer.importFiles(files, pause: pause, isPartial: partial)
        for piece in report.imported {
            printLine(
                "\(piece.start.asTime)–\(piece.end.asTime)  \(piece.entry.file)  \(piece.entry.text)")
        }
        for (piece, problem) in report.refused {
            printError("\(piece.start.asTime) \"\(piece.entry.text)\" (\(piece.entry.file)): \(problem); not written")
        }
        let absent = report.absent.isEmpty ? "" : ", \(report.absent.count) not in the take"
        printLine("\(locale): \(report.imported.count) imported, \(report.refused.count) refused\(absent)")
        if !report.refused.isEmpty { throw ExitCode.failure }
    }

    /// Reads a duration in the format of the configuration.
    private static func pauseDuration(_ text: String) throws -> Duration {
        do {
            return try YAMLValue(parsing: "\"\(text)\"", file: "--pause").duration(in: VoiceImporter.pauses)
        } catch {
            throw ValidationError(error.problem)
        }
    }
}

/// The entries of a voice to record. Script and import use the same options, so that they match.
struct SelectionOptions: ParsableArguments {
    @Flag(help: "Only phrases without a recording.")
    var missing = false

    @Flag(help: "Only phrases that no person has spoken: the missing ones and the synthesiser's.")
    var synthesized = false

    func validate() throws {
        guard !(missing && synthesized) else { throw ValidationError("Give either --missing or --synthesized.") }
    }

    var selection: RecordingScript.Selection { synthesized ? .notSpokenByPerson : missing ? .missing : .all }
}
