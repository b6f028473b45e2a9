import ArgumentParser
import SoundboxCore
import SoundboxVoice
import SoundboxWorkshop

struct CheckVoice: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Prove that a voice can say every amount, and that its recordings are sound.",
        discussion: """
            Looks at the words that the number rules can put out, at every unit, channel and sentence, and at every \
            recording: missing, unreadable, too loud or soft, clipped, silent at its ends, named twice or by nobody. A \
            note names a sentence or prompt that the voice may lack, and what is said instead.

            With --report it measures instead how smoothly amounts are spoken, as the box would play them: recordings; \
            length without the rests of punctuation; those rests; that length in relation to a fluent reading; longest \
            gap below -50 dBFS; largest jump from sample to sample where two recordings meet. The fluent reading is what \
            the chosen recordings tell espeak-ng (their "say"), spoken in one go; a voice without synthesiser has none.

              soundbox voice check zh-CN --report
              soundbox voice check --report 1005 0.01 --json
            """)

    @Argument(help: ArgumentHelp("Which voices, otherwise all; with --report also amounts.", valueName: "locale"))
    var arguments: [String] = []

    @Flag(help: "Measure amounts, such as 123.45; without any, eight usual ones.")
    var report = false

    @Flag(help: "Print the report as JSON.")
    var json = false

    @OptionGroup var sounds: SoundsOptions

    private var locales: [String] { arguments.filter { $0.first?.isLetter == true } }
    private var amounts: [String] { arguments.filter { $0.first?.isLetter != true } }

    func validate() throws {
        guard report || amounts.isEmpty && !json else {
            throw ValidationError("Amounts and --json belong to --report.")
        }
        for amount in amounts {
            do { _ = try DecimalNumber(amount) } catch { throw ValidationError("AMOUNT \"\(amount)\": \(error).") }
        }
    }

    func run() async throws {
        let folder = sounds.folder
        let chosen = locales.isEmpty ? folder.locales : locales
        guard !chosen.isEmpty else { throw VoiceError.notFound(locale: "", directory: folder.path, available: []) }
        if report {
            let printer = ReportPrinter(amounts: amounts.isEmpty ? VoiceReport.usualAmounts : amounts, json: json)
            return try await printer.print(chosen.map { try folder.voice($0) })
        }
        var failed = false
        for locale in chosen {
            do {
                let voice = try folder.voice(locale)
                let check = VoiceCheck(voice)
                for note in check.notes { printLine("note: \(note)") }
                let problems = try check.problems()
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
