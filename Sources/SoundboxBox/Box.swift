import Logging
import ServiceLifecycle
import SoundboxAudio
import SoundboxCore
import SoundboxSystem

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
            on: parts.output, voices: parts.voices, volume: state.snapshot.volume, timing: parts.policy.timing)
        // For what may block on the disk and is seldom done.
        let files = ThreadExecutor(name: "files")
        let unprovisioning = Unprovisioning(remove: parts.removeSetup, logger: logger, executor: files)
        self.unprovisioning = unprovisioning
        let events = AnnouncerEvents()
        let volume = VolumeControl(
            player: player, state: state, logger: logger, executor: files, keep: parts.keepVolume, say: events.say)
        let mailbox = CommandMailbox(
            volume: volume, unprovisioning: unprovisioning, logger: logger, play: events.play, say: events.say)
        let networkPrompts = parts.policy.networkPrompts.map {
            NetworkPrompts(
                $0, state: state, quietHours: parts.policy.quietHours, say: events.say, withdraw: events.withdraw)
        }
        let announcer = AnnouncerService(
            machine: Announcer(
                freshness: parts.policy.freshness, hurryAbove: parts.policy.hurryAbove,
                quietHours: parts.policy.quietHours),
            inbox: inbox, clock: clock, player: player, voices: parts.voices, state: state, logger: logger,
            events: events, receiptsAreWaiting: feed.receiptsAreWaiting,
            promptWasHeard: { prompt in
                mailbox.heard(prompt)
                networkPrompts?.heard(prompt)
            },
            willStop: parts.outputWillStop)
        let intake = Intake(
            reader: parts.policy.reader, verifier: parts.policy.verifier, admission: parts.policy.admission,
            inbox: inbox, clock: clock, state: state, logger: logger, noticesMayWait: announcer.noticesMayWait,
            receiptsAreWaiting: feed.receiptsAreWaiting, perform: mailbox.post)
        let reporter = StatusReporter(
            identity: parts.identity, inbox: inbox, state: state, feed: feed, systemd: systemd, clock: clock,
            quietHours: parts.policy.quietHours)
        let controls = Controls(
            status: { await reporter.status() },
            replay: { mailbox.post(.play(.last)) },
            changeVolume: { change in
                guard let change else { return await mailbox.loudness }
                return await mailbox.change(change)
            })

        let network: [any Service] = networkPrompts.map { [$0] } ?? []

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
                // After everybody who sends commands: what they have sent is still carried out, and then written down.
                volume,
                mailbox,
                FeedService(feed: feed, delegate: intake),
                reporter,
                unprovisioning,
                UpdateWatch(mark: parts.updateMark, state: state),
                PanelService(
                    panel: parts.panel, gestures: parts.gestures, state: state, logger: logger, perform: mailbox.post),
                announcer,
            ] + parts.control(controls) + network + [
                StorageFaultService(state: state, say: events.say),
                StartService(systemd: systemd, logger: logger, identity: parts.identity, hasEnded: hasEnded),
            ]
    }

    /// Runs until it is told to stop, or until its buttons take it out of service; then finishes what is being announced,
    /// within 10 s.
    /// - Parameter signals: that stop it; `nil` for none.
    public func run(endingOn signals: StopSignals?) async throws -> Ending {
        let services = services + (signals.map { [$0] } ?? [])
        var group = ServiceGroupConfiguration(
            services: services.map { service in
                service is Unprovisioning || service is StopSignals
                    ? .init(service: service, successTerminationBehavior: .gracefullyShutdownGroup)
                    : .init(service: service)
            },
            logger: Logger(label: "services") { _ in SwiftLogNoOpLogHandler() })
        group.maximumGracefulShutdownDuration = .seconds(10)
        group.maximumCancellationDuration = .seconds(5)
        defer { hasEnded.signal() }
        try await ServiceGroup(configuration: group).run()
        logger.info("stopped")
        let outcome = await unprovisioning.outcome
        return switch outcome {
        case .removed: .unprovisioned
        case .requested: .resetRequested
        case nil: .stopped
        }
    }
}
