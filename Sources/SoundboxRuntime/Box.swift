import Glibc
import Logging
import ServiceLifecycle
import SoundboxAudio
import SoundboxCore
import SoundboxGPIO
import SoundboxMQTT
import SoundboxStore
import SoundboxSystem
import UnixSignals

/// The box: every part made, joined and run. The one place that knows all of them.
public struct Box {
    /// Where the buttons and lights are.
    public enum PanelChoice: Sendable {
        /// What the configuration's board says.
        case board
        /// Keys and a status line, for trials without hardware.
        case terminal
    }

    /// Held for as long as the box exists.
    private let directory: StateDirectory
    private let services: [any Service]
    private let hasEnded = OneTimeSignal()
    private let unprovisioning: Unprovisioning
    private let logger: Logger

    /// Why it stopped.
    public enum Ending: Sendable, Equatable {
        /// It was told to.
        case stopped
        /// Its buttons took it out of service: the setup is gone.
        case unprovisioned
        /// Its buttons took it out of service, and whoever starts it again has to remove the setup.
        case resetRequested
    }

    /// Throws what would keep a box of this configuration from its work, as far as that can be told without opening its
    /// inbox, its panel and its card. Blocks on the disk.
    static func check(_ configuration: Configuration) throws {
        _ = try StateDirectory(path: configuration.stateDirectory)
        _ = try configuration.authenticity.map { try MessageVerifier($0, topics: configuration.topics) }
        _ = try MQTTSettings(configuration)
        _ = try BoardFile.read(name: configuration.board, in: configuration.boardDirectory)
        for locale in configuration.voice.locales {
            _ = try VoiceFolder(path: configuration.voice.directory).voice(locale)
        }
    }

