import Logging
import ServiceLifecycle
import SoundboxAudio
import SoundboxCore
import SoundboxSystem
import UnixSignals

/// The box: intake, announcer, panel and status, joined and run. What it is made of comes from outside, and it knows
/// only the ports: see ``Parts``.
public struct Box {
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

    /// Makes every service; nothing runs yet.
    package init(_ parts: Parts) {
        let (feed, inbox, clock, state, logger) = (parts.feed, parts.inbox, parts.clock, parts.state, parts.logger)
        let (systemd, salvage) = (parts.systemd, parts.salvage)
        self.logger = logger
        let player = Player(
            sink: parts.output, voices: parts.voices, volume: state.snapshot.volume, timing: parts.policy.timing)
        let unprovisioning = Unprovisioning(remove: parts.removeSetup, logger: logger)
        self.unprovisioning = unprovisioning
        let announcer = AnnouncerService(
            machine: Announcer(freshness: parts.policy.freshness, hurryAbove: parts.policy.hurryAbove),
            quietHours: parts.policy.quietHours, inbox: inbox, clock: clock, player: player, voices: parts.voices,
            state: state, logger: logger, receiptsAreWaiting: feed.receiptsAreWaiting,
            promptWasHeard: { prompt in Task { await unprovisioning.heard(prompt) } },
            willStop: parts.outputWillStop)
        let volume = VolumeControl(
            player: player, file: parts.volumeFile, state: state, logger: logger, say: announcer.say)
        let perform: @Sendable (Command) -> Void = { command in
            switch command {
            case .play(let request): announcer.play(request)
            case .volume(let change): volume.request(change)
            case .warnOfUnprovisioning:
                Task {
                    await unprovisioning.warningIsDue()
                    announcer.say(.unprovisionWarning)
                }
            case .unprovision: Task { await unprovisioning.perform() }
            }
        }
        let intake = Intake(
            reader: parts.policy.reader, verifier: parts.policy.verifier, admission: parts.policy.admission,
            inbox: inbox, clock: clock, state: state, logger: logger, noticesMayWait: announcer.noticesMayWait,
            receiptsAreWaiting: feed.receiptsAreWaiting, perform: perform)
        let reporter = StatusReporter(
            identity: parts.identity, inbox: inbox, state: state, feed: feed, systemd: systemd, clock: clock)
        let controls = Controls(
            status: { await reporter.status() },
            replay: { announcer.play(.last) },
            changeVolume: { change in
                guard let change else { return volume.loudness }
                return await volume.change(change)
            })

        // Shutdown goes from the last to the first: nothing new is asked for, the announcement is finished, the panel
        // goes dark, and the receipts and the offline status still go out.
        services =
            [
                WatchdogService(
                    systemd: systemd,
                    // Not the sound card's: a restart mends no driver, and while it is away payments are stored.
                    stillness: {
                        [
                            salvage.stillness(parts.feedStillness()), salvage.stillness(announcer.timeInJob),
                            player.timeInJob,
                        ]
                    }),
                InboxHousekeeping(inbox: parts.upkeep, retention: parts.policy.retention, clock: clock, logger: logger),
                FeedService(feed: feed, delegate: intake),
                reporter,
                unprovisioning,
                UpdateWatch(folder: parts.runFolder, state: state),
                PanelService(
                    panel: parts.panel, gestures: parts.gestures, state: state, logger: logger, perform: perform),
                announcer,
            ] + parts.control(controls) + [
                StorageFaultService(state: state, say: announcer.say),
                StartService(systemd: systemd, logger: logger, identity: parts.identity, hasEnded: hasEnded),
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
}
