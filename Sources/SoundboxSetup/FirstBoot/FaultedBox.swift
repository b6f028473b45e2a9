import Logging
import ServiceLifecycle
import SoundboxAudio
import SoundboxBox
import SoundboxConfiguration
import SoundboxControl
import SoundboxCore
import SoundboxHardware
import SoundboxSpeech
import SoundboxSystem

/// Why a box cannot do its work, though it is set up.
package struct BoxFault: Sendable, Equatable {
    /// One line that names the object.
    package let reason: String
    /// What is said aloud.
    package let prompt: Prompt

    package init(_ error: any Error) {
        reason = "\(error)"
        prompt = error is StateDirectoryError || error is InboxError ? .storageFault : .setupFault
    }
}

/// Stands in for a box that cannot work because of its setup or its storage. It says so aloud, with its light, on its
/// control socket and to systemd, and tries again. If it ended instead, systemd would start it over and over, in
/// silence.
package struct FaultedBox: Service {
    /// What came of the waiting.
    package enum Outcome: Sendable, Equatable {
        /// The cause seems to be gone.
        case cured
        case changed(BoxFault)
        case stopped
    }

    package let fault: BoxFault
    /// A change of it is looked at at once.
    package let configurationFile: String
    package let fallback: FallbackSettings
    package let panel: PanelChoice
    package let logger: Logger
    package let systemd = Systemd()
    /// When the words are due; later ones follow in the ``Reminder/interval``. Words that the end of the waiting came
    /// before stay due.
    package let firstWords: ContinuousClock.Instant
    /// From one attempt to the next.
    package let retryDelay: Duration
    /// Throws what still keeps the box from its work. May block.
    package let check: @Sendable () throws -> Void
    let answer: Answer

    actor Answer {
        private(set) var outcome = Outcome.stopped
        private(set) var nextWords: ContinuousClock.Instant

        init(nextWords: ContinuousClock.Instant) { self.nextWords = nextWords }

        func set(_ outcome: Outcome) { self.outcome = outcome }
        func wordsAreDue(at instant: ContinuousClock.Instant) { nextWords = instant }
    }

    package init(
        _ fault: BoxFault, configurationFile: String, fallback: FallbackSettings, panel: PanelChoice,
        logger: Logger, firstWords: ContinuousClock.Instant, retryDelay: Duration,
        check: @escaping @Sendable () throws -> Void
    ) {
        self.fault = fault
        self.configurationFile = configurationFile
        self.fallback = fallback
        self.panel = panel
        self.logger = logger
        self.firstWords = firstWords
        self.retryDelay = retryDelay
        self.check = check
        answer = Answer(nextWords: firstWords)
    }

    /// Until something changes, or the program is to stop.
    ///
    /// - Returns: what came of it, and when the next words are due.
    package func wait(
        endingOn signals: StopSignals
    ) async throws -> (outcome: Outcome, nextWords: ContinuousClock.Instant) {
        let status = Self.status(fault, fallback)
        let group = ServiceGroupConfiguration(
            services: [
                .init(
                    service: ControlServer(
                        socketPath: fallback.controlSocket,
                        routes: [ControlRoute(.get, "status") { _ in .json(status.json) }], isInService: false,
                        logger: logger)),
                .init(service: self, successTerminationBehavior: .gracefullyShutdownGroup),
                .init(service: signals, successTerminationBehavior: .gracefullyShutdownGroup),
            ],
            logger: Logger(label: "services") { _ in SwiftLogNoOpLogHandler() })
        try await ServiceGroup(configuration: group).run()
        return (signals.haveCome ? .stopped : await answer.outcome, await answer.nextWords)
    }

    package func run() async {
        systemd.ready()
        systemd.status("not in service: \(fault.reason)")
        let (panel, amplifier) = fallback.hardware(panel, logger)
        let reminder = Reminder(
            fallback: fallback, amplifier: amplifier, logger: logger, fact: "the box is not in service")
        let isSilent = OneTimeSignal()
        let words = Task {
            await remind(reminder)
            isSilent.signal()
        }
        // Dark lights are no reason to be silent.
        let light = Task { try? await panel?.play(Indication.fault.pattern) }
        await answer.set(await awaitChange())
        words.cancel()
        light.cancel()
        reminder.watch.hurry()
        // The box needs the card and the lines for itself.
        await isSilent.wait(atMost: .seconds(5))
        await light.value
        panel?.close()
    }

    private func remind(_ reminder: Reminder) async {
        var due = firstWords
        while !Task.isCancelled {
            do { try await Task.sleep(until: due, clock: .continuous) } catch { return }
            guard await reminder.say(fault.prompt) || !Task.isCancelled else { return }
            due = .now + Reminder.interval
            await answer.wordsAreDue(at: due)
        }
    }

    private func awaitChange() async -> Outcome {
        let stamp = FileStamp(configurationFile)
        var lastAttempt = ContinuousClock.now
        while true {
            systemd.watchdog()
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(1)) }
            if Task.isShuttingDownGracefully || Task.isCancelled { return .stopped }
            let isEdited = FileStamp(configurationFile) != stamp
            guard isEdited || .now - lastAttempt >= retryDelay else { continue }
            do {
                try await onOwnThread(named: "attempt") { [check] in try check() }
                return .cured
            } catch {
                let fault = BoxFault(error)
                // With an edited file everything else is read anew as well.
                if fault != self.fault || isEdited { return .changed(fault) }
            }
            lastAttempt = .now
        }
    }

    /// As far as there is anything to tell.
    package static func status(_ fault: BoxFault, _ fallback: FallbackSettings) -> BoxStatus {
        var status = BoxStatus(isOnline: false, version: SoundboxVersion.current, voice: fallback.locale)
        status.connection = "not in service: \(fault.reason)"
        status.audioDevice = fallback.audioDevice
        status.isAnnouncing = false
        status.faults = [fault.reason]
        return status
    }
}