    /// Opens the inbox and the voice, and makes every service; nothing runs yet. Blocks on the disk.
    ///
    /// - Parameter configurationFile: where `configuration` came from; removed when the buttons take the box out of
    ///   service.
    /// - Throws: what makes the box useless: a wrong configuration or board file, no inbox, no voice. A missing sound
    ///   card, broker or GPIO line is no such thing: the box starts, says what is wrong and keeps trying.
    public init(
        _ configuration: Configuration, from configurationFile: String, panel panelChoice: PanelChoice, logger: Logger
    ) throws {
        // The socket and the database are for the box's own user and group.
        umask(0o007)
        self.logger = logger
        // Before the inbox is touched.
        try Self.check(configuration)
        let systemd = Systemd()
        directory = try StateDirectory(path: configuration.stateDirectory)
        let verifier = try configuration.authenticity.map {
            try MessageVerifier($0, topics: configuration.topics)
        }
        let state = BoxState(volume: directory.volumeFile.read() ?? configuration.audio.volume)
        let salvage = SalvageWatch(systemd: systemd)
        let inbox = try SQLiteInbox.recovering(path: directory.inboxPath, now: { .now }) { [logger] line in
            logger.error("inbox", metadata: ["note": "\(line)"])
        } happened: { [logger] incident in
            logger.error("inbox", metadata: ["note": "\(incident)"])
            state.update { $0.inboxDamage = incident.description }
        } salvageGoesOn: {
            salvage.goesOn()
        } historyChanged: { [logger] reason in
            if let reason { logger.error("inbox", metadata: ["note": "\(reason)"]) }
            state.update { $0.historyFault = reason }
        }
        // An inbox that cannot be read yet says so when it is asked for payments; the clock can do without it.
        let clock = BoxClock(newestKnown: (try? inbox.newestTime()) ?? nil)

        let (voices, unusable) = try Self.voices(configuration.voice)
        for problem in unusable { logger.error("recording left out", metadata: ["reason": "\(problem)"]) }

        let (panel, gestures, amplifier) = try Self.panel(panelChoice, configuration, state, logger)
        let watch = DeviceWatch()
        let player = Player(
            sink: Self.sink(configuration.audio, amplifier, watch, logger), voices: voices,
            volume: state.snapshot.volume,
            timing: configuration.audio.timing)

        let identity = StatusReporter.Identity(
            deviceID: configuration.deviceID, broker: configuration.broker.address.description,
            voice: voices.locales, audioDevice: configuration.audio.device)
        let feed = try MQTTFeed(
            settings: try MQTTSettings(configuration), offlineStatus: StatusReporter.lastWill(identity).json.bytes
        ) { [logger] line in logger.warning("mqtt", metadata: ["note": "\(line)"]) }
        // For what may block on the disk and is seldom done.
        let files = ThreadExecutor(name: "files")
        let unprovisioning = Unprovisioning(
            configurationFile: configurationFile, directory: directory, logger: logger, executor: files)
        self.unprovisioning = unprovisioning
        let events = AnnouncerEvents()
        let volume = VolumeControl(
            player: player, file: directory.volumeFile, state: state, logger: logger, executor: files, say: events.say)
        let mailbox = CommandMailbox(
            volume: volume, unprovisioning: unprovisioning, logger: logger, play: events.play, say: events.say)
        let announcer = AnnouncerService(
            machine: Announcer(
                freshness: configuration.announce.freshness, hurryAbove: configuration.announce.hurryAbove,
                quietHours: configuration.announce.quietHours), inbox: inbox, clock: clock, player: player,
            voices: voices, state: state, logger: logger, events: events,
            receiptsAreWaiting: feed.receiptsAreWaiting, promptWasHeard: mailbox.heard, willStop: { watch.hurry() })
        let intake = Intake(
            reader: configuration.payments.reader(defaultCurrency: configuration.announce.currency),
            verifier: verifier,
            admission: NoticeAdmission(
                window: configuration.authenticity?.window ?? configuration.inbox.keepIDs,
                retainedWindow: configuration.announce.freshness.expireAfter),
            inbox: inbox, clock: clock, state: state, logger: logger,
            noticesMayWait: announcer.noticesMayWait,
            receiptsAreWaiting: feed.receiptsAreWaiting, perform: mailbox.post)
        let reporter = StatusReporter(
            identity: identity, inbox: inbox, state: state, feed: feed, systemd: systemd, clock: clock)

        // Shutdown goes from the last to the first: nothing new is asked for, the announcement is finished, the panel
        // goes dark, and the receipts and the offline status still go out.
        services = [
            WatchdogService(
                systemd: systemd,
                // Not the sound card's: a restart mends no driver, and while it is away payments are stored.
                stillness: {
                    [
                        salvage.stillness(feed.timeSinceLastTurn), salvage.stillness(announcer.timeInJob),
                        player.timeInJob,
                    ]
                }),
            InboxHousekeeping(inbox: inbox, retention: configuration.inbox, clock: clock, logger: logger),
            // After everybody who sends commands: what they have sent is still carried out, and then written down.
            volume,
            mailbox,
            FeedService(feed: feed, delegate: intake),
            reporter,
            unprovisioning,
            UpdateWatch(controlSocket: configuration.controlSocket, state: state),
            PanelService(panel: panel, gestures: gestures, state: state, logger: logger, perform: mailbox.post),
            announcer,
            ControlServer(
                socketPath: configuration.controlSocket, status: { await reporter.status() },
                replay: { mailbox.post(.play(.last)) },
                changeVolume: { change in
                    guard let change else { return await mailbox.setting }
                    return await mailbox.change(change)
                }, logger: logger),
            StorageFaultService(state: state, say: events.say),
            StartService(systemd: systemd, logger: logger, identity: identity, hasEnded: hasEnded),
        ]
    }

