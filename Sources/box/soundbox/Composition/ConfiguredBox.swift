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
import SoundboxVoice

/// A box made from its configuration. The only place that names every adapter.
struct ConfiguredBox {
    let box: Box
    /// Keeps the lock of the state folder while the box exists.
    private let directory: StateDirectory

    /// Throws why a box with this configuration cannot work, without opening its inbox, panel and sound card. Blocks on
    /// the disk.
    static func check(_ configuration: Configuration) throws {
        try checkSettings(configuration)
        _ = try voices(configuration.voice)
    }

    /// Throws the problem with a choice of voices, also that another speaker would have to speak. Blocks on the disk.
    static func check(_ choice: Configuration.VoiceChoice) throws {
        // First check that the speakers are installed: reading a voice is slow, and many such settings may arrive.
        for (locale, speaker) in choice.speakers where choice.locales.contains(locale) {
            let first = VoiceFolder(path: choice.directory).candidates(locale, speaker).first
            guard let first, first.speaker?.id != speaker else { continue }
            throw SettingsProblem("\(StandIn.notInstalled(locale: locale, speaker: speaker, speaks: first.name))")
        }
        if let standIn = try voices(choice).standIns.first(where: \.isFault) { throw SettingsProblem("\(standIn)") }
    }

    private static func checkSettings(_ configuration: Configuration) throws {
        _ = try StateDirectory(path: configuration.stateDirectory)
        _ = try MessageVerifier(configuration)
        _ = try MQTTSettings(configuration)
        _ = try BoardFile.read(name: configuration.board, in: configuration.boardDirectory)
    }

