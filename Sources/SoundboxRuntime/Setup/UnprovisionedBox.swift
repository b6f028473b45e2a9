import Logging
import ServiceLifecycle
import SoundboxAudio
import SoundboxCore
import SoundboxGPIO
import UnixSignals

/// A box that nobody has set up yet: it says so aloud and with its light, and waits. Ending instead would have systemd
/// start it over and over, in silence.
public struct UnprovisionedBox: Service {
    /// How often it says so: often enough for somebody who stands there with a new box, rarely enough for a shelf.
    static let reminder = Duration.seconds(600)

    /// What the box speaks with and shows its light on while it has no configuration.
    public struct Surroundings: Sendable {
        /// The folder that holds the voices.
        var sounds = InstalledFolders.nearestSounds
        /// Which of them speaks; `nil` for the Mandarin one where there is a choice, else the first.
        var locale: String?
        var audioDevice = "default"
        var boards = InstalledFolders.board
        /// The board's file; `nil` for the one that the machine's own name suggests.
        var board: String?

        /// Those of a box that has never been set up.
        public init() {}

        /// Those of a box that was in service.
        public init(_ last: Configuration) {
            sounds = last.voice.directory
            locale = last.voice.locales.first
            audioDevice = last.audio.device
            boards = last.boardDirectory
            board = last.board
        }
    }

    private let configurationFile: String
    private let surroundings: Surroundings
    private let panel: Box.PanelChoice
    private let logger: Logger

    /// - Parameters:
    ///   - configurationFile: what is waited for.
    ///   - panel: where the light is.
    public init(
        configurationFile: String, surroundings: Surroundings = Surroundings(), panel: Box.PanelChoice, logger: Logger
    ) {
        self.configurationFile = configurationFile
        self.surroundings = surroundings
        self.panel = panel
        self.logger = logger
    }

    /// Waits until there is a configuration, or until SIGTERM or SIGINT.
    /// - Returns: whether there is one; at once when there is one already.
    public func waitForSetup() async throws -> Bool {
        guard !SmallFile.exists(configurationFile) else { return true }
        let group = ServiceGroupConfiguration(
            services: [.init(service: self, successTerminationBehavior: .gracefullyShutdownGroup)],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: Logger(label: "services") { _ in SwiftLogNoOpLogHandler() })
        try await ServiceGroup(configuration: group).run()
        return SmallFile.exists(configurationFile)
    }

    public func run() async {
        let systemd = Systemd()
        systemd.ready()
        systemd.status("not set up")
        logger.warning("not set up", metadata: ["missing": "\(configurationFile)", "run": "sudo soundbox setup"])
        let (panel, amplifier) = board()
        let reminders = Task { await remind(amplifier) }
        // Dark lights are no reason to be silent.
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
        // The box needs the card and the lines for itself.
        await reminders.value
        await light.value
        panel?.close()
    }

    private func remind(_ amplifier: Amplifier?) async {
        let folder = VoiceFolder(path: surroundings.sounds)
        let locales = folder.locales
        guard let locale = surroundings.locale ?? locales.first(where: { $0 == "zh-CN" }) ?? locales.first else {
            logger.error("no voice is installed", metadata: ["directory": "\(surroundings.sounds)"])
            return
        }
        while !Task.isCancelled {
            do {
                let sink = AudioOutputs.sink(
                    for: surroundings.audioDevice, fileMode: .append, amplifier: amplifier)
                let speaker = Speaker(sink: sink, voice: try folder.voice(locale), volume: Volume(100))
                try await speaker.speak(.prompt(.notProvisioned))
                logger.info("said that the box is not set up", metadata: ["voice": "\(locale)"])
                // A card that is held open would keep others, such as setup's greeting, out of it.
                await speaker.close()
            } catch {
                logger.warning("cannot say that the box is not set up", metadata: ["reason": "\(error)"])
            }
            try? await Task.sleep(for: Self.reminder)
        }
    }

    /// The light, and the amplifier's switch where the board has one.
    private func board() -> (panel: (any Panel)?, amplifier: Amplifier?) {
        if panel == .terminal { return (try? TerminalPanel(), nil) }
        let model = (try? SmallFile.read("/sys/firmware/devicetree/base/model")) ?? ""
        guard let name = surroundings.board ?? Self.likelyBoard(model: model),
            let layout = try? BoardFile.read(name: name, in: surroundings.boards)
        else { return (nil, nil) }
        let board = BoardPanel(layout) { what, error in logger.warning("\(what)", metadata: ["reason": "\(error)"]) }
        return (board.panel, board.amplifier)
    }

    /// Which board file fits, before anybody has chosen one: its wiring is that of the board's manual.
    static func likelyBoard(model: String) -> String? { model.hasPrefix("Raspberry Pi") ? "raspberry-pi" : nil }
}