    /// Runs until SIGTERM or SIGINT, or until its buttons take it out of service; then finishes what is being announced,
    /// within 10 s.
    public func run() async throws -> Ending {
        var group = ServiceGroupConfiguration(
            services: services.map { service in
                service is Unprovisioning
                    ? .init(service: service, successTerminationBehavior: .gracefullyShutdownGroup)
                    : .init(service: service)
            }, gracefulShutdownSignals: [.sigterm, .sigint],
            logger: Logger(label: "services") { _ in SwiftLogNoOpLogHandler() })
        group.maximumGracefulShutdownDuration = .seconds(10)
        group.maximumCancellationDuration = .seconds(5)
        try await ServiceGroup(configuration: group).run()
        hasEnded.signal()
        logger.info("stopped")
        let outcome = await unprovisioning.outcome
        return switch outcome {
        case .removed: .unprovisioned
        case .requested: .resetRequested
        case nil: .stopped
        }
    }

    /// The voices with those of their recordings that can be played, and what is wrong with the others.
    private static func voices(
        _ choice: Configuration.VoiceChoice
    ) throws(VoiceError) -> (voices: Voices, problems: [RecordingError]) {
        let folder = VoiceFolder(path: choice.directory)
        var voices: [Voice] = []
        var problems: [RecordingError] = []
        for locale in choice.locales {
            var (voice, unusable) = try folder.voice(locale).leavingOutUnusableRecordings()
            voice.tempo = choice.tempo
            if let style = choice.decimal { voice.readDecimals(style) }
            voices.append(voice)
            problems += unusable
        }
        return (Voices(first: voices[0], others: Array(voices.dropFirst())), problems)
    }

    private static func sink(
        _ audio: Configuration.Audio, _ amplifier: Amplifier?, _ watch: DeviceWatch, _ logger: Logger
    ) -> any AudioSink {
        let sink = AudioOutputs.sink(
            for: audio.device, fileMode: .append, amplifier: amplifier, mixer: audio.mixer, watch: watch
        ) { problem in
            logger.warning("the volume is made in software", metadata: ["reason": "\(problem)"])
        }
        guard let path = audio.record else { return sink }
        return TeeSink(primary: sink) { format in
            WAVFileSink(path: path, mode: .append, format: format)
        } recordingDidFail: { error in
            logger.warning("the sound is no longer recorded", metadata: ["reason": "\(error)"])
        }
    }

    private static func panel(
        _ choice: PanelChoice, _ configuration: Configuration, _ state: BoxState, _ logger: Logger
    ) throws -> (any Panel, GestureMap, Amplifier?) {
        guard choice == .board else { return (try TerminalPanel(), .usual, nil) }
        // A wrong board file is the installer's mistake and is told at once; a missing line may be a loose wire.
        let layout = try BoardFile.read(name: configuration.board, in: configuration.boardDirectory)
        let board = BoardPanel(layout) { what, error in
            logger.error("\(what)", metadata: ["reason": "\(error)"])
            state.update { $0.panelFault = "\(what): \(error)" }
        }
        return (board.panel, layout.gestures, board.amplifier)
    }
}

/// Tells systemd and the log that the box has started and, later, that it is about to stop.
private struct StartService: Service {
    /// The group's own end would be a crash, a second later.
    static let lastResort: UInt32 = 14

    let systemd: Systemd
    let logger: Logger
    let identity: StatusReporter.Identity
    let hasEnded: OneTimeSignal

    func run() async {
        Footprint.dropWhatTheStartNeeded()
        systemd.ready()
        logger.info(
            "started",
            metadata: [
                "version": "\(SoundboxVersion.current)", "device": "\(identity.deviceID)",
                "broker": "\(identity.broker)", "voice": "\(identity.voice)", "audio": "\(identity.audioDevice)",
            ])
        try? await gracefulShutdown()
        systemd.stopping()
        logger.info("stopping: finishing what is being announced")
        // A thread, since whatever is stuck may hold up the pool as well.
        startThread(named: "last-resort") { [hasEnded, logger] in
            sleep(Self.lastResort)
            guard !hasEnded.hasHappened else { return }
            logger.error("not everything has come to its end in time; what is acknowledged is on the disk")
            _exit(EXIT_FAILURE)
        }
    }
}
