import ArgumentParser
import SoundboxAudio

struct CheckVoice: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Prove that a voice can say every amount, and that its recordings are sound.",
        discussion: """
            Looks at the words that the number rules can put out, at every unit, channel and sentence, and at every \
            recording: missing, unreadable, too loud or soft, clipped, silent at its ends, named twice or by nobody.
            """)

    @Argument(help: ArgumentHelp("Which voices; otherwise all of them.", valueName: "locale"))
    var locales: [String] = []

    @OptionGroup var sounds: SoundsOptions

    func run() throws {
        let folder = sounds.folder
        let chosen = locales.isEmpty ? folder.locales : locales
        guard !chosen.isEmpty else { throw VoiceError.notFound(locale: "", directory: folder.path, available: []) }
        var failed = false
        for locale in chosen {
            do {
                let voice = try folder.voice(locale)
                let problems = try VoiceCheck(voice).problems()
                for problem in problems { printError(problem) }
                failed = failed || !problems.isEmpty
                let verdict = problems.isEmpty ? "in order" : "\(problems.count) problems"
                printLine("\(locale): \(voice.recordings.entries.count) recordings, \(verdict)")
            } catch {
                failed = true
                printError("\(error)")
            }
        }
        if failed { throw ExitCode.failure }
    }
}