    /// Opens the inbox and the voice, and runs nothing. Blocks on the disk.
    ///
    /// - Parameter configurationFile: the file of the configuration; removed when the buttons take the box out of
    ///   service.
    /// - Parameter salvagesAtOnce: whether a damaged inbox is salvaged; otherwise it is an error, so that the fault is
    ///   spoken first.
    /// - Throws: why the box is useless: a wrong configuration or board file, no inbox, no voice. A missing sound card,
    ///   broker or GPIO line is not an error: the box starts, reports the fault and retries.
    init(
        _ remote: RemoteConfiguration, from configurationFile: String, salvagesAtOnce: Bool,
        panel panelChoice: PanelChoice, logger: Logger
    ) throws {
        let configuration = remote.configuration
        // The socket and the database are only for the box's user and group.
        umask(0o007)
        // Before the inbox is opened.
        try Self.checkSettings(configuration)
        let (voices, unusable, standIns) = try Self.voices(configuration.voice)
        let directory = try StateDirectory(path: configuration.stateDirectory)
        self.directory = directory
        let systemd = Systemd()
        let state = BoxState(volume: remote.volume)
        Self.noteVolatileStorage(directory.path, state, logger)
        Self.noteInboxes(directory.inboxesAside, state, logger)
        let salvage = SalvageWatch(systemd: systemd)
        let inbox = try Self.inbox(
            directory.inboxPath, isExpected: directory.expectsInbox, salvagesAtOnce: salvagesAtOnce, salvage, state,
            logger)
        try directory.noteInbox(of: configuration.merchantID)
        // The clock works without this time. An unreadable inbox reports its fault when it is asked for payments.
        let clock = BoxClock(
            newestKnown: (try? inbox.newestTime()) ?? nil,
            keeper: Remembered(StateFile.time(in: directory.path)))
        Self.note(standIns, state, logger)
        for problem in unusable { logger.error("recording left out", metadata: ["reason": "\(problem)"]) }
        // A wrong board file is the installer's mistake and an error; a missing line may be a loose wire.
        let layout = try BoardFile.read(name: configuration.board, in: configuration.boardDirectory)
        let (panel, gestures, amplifier) = try Self.panel(panelChoice, layout, state, logger)
        let watch = DeviceWatch()
        let identity = StatusReporter.Identity(
            merchantID: configuration.merchantID, deviceID: configuration.deviceID,
            broker: configuration.broker.addresses.map(\.description).joined(separator: ", "),
            voice: voices.names, audioDevice: configuration.audio.device, configuration: configuration.settable)
        var settings = try MQTTSettings(configuration)
        let connection = Self.connection(configuration, directory.path, state, logger)
        settings.avoids5 = connection?.avoids5 ?? false
        let feed = try MQTTFeed(
            settings: settings, offlineStatus: StatusReporter.lastWill(identity).json.bytes
        ) { line in logger.warning("mqtt", metadata: ["note": "\(line)"]) }

        var parts = Box.Parts(
            identity: identity, policy: try Box.Policy(configuration), state: state, feed: feed, inbox: inbox,
            salvage: salvage, clock: clock,
            output: Self.soundThread(configuration.audio, amplifier, watch, state, logger),
            voices: voices, panel: panel, keepVolume: { try remote.volumeFile.write($0) },
            removeSetup: {
                try SetupRemoval(of: configurationFile, stateDirectory: configuration.stateDirectory)
            },
            updateMark: InstalledFolders.updateMark, logger: logger)
        parts.connection = connection
        parts.gestures = gestures
        parts.policy.loudspeaker = configuration.audio.speaker ?? layout.loudspeaker ?? .full
        let zone = DayZone(
            configuration.day.timeZone, configurationFile: configurationFile, state: state, logger: logger)
        let cutOver = configuration.day.cutOver
        parts.calendar = { zone.clock.map { BusinessCalendar(zone: $0, cutOver: cutOver) } }
        // Report a missing time zone now, and not only at the first request for totals.
        _ = zone.clock
        parts.dayEnd = Remembered(StateFile.dayEnd(in: directory.path))
        let quietHoursFile = StateFile.quietHours(in: directory.path)
        let ownQuietHours = quietHoursFile.read()
        if ownQuietHours == nil, SmallFile.exists(quietHoursFile.path) {
            let warning =
                "\(quietHoursFile.path): the quiet hours that the shop has set cannot be read: those of the setup "
                + "count until it sets others"
            logger.warning("\(warning)")
            state.update { $0.quietHoursWarning = warning }
        }
        parts.quietHours = OwnQuietHours(own: ownQuietHours) { change in
            try quietHoursFile.write(change ?? .asSetUp)
            state.update { $0.quietHoursWarning = nil }
            logger.notice("quiet hours set by the shop", metadata: ["set": "\(change?.json.text ?? "as set up")"])
        }
        parts.session = Remembered(StateFile.session(in: directory.path))
        let speak = SpeakProgram()
        parts.synthesizer = configuration.say.synthesizer == .espeak ? HelperSynthesizer(speak) : nil
        if let settings = configuration.clips {
            parts.clips = ClipStore(folder: directory.clipsPath, settings: settings, program: speak)
            parts.problemOfClip = { clip in
                do throws(ClipError) { try settings.check(clip) } catch { return error.description }
                return speak.problem.map { ClipError($0).description }
            }
        }
        parts.settings = remote.store(for: configurationFile)
        parts.certificate = configuration.certificateStore
        state.update { $0.settingsWarning = remote.warning }
        parts.feedStillness = { feed.timeSinceLastTurn }
        parts.outputWillStop = { watch.hurry() }
        parts.systemd = systemd
        // Not `directory`: a reading that is still being taken would keep the lock from the next box.
        parts.machine = { [path = directory.path] in MachineReading(stateDirectory: path) }
        parts.page = configuration.pageJSON
        parts.control = { routes, metrics in
            var servers: [any Service] = [
                ControlServer(socketPath: configuration.controlSocket, routes: routes, logger: logger)
            ]
            if let page = configuration.page {
                servers.append(
                    ControlServer(socketPath: page.socket, group: page.group, routes: routes, logger: logger))
            }
            if let address = configuration.metricsAddress {
                servers.append(MetricsServer(address: address, metrics: metrics, logger: logger))
            }
            return servers
        }
        box = Box(parts)
    }

