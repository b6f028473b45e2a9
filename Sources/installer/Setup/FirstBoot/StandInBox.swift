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
import Synchronization

/// Stands in for a box that cannot be made: it says so aloud, with its light and to systemd, and waits. If it ended
/// instead, systemd would restart it again and again, in silence.
///
///     let standIn = StandInBox(.notSetUp, configurationFile: path, …) { … }
///     try await standIn.wait(endingOn: signals)
package final class StandInBox: Service {
    package let reason: Reason
    private let configurationFile: String
    private let fallback: FallbackSettings
    private let panel: PanelChoice
    private let logger: Logger
    private let retryDelay: Duration
    private let currentReason: @Sendable () -> Reason?
    private let dueWords: Mutex<ContinuousClock.Instant>
    private let systemd = Systemd()

    /// - Parameters:
    ///   - configurationFile: a change of this file ends the wait.
    ///   - wordsDue: when the prompt is due first; it repeats after ``Reminder/interval``.
    ///   - retryDelay: the time between two checks.
    ///   - currentReason: checks why no box can be made; `nil` if it can. May block.
    package init(
        _ reason: Reason, configurationFile: String, fallback: FallbackSettings, panel: PanelChoice, logger: Logger,
        wordsDue: ContinuousClock.Instant, retryDelay: Duration, currentReason: @escaping @Sendable () -> Reason?
    ) {
        self.reason = reason
        self.configurationFile = configurationFile
        self.fallback = fallback
        self.panel = panel
        self.logger = logger
        self.retryDelay = retryDelay
        self.currentReason = currentReason
        dueWords = Mutex(wordsDue)
    }

    /// When the prompt is due again. One that was not spoken before the wait ended stays due.
    package var nextWords: ContinuousClock.Instant { dueWords.withLock { $0 } }

    /// Waits until a box may be possible or the reason has changed, or until a signal.
    package func wait(endingOn signals: StopSignals) async throws {
        var group = ServiceGroupConfiguration(
            services: [
                .init(service: self, successTerminationBehavior: .gracefullyShutdownGroup),
                .init(service: signals, successTerminationBehavior: .gracefullyShutdownGroup),
            ],
            logger: Logger(label: "services") { _ in SwiftLogNoOpLogHandler() })
        if let status = reason.status(fallback) {
            let control = ControlServer(
                socketPath: fallback.controlSocket, routes: [ControlRoute(.get, "status") { _ in .json(status.json) }],
                isInService: false, logger: logger)
            group.services.insert(.init(service: control), at: 0)
        }
        try await ServiceGroup(configuration: group).run()
    }

    package func run() async {
        systemd.ready()
        systemd.status(reason.line(configurationFile))
        let (panel, amplifier) = fallback.hardware(panel, logger)
        let reminder = Reminder(fallback: fallback, amplifier: amplifier, logger: logger, fact: reason.fact)
        let isSilent = OneTimeSignal()
        let words = Task {
            await reminder.repeating(from: nextWords) { [reason] in
                reason.prompt(card: CardFiles.usualFolder)
            } wasSaid: { due in
                dueWords.withLock { $0 = due }
            }
            isSilent.signal()
        }
        // A failing panel must not prevent the prompt.
        let light = Task { try? await panel?.play(reason.light.pattern) }
        await awaitChange()
        words.cancel()
        light.cancel()
        reminder.watch.hurry()
        // The box needs the sound card and the GPIO lines.
        await isSilent.wait(atMost: .seconds(5))
        await light.value
        panel?.close()
    }

    private func awaitChange() async {
        let stamp = FileStamp(configurationFile)
        var lastCheck = ContinuousClock.now
        while true {
            systemd.watchdog()
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(1)) }
            if Task.isShuttingDownGracefully || Task.isCancelled { return }
            if FileStamp(configurationFile) != stamp { return }
            guard .now - lastCheck >= retryDelay else { continue }
            if (try? await onOwnThread(named: "attempt", currentReason)) != reason { return }
            lastCheck = .now
        }
    }
}

extension StandInBox {
    /// Why no box can be made.
    package enum Reason: Sendable, Equatable {
        /// There is no configuration.
        case notSetUp
        /// The setup or the storage cannot be used, with one line that names the object.
        case fault(String, isStorage: Bool)

        package init(_ error: any Error) {
            self = .fault("\(error)", isStorage: error is StateDirectoryError || error is InboxError)
        }
    }
}

extension StandInBox.Reason {
    package var isFault: Bool { self != .notSetUp }

    package var isStorage: Bool {
        if case .fault(_, isStorage: true) = self { true } else { false }
    }

    package func log(_ configurationFile: String, to logger: Logger) {
        switch self {
        case .notSetUp:
            let isClaiming = Self.isClaiming(configurationFile)
            logger.warning(
                "not set up",
                metadata: [
                    "missing": "\(configurationFile)",
                    "run": isClaiming ? "journalctl -u soundbox-enrol" : "sudo soundbox setup",
                ])
        case .fault(let reason, _): logger.error("not in service, trying again", metadata: ["reason": "\(reason)"])
        }
    }

    /// One line for systemd.
    func line(_ configurationFile: String) -> String {
        switch self {
        case .notSetUp:
            Self.isClaiming(configurationFile) ? "not set up: the issuer of its claim is asked" : "not set up"
        case .fault(let reason, _): "not in service: \(reason)"
        }
    }

    var fact: String { isFault ? "the box is not in service" : "the box is not set up" }
    var light: Indication { isFault ? .fault : .notProvisioned }

    /// - Parameter card: where the first boot explains what is wrong with a provisioning file; nothing is left of a good
    ///   one.
    func prompt(card: String) -> Prompt {
        switch self {
        case .notSetUp: SmallFile.exists("\(card)/\(FirstBoot.errorName)") ? .setupFault : .notProvisioned
        case .fault(_, let isStorage): isStorage ? .storageFault : .setupFault
        }
    }

    /// The answer on the control socket; `nil` without a setup, which names the socket.
    func status(_ fallback: FallbackSettings) -> BoxStatus? {
        guard case .fault(let reason, _) = self else { return nil }
        var status = BoxStatus(isOnline: false, version: SoundboxVersion.current, voice: fallback.locale)
        status.connection = "not in service: \(reason)"
        status.audioDevice = fallback.audioDevice
        status.isAnnouncing = false
        status.faults = [reason]
        return status
    }

    private static func isClaiming(_ configurationFile: String) -> Bool {
        SmallFile.exists(ClaimFile.path(beside: configurationFile))
    }
}
