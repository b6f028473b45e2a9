import Logging
import ServiceLifecycle
import SoundboxAudio
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxVoice

/// The box: connects intake, announcer, panel and status, and runs them.
///
///     let box = Box(parts)
///     if try await box.run(endingOn: StopSignals()) == .remade { restart() }
///
/// Its parts come from outside, and it knows only the ports: see ``Parts``.
public struct Box {
    let services: [any Service]
    private let hasEnded = OneTimeSignal()
    private let unprovisioning: Unprovisioning
    private let settings: RemoteSettingsService
    private let certificate: CertificateService?
    private let logger: Logger

    /// Why the box stopped.
    public enum Ending: Sendable, Equatable {
        /// A signal or a shutdown.
        case stopped
        /// Its buttons took it out of service; the setup is removed.
        case unprovisioned
        /// Its buttons took it out of service; the next start must remove the setup.
        case resetRequested
        /// It has new settings or a new certificate; the caller must make it again.
        case remade
    }

    /// Makes every service, and runs none. Blocks on the disk.
    package init(_ parts: Parts) {
        let (feed, inbox, clock, state, logger) = (parts.feed, parts.inbox, parts.clock, parts.state, parts.logger)
        let (systemd, salvage) = (parts.systemd, parts.salvage)
        self.logger = logger
        // Doubt the arrival times of earlier runs before anything new arrives. If the disk refuses, the announcer tries
        // again.
        try? clock.doubtArrivals(in: inbox, logger: logger)
        // If the disk refuses, every ring counts as one of an earlier run: a ring of yesterday must not call anybody.
        let lastEarlierCustomMessage =
            (try? parts.customMessages.customMessages()).map { $0.map(\.sequence).max() ?? 0 } ?? .max
        let metrics = BoxMetrics()
        let player = Player(
            on: parts.output, voices: parts.voices, volume: state.snapshot.volume, timing: parts.policy.timing,
            loudspeaker: parts.policy.loudspeaker)
        // For rare work that may block on the disk.
        let files = ThreadExecutor(name: "files")
        let unprovisioning = Unprovisioning(remove: parts.removeSetup, logger: logger, executor: files)
        self.unprovisioning = unprovisioning
        let requests = AnnouncerRequests()
        let day = ShopDay(clock: clock, history: parts.history, calendar: parts.calendar)
        let history = HistoryRequestHandler(day: day, state: state, executor: files)
        let volume = VolumeControl(
            player: player, least: parts.policy.leastVolume, state: state, logger: logger, executor: files,
            requests: requests, keep: parts.keepVolume)
        let commands = CommandHandler(volume: volume, unprovisioning: unprovisioning, requests: requests)
        let quietTime = QuietTime(
            parts.policy.quietHours, own: parts.quietHours.own, day: day, state: state, executor: files,
            keep: parts.quietHours.keep)
        let networkPrompts = parts.policy.networkPrompts.map {
            NetworkPrompts($0, state: state, quietTime: quietTime, requests: requests)
        }
        let sounds = CustomMessageSounds(
            voices: parts.voices, synthesizer: parts.synthesizer, clips: parts.clips, logger: logger)
        let update = UpdateWatch(mark: parts.updateMark, state: state)
        update.look()
        let receiptsAreWaiting: @Sendable () -> Void = {
            feed.receiptsAreWaiting()
            state.inboxChanged()
        }
        let ages = MessageAges()
        let announcer = AnnouncerService(
            announcer: Announcer(
                freshness: parts.policy.freshness, saysExpireAfter: parts.policy.saysExpireAfter,
                hurryAbove: parts.policy.hurryAbove, lastEarlierCustomMessage: lastEarlierCustomMessage),
            inbox: inbox,
            customMessages: SpokenCustomMessages(
                store: parts.customMessages, prepare: sounds.prepare, speech: sounds.speech,
                ringWords: sounds.words(of:),
                words: sounds.words(ofText:)),
            clock: clock, player: player, voices: parts.voices, state: state, logger: logger, metrics: metrics,
            requests: requests, ages: ages, quietTime: quietTime, day: day,
            receiptsAreWaiting: receiptsAreWaiting,
            promptWasHeard: { prompt in
                unprovisioning.heard(prompt)
                parts.connection?.heard(prompt)
                networkPrompts?.heard(prompt)
            },
            willStop: parts.outputWillStop, looksElsewhere: update.look)
        sounds.whenChanged { requests.inboxChanged() }
        let settings = RemoteSettingsService(
            store: parts.settings, state: state, clock: clock, logger: logger, executor: files,
            setVolume: { volume.apply(.to($0)) })
        self.settings = settings
        let certificate = parts.certificate.map {
            CertificateService(store: $0, state: state, clock: clock, logger: logger, executor: files)
        }
        self.certificate = certificate
        let session = SessionKeeper(
            store: parts.session, state: state, clock: clock, logger: logger, metrics: metrics)
        let intake = Intake(
            reader: parts.policy.reader.admitting(parts.voices.noticeKinds), verifier: parts.policy.verifier,
            admission: parts.policy.admission,
            rules: CustomMessageSpeech(
                voices: parts.voices, saysNoticeTexts: parts.policy.saysNoticeTexts,
                problemOfClip: parts.problemOfClip),
            allowsOneRing: parts.policy.refusesSecondRing, inbox: inbox, clock: clock, state: state, logger: logger,
            metrics: metrics, ages: ages, requests: requests,
            hooks: Intake.Hooks(
                expect: { notice in player.expect(Utterance(notice)) }, receiptsAreWaiting: receiptsAreWaiting,
                hold: announcer.hold, letGo: { announcer.letGo($0, isCancelled: $1) },
                connectionChanged: { parts.connection?.changed(to: $0) },
                sessionBegan: session.began, reconciled: session.reconciled, settings: settings.take,
                certificate: { text in
                    guard let certificate else { return "certificate: not taken by this box" }
                    return certificate.take(text)
                },
                perform: commands.perform))
        let controlRequests = ControlRequestHandler(
            history: history, inbox: inbox, state: state, volume: volume, quietTime: quietTime, voices: parts.voices,
            executor: files,
            requests: requests)
        let dayEnd = parts.policy.dayEnd.map {
            DayEndService(
                $0, day: day, keeper: parts.dayEnd, logger: logger, executor: files, tell: requests.tell)
        }

        let feedHasBegun = OneTimeSignal()
        let feedService = FeedService(
            feed: feed, delegate: intake,
            beforeFirstConnection: {
                await parts.connection?.speakFirst(
                    prompting: parts.policy.networkPrompts?.saysNetwork == true && quietTime.volumeNow == nil
                        ? requests : nil,
                    on: files
                ) { (try? inbox.counts()).map { $0.waiting > 0 } ?? false }
            }, hasBegun: feedHasBegun)

        // Services run in this order and shut down in reverse: no new requests, then the announcement is finished, the
        // panel goes dark, and the receipts and the offline status are sent last.
        let first: [any Feature] = [
            clock, session, quietTime, intake, history, controlRequests, metrics,
            MachineMetrics(read: parts.machine),
            WatchdogService(
                systemd: systemd,
                // Without the sound card's thread: a restart repairs no driver, and payments are stored meanwhile.
                stillness: {
                    [
                        feedHasBegun.hasHappened ? salvage.stillness(parts.feedStillness()) : .zero,
                        salvage.stillness(announcer.timeInJob),
                        player.timeInJob,
                    ]
                }),
            InboxHousekeeping(inbox: parts.upkeep, retention: parts.policy.retention, clock: clock, logger: logger),
            // Started before every sender of commands, so it stops after them and stores their last volume.
            volume,
            feedService,
        ]
        let second: [any Feature] =
            [
                unprovisioning, settings,
                PanelService(
                    panel: parts.panel, gestures: parts.gestures, state: state, logger: logger,
                    perform: commands.perform, answer: announcer.answer),
                announcer,
            ] + [certificate].compactMap(\.self) + [parts.connection].compactMap(\.self)
        let last: [any Feature] =
            [networkPrompts].compactMap(\.self) + [dayEnd].compactMap(\.self) + [
                StorageFaultService(state: state, requests: requests),
                StartService(systemd: systemd, logger: logger, identity: parts.identity),
            ]
        let reporter = StatusReporter(
            identity: parts.identity, inbox: inbox, history: parts.history, state: state, feed: feed, systemd: systemd,
            clock: clock, interval: parts.policy.statusInterval, features: first + second + last)
        let routes = (first + [reporter] + second + last).flatMap(\.routes)
        let page = ShopPage(settings: parts.page, others: routes, state: state)
        services =
            (first + [reporter] + second).compactMap(\.service)
            + parts.control(routes + page.routes) { await reporter.allMetrics() } + last.compactMap(\.service)
    }

