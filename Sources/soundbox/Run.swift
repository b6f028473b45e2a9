import ArgumentParser
import Glibc
import Logging
import SoundboxAudio
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
        var surroundings = UnprovisionedBox.Surroundings()
        var setup: Configuration
        repeat {
            if waitForSetup {
                let logger = Logger(label: "soundbox") { _ in LineLogHandler(level: .info) }
                let waiting = UnprovisionedBox(
                    configurationFile: configuration.config, surroundings: surroundings, panel: panel.choice,
                    logger: logger)
                guard try await waiting.waitForSetup() else { return }
            }
            setup = try configuration.read()
            surroundings = UnprovisionedBox.Surroundings(setup)
        } while try await runBox(setup) == .unprovisioned && waitForSetup
        leaveIfADeviceIsStuck()
    }

    /// Libraries tidy up when a process ends, and would wait for the calls that never came back.
    private func leaveIfADeviceIsStuck() {
        if DeviceWatch.stuckCallCount > 0 { _exit(EXIT_SUCCESS) }
    }

    /// Made anew each time, so that what one box held is free before the next.
    private func runBox(_ setup: Configuration) async throws -> Box.Ending {
        let logger = Logger(label: "soundbox") { _ in LineLogHandler(level: setup.logLevel) }
        let box = try Box(setup, from: configuration.config, panel: panel.choice, logger: logger)
        return try await box.run()
    }
}
