import ArgumentParser
import SoundboxCommandLine
import SoundboxConfiguration
import SoundboxCore
import SoundboxSetup

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Look at everything that a box needs, and say what to do about what is wrong.",
        discussion: """
            Changes nothing. Green is in order, amber deserves a look, red keeps the box from its work. Exit code 0 \
            when nothing is red. Run it with sudo, so that it may look into the secrets' files and the inbox.
            """)

    @OptionGroup var control: ControlOptions

    @Flag(help: "Print JSON, for programs.")
    var json = false

    @Option(
        help: ArgumentHelp(
            """
            Also write what support needs to this new tar file: this check-up, the configuration and the log. No \
            secrets; payment ids and amounts are in the log.
            """, valueName: "file.tar"))
    var bundle: String?

    func run() async throws {
        let file = control.configuration.config
        showProgress("Looking at everything; this may take a minute")
        let report = await Doctor(configurationFile: file, socketPath: control.socket).examine()
        endProgress()
        printStyled(json ? report.json.text : report.text(colored: Terminal.outputIsColored))
        if let bundle { try await SupportBundle(configurationFile: file).write(report, to: bundle) }
        if report.level == .red { throw ExitCode.failure }
    }
}
