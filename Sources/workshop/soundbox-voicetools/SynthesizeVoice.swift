import ArgumentParser
import Glibc
import SoundboxCommandLine
import SoundboxVoice
import SoundboxWorkshop

struct SynthesizeVoice: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "synthesize", abstract: "Make the recordings of a voice with its synthesiser.",
        discussion: """
            Speaks what is new or changed in voice.yaml since each file was made, trims and levels it, and writes it \
            as FLAC. A second run changes nothing; a person's recordings are never overwritten.
            """)

    @Argument(help: ArgumentHelp("Which voices; otherwise all of them.", valueName: "locale"))
    var locales: [String] = []

    @Flag(help: "Speak every entry that has a \"say\", as after a change of the synthesiser.")
    var all = false

    @OptionGroup var sounds: SoundsOptions

    func run() async throws {
        let folder = sounds.folder
        for locale in locales.isEmpty ? folder.names : locales {
            let workshop = VoiceWorkshop(directory: try folder.voice(locale).directory)
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
