import Glibc
import Logging
import ServiceLifecycle
import SoundboxAudio
import SoundboxBox
import SoundboxClips
import SoundboxConfiguration
import SoundboxControl
import SoundboxCore
import SoundboxGPIO
import SoundboxHardware
import SoundboxMQTT
import SoundboxSetup
import SoundboxStore
import SoundboxSystem

/// A box made from its configuration. The only place that names every adapter.
struct ConfiguredBox {
    let box: Box
    /// For the next box of the same inbox.
    let clock: BoxClock
    /// Keeps the lock of the state folder while the box exists.
    private let directory: StateDirectory

    /// Throws why a box with this configuration cannot work, without opening its inbox, panel and sound card. Blocks on
    /// the disk.
    static func check(_ configuration: Configuration) throws {
        try checkFiles(configuration)
        _ = try InstalledVoices(configuration.voice)
    }

    private static func checkFiles(_ configuration: Configuration) throws {
        _ = try StateDirectory(path: configuration.stateDirectory)
        _ = try MessageVerifier(configuration)
        _ = try MQTTSettings(configuration)
        _ = try BoardFile.read(name: configuration.board, in: configuration.boardDirectory)
    }

    /// Opens the inbox and the voice, and runs nothing. Blocks on the disk.
    ///
    /// - Parameter configurationFile: the file of the configuration; removed when the buttons take the box out of
    ///   service.
    /// - Parameter earlierClock: of an earlier box of this process with the same inbox: what arrived by it is still
    ///   dated by it.
    /// - Parameter salvagesAtOnce: whether a damaged inbox is salvaged; otherwise it is an error, so that the fault is
    ///   spoken first.
    /// - Throws: why the box is useless: a wrong configuration or board file, no inbox, no voice. A missing sound card,
    ///   broker or GPIO line is not an error: the box starts, reports the fault and retries.
    init(
        _ remote: RemoteConfiguration, from configurationFile: String, earlierClock: BoxClock?, salvagesAtOnce: Bool,
        panel panelChoice: PanelChoice, logger: Logger
    ) throws {
        let configuration = remote.configuration
        // The socket and the database are only for the box's user and group.
        umask(0o007)
        // Before the inbox is opened.
        try Self.checkFiles(configuration)
        let installed = try InstalledVoices(configuration.voice)
        let directory = try StateDirectory(path: configuration.stateDirectory)
        self.directory = directory
        let (folder, systemd, state) = (directory.path, Systemd(), BoxState(volume: remote.volume))
        directory.report(to: state, logger)
        let salvage = SalvageWatch(systemd: systemd)
        let inbox = try directory.inbox(salvagesAtOnce: salvagesAtOnce, salvage, state, logger)
        try directory.storeOwner(configuration.merchantID)
        installed.report(to: state, logger)
        // A wrong board file is the installer's mistake and an error; a missing line may be a loose wire.
        let layout = try BoardFile.read(name: configuration.board, in: configuration.boardDirectory)
        let hardware = try BoxHardware(configuration.audio, panelChoice, layout, state, logger)
        var settings = try MQTTSettings(configuration)
        let connection = ConnectionKeeper(
            in: folder, chosen: configuration.broker.protocolChoice, state: state, logger: logger)
        settings.avoids5 = connection?.avoids5 ?? false
        let identity = StatusReporter.Identity(configuration, voices: installed.voices)
        let feed = try MQTTFeed(
            settings: settings, offlineStatus: StatusReporter.lastWill(identity).json.bytes
        ) { line in logger.warning("mqtt", metadata: ["note": "\(line)"]) }
        // The clock works without this time. An unreadable inbox reports its fault when it is asked for payments.
        clock =
            earlierClock
            ?? BoxClock(newestKnown: (try? inbox.newestTime()) ?? nil, keeper: Remembered(StateFile.time(in: folder)))

        var box = BoxContext(
            identity: identity, settings: configuration.features, notices: try NoticeRules(configuration), state: state,
            clock: clock, feed: feed, inbox: inbox,
            player: Player(
                on: hardware.output, voices: installed.voices, volume: state.snapshot.volume,
                timing: configuration.audio.timing,
                loudspeaker: configuration.audio.speaker ?? layout.loudspeaker ?? .full),
            voices: installed.voices, panel: hardware.panel, salvage: salvage, logger: logger
        ) {
            try SetupRemoval(of: configurationFile, stateDirectory: configuration.stateDirectory)
        }
        (box.gestures, box.connection, box.systemd) = (hardware.gestures, connection, systemd)
        (box.stateDirectory, box.configurationFile) = (folder, configurationFile)
        let speak = SpeakProgram()
        box.synthesizer = configuration.features.say.synthesizer == .espeak ? HelperSynthesizer(speak) : nil
        box.clips = configuration.features.clips.map {
            ClipStore(folder: directory.clipsPath, settings: $0, program: speak)
        }
        box.remoteSettings = remote.store(for: configurationFile)
        box.certificate = configuration.certificateStore
        state.update { $0.settingsWarning = remote.warning }
        box.serve = { routes, metrics in configuration.servers(of: routes, metrics, logger) }
        self.box = Box(box)
    }

    /// Runs the box: see ``Box/run(endingOn:)``.
    func run(endingOn signals: StopSignals) async throws -> Box.Ending {
        let ending = try await box.run(endingOn: signals)
        return withExtendedLifetime(directory) { ending }
    }
}
