import ArgumentParser
import SoundboxCommandLine
import SoundboxSetup

struct ResetSetup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Remove the setup and its secrets; the box then says that it is not set up.",
        discussion: """
            The volume, quiet hours and settings that came since go, too, and phones are signed out of the shop's page. \
            The inbox stays, so that no payment is spoken again when the box is set up once more.
            """)

    @Flag(help: "Do not ask.")
    var yes = false

    @Flag(help: "Only when the box's buttons have asked for it; nothing is asked and nothing restarted.")
    var ifRequested = false

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var restart: RestartOptions

    func run() async throws {
        if ifRequested {
            let removed = try Provisioning.resetIfRequested(configuration.config)
            for path in removed { printLine("removed \(path)") }
            return
        }
        if !yes {
            let answer = try await Terminal.ask("Remove the setup of this box and its secrets? yes or no [no]: ")
            guard ["y", "yes"].contains(answer) else {
                printLine("Nothing was changed.")
                throw ExitCode.failure
            }
        }
        let removed = try Provisioning.reset(configuration.config)
        for path in removed { printLine("removed \(path)") }
        guard !removed.isEmpty else { return printLine("There was no setup.") }
        try await restart.restart(configuration.config)
    }
}
