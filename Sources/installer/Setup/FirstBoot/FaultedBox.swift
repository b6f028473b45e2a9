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

/// Why a box that is set up cannot work.
package struct BoxFault: Sendable, Equatable {
    /// One line that names the object.
    package let reason: String
    /// The prompt that is spoken.
    package let prompt: Prompt

    package init(_ error: any Error) {
        reason = "\(error)"
        prompt = error is StateDirectoryError || error is InboxError ? .storageFault : .setupFault
    }
}

/// Replaces a box that cannot work because of its setup or its storage. It reports the fault aloud, with its light, on
/// its control socket and to systemd, and retries. If it ended instead, systemd would restart it again and again, in
/// silence.
package struct FaultedBox: Service {
    /// Why the wait has ended.
    package enum Outcome: Sendable, Equatable {
        /// The check has succeeded.
        case cured
        case changed(BoxFault)
        case stopped
    }

    package let fault: BoxFault
    /// A change of this file causes a retry at once.
    package let configurationFile: String
    package let fallback: FallbackSettings
    package let panel: PanelChoice
    package let logger: Logger
    package let systemd = Systemd()
    /// When the prompt is due first; it repeats after ``Reminder/interval``. A prompt that was not spoken before the
    /// wait ended stays due.
    package let firstWords: ContinuousClock.Instant
    /// The time between two attempts.
    package let retryDelay: Duration
    /// Throws why the box still cannot work. May block.
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

    /// Waits until something changes, or until a signal.
    ///
    /// - Returns: the outcome, and when the next prompt is due.
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
            await reminder.repeating(from: firstWords) { [prompt = fault.prompt] in
                prompt
            } wasSaid: { [answer] due in
                await answer.wordsAreDue(at: due)
            }
            isSilent.signal()
        }
        // A failing panel must not prevent the prompt.
        let light = Task { try? await panel?.play(Indication.fault.pattern) }
        await answer.set(await awaitChange())
        words.cancel()
        light.cancel()
        reminder.watch.hurry()
        // The box needs the sound card and the GPIO lines.
        await isSilent.wait(atMost: .seconds(5))
        await light.value
        panel?.close()
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
                // After an edit, the caller reads everything again.
                if fault != self.fault || isEdited { return .changed(fault) }
            }
            lastAttempt = .now
        }
    }

    /// The status of a box that is not in service.
    package static func status(_ fault: BoxFault, _ fallback: FallbackSettings) -> BoxStatus {
        var status = BoxStatus(isOnline: false, version: SoundboxVersion.current, voice: fallback.locale)
        status.connection = "not in service: \(fault.reason)"
        status.audioDevice = fallback.audioDevice
        status.isAnnouncing = false
        status.faults = [fault.reason]
        return status
    }
}
