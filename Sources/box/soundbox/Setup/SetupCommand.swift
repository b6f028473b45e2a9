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

struct ExportSetup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write the whole setup, SECRETS INCLUDED, to one file, to replace this box.",
        discussion: "The file is readable by its owner only (mode 0600). Delete it when the new box works.")

    @Argument(help: ArgumentHelp("A new file.", valueName: "file"))
    var file: String

    @OptionGroup var configuration: ConfigurationOptions

    func run() throws {
        try Provisioning.write(try Provisioning.export(configuration.config), to: file)
        printLine("\(file) holds this box's secrets: whoever has it can be this box.")
    }
}

struct ShowSetup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print the setup; secrets are not in it.",
        discussion: """
            Shows what the box understands and what cannot be a secret. All else is named and masked: keys that are \
            misspelt or in the wrong place, paths that lead nowhere on this machine, and a user name without a \
            password beside it, which may be a token.
            """)

    @OptionGroup var configuration: ConfigurationOptions

    func run() throws {
        let text = try ShownConfiguration(readingFile: configuration.config).text
        printLine(text.hasSuffix("\n") ? String(text.dropLast()) : text)
    }
}

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

struct TurnOnWiFi: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wifi", abstract: "Switch Wi-Fi on for a network that setup import has added.",
        discussion: """
            Sets the country, without which Raspberry Pi OS keeps the radio off, and tells NetworkManager of the \
            network. soundbox-wifi.service does this after a first boot; it can be repeated when that has failed.
            """)

    @OptionGroup var configuration: ConfigurationOptions

    func run() async throws {
        for line in try await WiFiSwitch(configurationFile: configuration.config).turnOn() { printLine(line) }
    }
}
