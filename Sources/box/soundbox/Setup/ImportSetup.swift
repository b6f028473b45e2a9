import ArgumentParser
import SoundboxCommandLine
import SoundboxSetup

struct ImportSetup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Install a setup that another box exported, or that was prepared for this one.",
        discussion: """
            The file is soundbox.yaml with the secrets in it: broker.password, and in PEM form broker.ca, \
            broker.certificate and broker.key. They go to files of their own beside soundbox.yaml. The box that had \
            this setup before must not run any more: two boxes of one name push each other off the broker.

            The file ends with a line of three dots. Without it the file may have been cut off: nothing is installed.

            It may also name the shop's Wi-Fi, or nothing else, where NetworkManager runs:

              wifi: {ssid: Shop, password: the password, country: CN}
              ...

            The network is added to those that the machine knows; none of them is changed.
            """)

    @Argument(help: ArgumentHelp("The file.", valueName: "file"))
    var file: String?

    @Option(
        help: ArgumentHelp(
            """
            Install provisioning.yaml or soundbox.yaml of this folder if it is there, or take over its claim.yaml, \
            and remove it then; on error \
            leave soundbox-error.txt beside it. For the boot partition of a new box.
            """, valueName: "folder"))
    var firstBoot: String?

    @Flag(help: "Show what would be written, and write nothing.")
    var dryRun = false

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var restart: RestartOptions

    func validate() throws {
        guard (file == nil) != (firstBoot == nil) else { throw ValidationError("Give either FILE or --first-boot.") }
        guard firstBoot == nil || !dryRun else { throw ValidationError("--dry-run goes with FILE.") }
    }

    /// Switches Wi-Fi on. A failure is only reported: the rest of the setup works.
    private func turnOnWiFi() async {
        do {
            for line in try await WiFiSwitch(configurationFile: configuration.config).turnOn() { printLine(line) }
        } catch { printLine("\(error); try again with: sudo soundbox setup wifi") }
    }

    func run() async throws {
        if let firstBoot {
            switch try FirstBoot.run(folder: firstBoot, configuration: configuration.config) {
            case .nothingToDo: printLine("nothing to import in \(firstBoot)")
            case .imported(let source, let changed, let notice):
                printLine("\(source) is installed\(changed ? "" : ", as it was already,") and removed")
                if let notice { printLine(notice) }
            case .claimed(let source, let notice):
                printLine("\(source) is taken over and removed; soundbox setup enrol goes on with it")
                if let notice { printLine(notice) }
            case .kept(let source, let reason, let notice):
                printLine("\(source) is installed until the next power cut, and stays where it is: \(reason)")
                if let notice { printLine(notice) }
            }
            return
        }
        guard let file else { return }
        let plan = try Provisioning.plan(file, to: configuration.config)
        guard !dryRun else {
            for path in plan.changes { printLine("would write \(path)") }
            if let notice = plan.notice { printLine(notice) }
            for line in plan.remarks { printLine(line) }
            return
        }
        let changed = try plan.write()
        if let notice = plan.notice { printLine(notice) }
        if plan.hasNetwork { await turnOnWiFi() }
        guard !changed.isEmpty else { return printLine("Nothing to change: the box is set up like this already.") }
        for path in changed { printLine("wrote \(path)") }
        for line in plan.remarks { printLine(line) }
        try await restart.restart(configuration.config)
    }
}
