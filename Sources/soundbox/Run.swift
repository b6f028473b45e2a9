import ArgumentParser
import Logging
import SoundboxRuntime

struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Be the box: take payments from the broker and announce them.",
        discussion: """
            Stays in the foreground and logs to standard error. SIGTERM and Ctrl-C finish the announcement that is \
            playing, within 10 s. Under systemd it reports readiness and serves the watchdog.
            """)

    enum PanelOption: String, ExpressibleByArgument, CaseIterable {
        case board
        case terminal

        var choice: Box.PanelChoice { self == .terminal ? .terminal : .board }
    }

    @OptionGroup var configuration: ConfigurationOptions

    @Option(
        help: """
            board: buttons and lights as the configured board has them. terminal: keys + - r on this terminal, for \
            trials without hardware.
            """)
    var panel = PanelOption.board

    @Flag(
        help: """
            While there is no configuration, say aloud that the box is not set up and wait for it, instead of failing.
            """)
    var waitForSetup = false

    func run() async throws {
        Footprint.keepSmall()
        if waitForSetup {
            let logger = Logger(label: "soundbox") { _ in LineLogHandler(level: .info) }
            try await UnprovisionedBox(configurationFile: configuration.config, panel: panel.choice, logger: logger)
                .waitForSetup()
        }
        let configuration = try configuration.read()
        let logger = Logger(label: "soundbox") { _ in LineLogHandler(level: configuration.logLevel) }
        let box = try Box(configuration, panel: panel.choice, logger: logger)
        try await box.run()
    }
}
