import ArgumentParser
import SoundboxAudio
import SoundboxCommandLine
import SoundboxCore
import SoundboxSystem
import SoundboxVoice
import SoundboxWorkshop

struct CheckVoice: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Prove that a voice can say every amount, and that its recordings are sound.",
        discussion: """
            Looks at the words that the number rules can put out, at whether two numbers or amounts sound alike, at every \
            unit, channel and sentence, and at every recording: missing, unreadable, too loud or soft, clipped, silent at its ends, named twice or by nobody. A \
            note names a sentence or prompt that the voice may lack, and what is said instead. Speakers of one language \
            must say the same words: what differs between their folders is told.

            With --report it measures instead how smoothly amounts are spoken, as the box would play them: recordings; \
            length without the rests of punctuation; those rests; that length in relation to a fluent reading; longest \
            gap below -50 dBFS; largest jump from sample to sample where two recordings meet. The fluent reading is what \
            the chosen recordings tell espeak-ng (their "say"), spoken in one go; a voice without synthesiser has none.

            With --oracle it compares how numbers are read with ICU: more than 100,000 amounts, of \
            which the first that differ are shown. ICU is no judge, and a file of --deviations says what is read otherwise \
            on purpose (docs/voice-authoring.md).

              soundbox-voicetools check ms-MY --oracle
              soundbox-voicetools check zh-CN --report
              soundbox-voicetools check --report 1005 0.01 --json
            """)

    @Argument(help: ArgumentHelp("Which voices, otherwise all; with --report also amounts.", valueName: "locale"))
    var arguments: [String] = []

    @Flag(help: "Measure amounts, such as 123.45; without any, eight usual ones.")
    var report = false

    @Flag(help: "Print the report as JSON.")
    var json = false

    @Flag(help: "Compare the numbers with ICU's.")
    var oracle = false

    @Option(
        help: ArgumentHelp(
            "What the one voice reads otherwise than ICU, and why; with --oracle.", valueName: "file.yaml"))
    var deviations: String?

    @Option(
        help: ArgumentHelp(
            "ICU's rules for amounts, where they are neither \(VoiceOracle.usualRuleSet) nor called as the voice's; with --oracle.",
            valueName: "set")
    )
    var ruleSet: String?

    @OptionGroup var sounds: SoundsOptions

    private var locales: [String] { arguments.filter { $0.first?.isLetter == true } }
    private var amounts: [String] { arguments.filter { $0.first?.isLetter != true } }

    func validate() throws {
        guard report || !json else { throw ValidationError("--json belongs to --report.") }
        if !report, let other = amounts.first {
            throw ValidationError("\"\(other)\" is no name of a voice; amounts belong to --report.")
        }
        guard oracle || deviations == nil && ruleSet == nil else {
            throw ValidationError("--deviations and --rule-set belong to --oracle.")
        }
        guard !(oracle && report) else { throw ValidationError("Give either --oracle or --report.") }
        guard deviations == nil || locales.count == 1 && ruleSet == nil else {
            throw ValidationError("--deviations goes with one voice; the file names ICU's rule set itself.")
        }
        for amount in amounts {
            do { _ = try DecimalNumber(amount) } catch { throw ValidationError("AMOUNT \"\(amount)\": \(error).") }
        }
    }

    func run() async throws {
        let folder = sounds.folder
        let chosen = locales.isEmpty ? folder.names : locales
        guard !chosen.isEmpty else { throw VoiceError.notFound(name: "", directory: folder.path, available: []) }
        if oracle {
            let printer = OraclePrinter(deviations: deviations, ruleSet: ruleSet)
            return try printer.print(chosen.map { try folder.voice($0) })
        }
        if report {
            let printer = ReportPrinter(amounts: amounts.isEmpty ? VoiceTour.amounts : amounts, json: json)
            return try await printer.print(chosen.map { try folder.voice($0) })
        }
        // A voice takes seconds, and no two need the same.
        let verdicts = chosen.map { name in
            Task { try await onOwnThread(named: "check") { try Verdict(of: name, in: folder) } }
        }
        var failed = false
        for verdict in verdicts {
            do {
                let verdict = try await verdict.value
                for note in verdict.notes { printLine("note: \(note)") }
                for problem in verdict.problems { printError(problem) }
                printLine(verdict.summary)
                failed = failed || !verdict.problems.isEmpty
            } catch {
                failed = true
                printError("\(error)")
            }
        }
        if locales.isEmpty {
            for name in folder.namesWithoutList {
                failed = true
                printError("\(folder.path)/\(name): recordings, and no voice.yaml that can be read")
            }
        }
        let differences = SpeakerCheck(folder).problems(of: locales.isEmpty ? nil : locales)
        for difference in differences { printError(difference) }
        if failed || !differences.isEmpty { throw ExitCode.failure }
    }

    /// What is wrong with a voice.
    private struct Verdict: Sendable {
        let notes: [String]
        let problems: [String]
        let summary: String

        /// Blocks on the disk for seconds.
        init(of name: String, in folder: VoiceFolder) throws {
            let voice = try folder.voice(name)
            let check = VoiceCheck(voice)
            notes = check.notes
            problems = try check.problems()
            let verdict =
                switch problems.count {
                case 0: "in order"
                case 1: "1 problem"
                case let count: "\(count) problems"
                }
            summary = "\(name): \(voice.recordings.entries.count) recordings, \(verdict)"
        }
    }
}

extension VoiceFolder {
    /// Sub-folders with recordings that no list names, sorted. They are no voices to a box.
    fileprivate var namesWithoutList: [String] {
        let others = Set((try? SmallFile.names(in: path)) ?? []).subtracting(names)
        return others.filter { name in
            ((try? SmallFile.names(in: "\(path)/\(name)")) ?? []).contains { RecordingFormat.stem(of: $0) != nil }
        }.sorted()
    }
}

/// The output of `soundbox-voicetools check --oracle`.
struct OraclePrinter {
    private let oracle = VoiceOracle()
    /// The file of deviations, for one voice.
    let deviations: String?
    let ruleSet: String?

    /// - Throws: ``ExitCode/failure`` if a voice differs from ICU without a deviation, or cannot be compared. The other
    ///   voices are still compared.
    func print(_ voices: [Voice]) throws {
        var isFailed = false
        for voice in voices {
            do {
                let report = try oracle.compare(voice.language, deviations: deviations, ruleSet: ruleSet)
                isFailed = isFailed || report.wrong > 0
                printLine(
                    "\(voice.name): \(report.compared) amounts beside ICU \(oracle.version): \(report.equal) equal, "
                        + "\(report.deviating) as the deviations say, \(report.wrong) different")
                for example in report.examples {
                    let expected = example.expected == example.icu ? "" : ", with the deviations \(example.expected)"
                    printLine("  \(example.amount): \(example.own); ICU: \(example.icu)\(expected)")
                }
                if report.wrong > report.examples.count {
                    printLine("  and \(report.wrong - report.examples.count) more")
                }
                for place in report.unusedRules { printLine("  \(place): this deviation changes no amount") }
            } catch {
                isFailed = true
                printError("\(voice.name): \(error)")
            }
        }
        if isFailed { throw ExitCode.failure }
    }
}