    /// Runs the box: see ``Box/run(endingOn:)``.
    func run(endingOn signals: StopSignals) async throws -> Box.Ending {
        let ending = try await box.run(endingOn: signals)
        return withExtendedLifetime(directory) { ending }
    }

    /// Reports a state folder in RAM: after a power cut, acknowledged payments are never spoken, and known ones are
    /// spoken again.
    private static func noteVolatileStorage(_ path: String, _ state: BoxState, _ logger: Logger) {
        let fact = "payments do not survive a power cut"
        switch PowerLoss(in: path) {
        case .kept: break
        case .expected(let reason): logger.warning("\(fact)", metadata: ["path": "\(path)", "reason": "\(reason)"])
        case .gone(let reason):
            logger.error("\(fact)", metadata: ["path": "\(path)", "reason": "\(reason)"])
            state.update { $0.volatileStorage = "\(fact): \(path): \(reason); put state_directory on a disk" }
        }
    }

    /// Reports payments of another merchant. They are never spoken in this shop, but the installer who moved the box
    /// must know of them.
    private static func noteInboxes(_ paths: [String], _ state: BoxState, _ logger: Logger) {
        let warnings = paths.compactMap { path -> String? in
            do throws(InboxError) {
                let count = try InboxInspection.waiting(path: path)
                guard count > 0 else { return nil }
                return "payments of another merchant that were never spoken: \(count), in \(path); set the box up for "
                    + "that merchant again, or delete the folder"
            } catch {
                return "whether payments of another merchant wait there is not known: \(error); delete the folder if "
                    + "nobody needs it"
            }
        }
        for warning in warnings { logger.warning("\(warning)") }
        state.update { $0.asideWarnings = warnings }
    }

    /// The mark must not outlive this boot of Linux, since a power cut is no end of the program. The service has a
    /// folder in RAM for it, and may not read Linux's name of the boot (`ProcSubset=pid`); elsewhere it is the other
    /// way round.
    /// - Returns: `nil` where there is neither.
    private static func connection(
        _ configuration: Configuration, _ folder: String, _ state: BoxState, _ logger: Logger
    ) -> ConnectionKeeper? {
        let runtime = getenv("RUNTIME_DIRECTORY").map { String(cString: $0) }
        let boot = try? SmallFile.read("/proc/sys/kernel/random/boot_id").split(separator: "\n").first
        guard runtime != nil || boot != nil else { return nil }
        let file = StateFile.connection(in: runtime ?? folder)
        return ConnectionKeeper(
            store: Remembered(
                read: { file.read().flatMap { ConnectionMark(decoding: $0) } }, write: { try file.write($0.json) }),
            boot: boot.map { String($0) } ?? "this", chosen: configuration.broker.protocolChoice, state: state,
            logger: logger)
    }

    private static func inbox(
        _ path: String, isExpected: Bool, salvagesAtOnce: Bool, _ salvage: SalvageWatch, _ state: BoxState,
        _ logger: Logger
    ) throws -> SQLiteInbox {
        try SQLiteInbox.recovering(path: path, isExpected: isExpected, now: { .now }) { line in
            logger.error("inbox", metadata: ["note": "\(line)"])
        } happened: { incident in
            logger.error("inbox", metadata: ["note": "\(incident)"])
            state.update { $0.inboxDamage = incident.description }
        } beforeSalvage: { reason throws(InboxError) in
            guard !salvagesAtOnce else { return }
            throw .failed(
                path: path,
                reason:
                    "\(reason); a new one is about to take its place, with what can be read in the old one, which may take a minute"
            )
        } salvageGoesOn: {
            salvage.goesOn()
        }
    }

