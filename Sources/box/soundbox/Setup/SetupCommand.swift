import ArgumentParser
import SoundboxCommandLine
import SoundboxConfiguration
import SoundboxCore
import SoundboxSetup
import SoundboxYAML

struct SetupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup", abstract: "Set this box up: who it is, its broker, its voice.",
        discussion: """
            Asks what it needs, with the installed answers as defaults, and tries them as it goes. Every question can \
            be answered by an option instead, and with --yes nothing is asked at all.

              sudo soundbox setup
              sudo soundbox setup --yes --merchant-id M1001 --device-id box-01 --broker mqtts://mq.example.com \\
                --username M1001.box-01 --password-file /root/box-01.password
              sudo soundbox setup export old-box.yaml          then, on the new box: setup import old-box.yaml
            """,
        subcommands: [
            ConfigureSetup.self, ShowSetup.self, ExportSetup.self, ImportSetup.self, ResetSetup.self,
            EnrolSetup.self, TurnOnWiFi.self,
        ],
        defaultSubcommand: ConfigureSetup.self)
}

/// The restart after a setup was written.
struct RestartOptions: ParsableArguments {
    @Flag(help: "Do not restart the box.")
    var noRestart = false

    /// Restarts the box's service. A setup in another folder is a trial without a service.
    func restart(_ configurationFile: String) async throws {
        guard !noRestart, configurationFile == Configuration.defaultPath else { return }
        printLine(try await BoxService.restart())
    }
}

func printFindings(_ findings: [Finding]) {
    printStyled(DoctorReport(findings: findings).text(colored: Terminal.outputIsColored))
}
