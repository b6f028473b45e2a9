import Logging
import ServiceLifecycle
import SoundboxAudio
import SoundboxBox
import SoundboxCore
import SoundboxHardware
import SoundboxSpeech
import SoundboxSystem

/// A box without a setup. It says so aloud and with its light, and waits for the setup. If it ended instead, systemd
/// would restart it again and again, in silence.
///
///     let box = UnprovisionedBox(configurationFile: path, panel: .board, logger: logger)
///     guard try await box.waitForSetup(endingOn: signals) else { return }
public struct UnprovisionedBox: Service {
    private let configurationFile: String
    private let fallback: FallbackSettings
    private let panel: PanelChoice
    private let logger: Logger

    /// - Parameters:
    ///   - configurationFile: the file to wait for.
    ///   - panel: where the light is shown.
    public init(
        configurationFile: String, fallback: FallbackSettings = FallbackSettings(), panel: PanelChoice, logger: Logger
    ) {
        self.configurationFile = configurationFile
        self.fallback = fallback
        self.panel = panel
        self.logger = logger
    }

    /// Waits until there is a configuration, or until a signal.
    /// - Returns: whether to start the box; at once if there is a configuration already.
    public func waitForSetup(endingOn signals: StopSignals) async throws -> Bool {
        guard !SmallFile.exists(configurationFile) else { return !signals.haveCome }
        let group = ServiceGroupConfiguration(
            services: [
                .init(service: self, successTerminationBehavior: .gracefullyShutdownGroup),
                .init(service: signals, successTerminationBehavior: .gracefullyShutdownGroup),
            ],
            logger: Logger(label: "services") { _ in SwiftLogNoOpLogHandler() })
        try await ServiceGroup(configuration: group).run()
        return SmallFile.exists(configurationFile) && !signals.haveCome
    }

    public func run() async {
        let systemd = Systemd()
        systemd.ready()
        let isClaiming = SmallFile.exists(ClaimFile.path(beside: configurationFile))
        systemd.status(isClaiming ? "not set up: the issuer of its claim is asked" : "not set up")
        logger.warning(
            "not set up",
            metadata: [
                "missing": "\(configurationFile)",
                "run": isClaiming ? "journalctl -u soundbox-enrol" : "sudo soundbox setup",
            ])
        let (panel, amplifier) = fallback.hardware(panel, logger)
        let reminder = Reminder(
            fallback: fallback, amplifier: amplifier, logger: logger, fact: "the box is not set up")
        let isSilent = OneTimeSignal()
        let reminders = Task {
            await reminder.repeating { Self.prompt(card: CardFiles.usualFolder) }
            isSilent.signal()
        }
        // A failing panel must not prevent the prompt.
        let light = Task { try? await panel?.play(Indication.notProvisioned.pattern) }
        defer {
            reminders.cancel()
            light.cancel()
        }
        while !SmallFile.exists(configurationFile), !Task.isShuttingDownGracefully, !Task.isCancelled {
            systemd.watchdog()
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(1)) }
        }
        reminders.cancel()
        light.cancel()
        // The box needs the sound card and the GPIO lines.
        reminder.watch.hurry()
        await isSilent.wait(atMost: .seconds(5))
        await light.value
        panel?.close()
    }

    /// - Parameter card: where the first boot explains what is wrong with a provisioning file; nothing is left of a good one.
    static func prompt(card: String) -> Prompt {
        SmallFile.exists("\(card)/\(FirstBoot.errorName)") ? .setupFault : .notProvisioned
    }
}