    /// The voices, ready to speak, and the known problems of their recordings.
    private static func voices(
        _ choice: Configuration.VoiceChoice
    ) throws(VoiceError) -> (voices: Voices, problems: [RecordingError], standIns: [StandIn]) {
        let folder = VoiceFolder(path: choice.directory)
        var voices: [Voice] = []
        var problems: [RecordingError] = []
        var standIns: [StandIn] = []
        for locale in choice.locales {
            var ((voice, unusable), standIn) = try folder.speaking(locale, speaker: choice.speakers[locale]) {
                (voice) throws(VoiceError) in try voice.readyToSpeak()
            }
            voice.tempo = choice.tempo
            if let style = choice.decimal { voice.readDecimals(style) }
            voices.append(voice)
            problems += unusable
            if let standIn { standIns.append(standIn) }
        }
        return (Voices(first: voices[0], others: Array(voices.dropFirst())), problems, standIns)
    }

    private static func note(_ standIns: [StandIn], _ state: BoxState, _ logger: Logger) {
        for standIn in standIns {
            logger.log(level: standIn.isFault ? .warning : .info, "voice", metadata: ["note": "\(standIn)"])
        }
        state.update { $0.voiceWarnings = standIns.filter(\.isFault).map(\.description) }
    }

    private static func soundThread(
        _ audio: Configuration.Audio, _ amplifier: Amplifier?, _ watch: DeviceWatch, _ state: BoxState, _ logger: Logger
    ) -> SoundThread {
        SoundThread(watch: watch, closeWhenIdle: audio.timing.closeWhenIdle, isUrgent: true) { scheduling in
            logger.info("sound thread", metadata: ["scheduling": "\(scheduling)"])
        } makeSink: { callTimeout in
            AudioOutputs.sink(
                for: audio.device, fileMode: .append, callTimeout: callTimeout, amplifier: amplifier,
                level: audio.cardLevel
            ) { change in
                logger.notice("sound card", metadata: ["control": "\(change)"])
            } deviceDidChange: { device, gone in
                logger.notice("sound card", metadata: ["chosen": "\(device)"])
                state.update { $0.choose(device, inPlaceOf: gone) }
            }
        }
    }

    private static func panel(
        _ choice: PanelChoice, _ layout: BoardLayout, _ state: BoxState, _ logger: Logger
    ) throws -> (any Panel, GestureMap, Amplifier?) {
        guard choice == .board else { return (try TerminalPanel(), .usual, nil) }
        let board = BoardPanel(layout) { what, error in
            logger.error("\(what)", metadata: ["reason": "\(error)"])
            state.update { $0.panelFault = "\(what): \(error)" }
        }
        return (board.panel, layout.gestures, board.amplifier)
    }
}

extension Remembered {
    fileprivate init(_ file: StateFile<Value>) {
        self.init(read: { file.read() }, write: { try file.write($0) })
    }
}

extension Box.Policy {
    /// Reads the key files. Blocks on the disk.
    fileprivate init(_ configuration: Configuration) throws {
        self.init(
            reader: configuration.payments.reader(defaultCurrency: configuration.announce.currency),
            admission: NoticeAdmission(
                window: configuration.authenticity?.window ?? configuration.inbox.keep,
                retainedWindow: configuration.announce.freshness.expireAfter),
            freshness: configuration.announce.freshness, retention: configuration.inbox)
        verifier = try MessageVerifier(configuration)
        saysNoticeTexts = configuration.payments.saysTexts
        saysExpireAfter = configuration.say.expireAfter
        refusesSecondRing = configuration.ring.second == .busy
        hurryAbove = configuration.announce.hurryAbove
        quietHours = configuration.announce.quietHours
        dayEnd = configuration.day.announceAt.map { DayEnd(minute: $0) }
        timing = configuration.audio.timing
        leastVolume = configuration.audio.leastVolume
        statusInterval = configuration.statusInterval
        networkPrompts = configuration.announce.networkPrompts
    }
}
