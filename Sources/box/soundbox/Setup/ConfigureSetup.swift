import ArgumentParser
import Glibc
import SoundboxCommandLine
import SoundboxCore
import SoundboxSetup
import SoundboxSystem
import SoundboxYAML

struct ConfigureSetup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "configure", abstract: "Ask, try, write (what setup does by itself).",
        discussion: "At a question, Enter takes the answer in brackets, < goes back, and quit changes nothing.")

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var options: SetupOptions
    @OptionGroup var restart: RestartOptions

    @Flag(help: "Ask nothing: what no option gives stays as it is, or has its usual value.")
    var yes = false

    @Flag(help: "Do not try the broker.")
    var skipChecks = false

    @Flag(help: "Do not play the greeting.")
    var skipSound = false

    @Flag(help: "Do not ask for the code that the box says.")
    var skipCode = false

    @Flag(help: "With --yes: write although the broker cannot be used.")
    var force = false

    @Flag(help: "Show what would be written, and write nothing.")
    var dryRun = false

    @Flag(help: "Only try what is installed; exit code 1 when the broker cannot be used.")
    var check = false

    func run() async throws {
        let path = configuration.config
        let basis = InstalledSetup(path)
        var document = access(path, F_OK) == 0 ? try YAMLDocument(readingFile: path) : YAMLDocument()
        try options.setOthers(in: &document)
        let choices = SetupChoices(over: document)
        var answers = SetupAnswers(from: document)
        if answers.deviceID.isEmpty { answers.deviceID = HardwareIdentity().deviceID ?? "" }
        let given = try options.given
        for question in SetupQuestion.allCases {
            guard let text = given[question] else { continue }
            do { try question.store(text, &answers, choices) } catch {
                throw ValidationError("\(question.option): \(error).")
            }
        }

        if check {
            guard SmallFile.exists(path) || !answers.brokerURL.isEmpty else { throw SetupError.noSetup(path) }
            return try await onlyCheck(answers, document)
        }
        let session = SetupSession(document: document, choices: choices, skipChecks: skipChecks, skipSound: skipSound)
        let decided =
            yes
            ? try await session.runUnattended(answers, force: force)
            : try await session.run(answers, given: Set(given.keys), asksForCode: !skipCode)
        guard let decided else {
            printLine("Nothing was changed.")
            throw ExitCode.failure
        }
        try await write(SetupPlan(try document.applying(decided), source: path, to: path, basis: basis))
    }

    private func onlyCheck(_ answers: SetupAnswers, _ document: YAMLDocument) async throws {
        let findings = await SetupTrial(answers, over: document).checkBroker()
        printFindings(findings)
        if findings.contains(where: { $0.level == .red }) { throw ExitCode.failure }
    }

    private func write(_ plan: SetupPlan) async throws {
        let changes = plan.changes
        if dryRun {
            printLine(changes.isEmpty ? "Nothing would change." : "Would write:")
            for file in changes {
                printLine("  \(file.path) (mode \(String(file.mode, radix: 8)))\(file.isSecret ? ", a secret" : "")")
            }
            printLine(plan.text)
            for line in plan.remarks { printLine(line) }
            return
        }
        guard !changes.isEmpty else { return printLine("Nothing to change: the box is set up like this already.") }
        for path in try plan.write() { printLine("wrote \(path)") }
        for line in plan.remarks { printLine(line) }
        try await restart.restart(configuration.config)
    }
}