    /// Runs until a shutdown, new settings, a new certificate, or its buttons end it. Then finishes the current
    /// announcement, within 10 s.
    /// - Parameter signals: end the box, and the process if the box does not end (``ExitDeadline``); `nil` for a box
    ///   that is not the whole program.
    public func run(endingOn signals: StopSignals?) async throws -> Ending {
        let ending: [any Service] = signals.map { [$0, ExitDeadline(logger: logger, hasEnded: hasEnded)] } ?? []
        let services = services + ending
        var group = ServiceGroupConfiguration(
            services: services.map { service in
                let endsAll =
                    switch service {
                    case is Unprovisioning, is RemoteSettingsService, is CertificateService, is StopSignals: true
                    default: false
                    }
                // Without a name, the library prints each service with all its properties.
                return .init(
                    service: service, successTerminationBehavior: endsAll ? .gracefullyShutdownGroup : .cancelGroup,
                    serviceName: "\(type(of: service))")
            },
            logger: Logger(label: "services") { _ in SwiftLogNoOpLogHandler() })
        group.maximumGracefulShutdownDuration = .seconds(10)
        defer { hasEnded.signal() }
        try await ServiceGroup(configuration: group).run()
        logger.info("stopped")
        let outcome = await unprovisioning.outcome
        switch outcome {
        case .removed: return .unprovisioned
        case .requested: return .resetRequested
        case nil: break
        }
        if await settings.hasChanged { return .remade }
        return await certificate?.hasChanged == true ? .remade : .stopped
    }
}
