import ArgumentParser
import Glibc
import SoundboxAudio
import SoundboxBox
import SoundboxHardware
import SoundboxSystem

struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Be the box: take payments from the broker and announce them.",
        discussion: """
            Stays in the foreground and logs to standard error. SIGTERM and Ctrl-C finish the announcement that is \
            playing, within 10 s. Under systemd it reports readiness and serves the watchdog. A setup or a storage that \
            cannot be used is told aloud, with the light, in the log and by soundbox status, and tried again until it can.
            """)

    enum PanelOption: String, ExpressibleByArgument, CaseIterable {
        case board
        case terminal

        var choice: PanelChoice { self == .terminal ? .terminal : .board }
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
        ProcessTimeZone.prepare()
        let signals = await StopSignals()
        var start = BoxStart(
            configurationFile: configuration.config, waitsForSetup: waitForSetup, panel: panel.choice, signals: signals)
        // Make a new box each time, so that the earlier one has released its resources.
        boxes: while let box = try await start.box() {
            switch try await box.run(endingOn: signals) {
            case .remade: continue
            case .unprovisioned where waitForSetup: continue
            case .unprovisioned, .resetRequested, .stopped: break boxes
            }
        }
        // At a regular exit, libraries clean up and would wait for calls that never return.
        if DeviceWatch.stuckCallCount > 0 { _exit(EXIT_SUCCESS) }
    }
}
