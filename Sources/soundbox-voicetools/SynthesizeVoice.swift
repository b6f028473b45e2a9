import ArgumentParser
import SoundboxCommandLine
import SoundboxVoice
import SoundboxWorkshop

struct SynthesizeVoice: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "synthesize", abstract: "Make the recordings of a voice with its synthesiser.",
        discussion: """
            Speaks every entry of voice.yaml that has a "say", trims and levels it, and writes it as FLAC. What sounds \
            the same is left untouched, so a second run changes nothing; a person's recordings are never overwritten.
            """)

    @Argument(help: ArgumentHelp("Which voices; otherwise all of them.", valueName: "locale"))
    var locales: [String] = []

    @OptionGroup var sounds: SoundsOptions

    func run() async throws {
        let folder = sounds.folder
        for locale in locales.isEmpty ? folder.names : locales {
            let workshop = VoiceWorkshop(directory: try folder.voice(locale).directory)
            let report = try await workshop.makeRecordings { progress in
                showProgress("\(locale): \(progress.done)/\(progress.total) \(progress.file)")
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
