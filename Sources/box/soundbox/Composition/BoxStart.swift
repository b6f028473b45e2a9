import Logging
import SoundboxBox
import SoundboxConfiguration
import SoundboxCore
import SoundboxGPIO
import SoundboxHardware
import SoundboxLogging
import SoundboxSetup
import SoundboxSpeech
import SoundboxSystem

/// Makes the box as soon as possible. Until then a ``StandInBox`` says why there is none.
struct BoxStart {
    /// The time between two attempts; it grows with each failure, up to a minute.
    static let retryDelay = Duration.seconds(10)

    private let configurationFile: String
    private let waitsForSetup: Bool
    private let panel: PanelChoice
    private let signals: StopSignals
    /// The settings of the last box, so that a box that was taken out of service speaks its language.
    private var fallback = FallbackSettings()
    /// By state folder and merchant, which together name an inbox. A new clock would doubt the arrival times of all
    /// payments that wait.
    private var clocks: [[String]: BoxClock] = [:]

    /// - Parameters:
    ///   - waitsForSetup: whether to wait for a missing configuration; otherwise it is an error.
    ///   - panel: where the lights and buttons are.
    ///   - signals: end the wait.
    init(configurationFile: String, waitsForSetup: Bool, panel: PanelChoice, signals: StopSignals) {
        self.configurationFile = configurationFile
        self.waitsForSetup = waitsForSetup
        self.panel = panel
        self.signals = signals
    }

    /// - Returns: `nil` if the program must end.
    /// - Throws: errors that do not pass by waiting: there is no configuration, another box runs with the same state,
    ///   or there is no terminal for the panel.
    mutating func box() async throws -> ConfiguredBox? {
        let logger = Logger(label: "soundbox") { _ in LineLogHandler(level: .info) }
        var standIn: StandInBox?
        var failures = 0
        while !signals.haveCome {
            let reason: StandInBox.Reason
            do {
                // A damaged inbox is salvaged only after its fault was spoken.
                if hasSetup { return try make(salvagesAtOnce: standIn?.reason.isStorage ?? false) }
                reason = .notSetUp
            } catch {
                guard standIn?.reason.isFault == true || !isFinal(error) else { throw error }
                reason = .init(error)
            }
            if let standIn, standIn.reason == reason {
                failures += 1
            } else {
                failures = 0
                reason.log(configurationFile, to: logger)
            }
            let next = self.standIn(for: reason, after: standIn, failures: failures, logger)
            try await next.wait(endingOn: signals)
            standIn = next
        }
        if standIn?.reason.isFault == true { logger.info("stopped") }
        return nil
    }

    /// Whether there is a configuration, or its absence is an error.
    private var hasSetup: Bool { !waitsForSetup || SmallFile.exists(configurationFile) }

    private func standIn(
        for reason: StandInBox.Reason, after last: StandInBox?, failures: Int, _ logger: Logger
    ) -> StandInBox {
        StandInBox(
            reason, configurationFile: configurationFile, fallback: reason.isFault ? writtenFallback : fallback,
            panel: panel, logger: logger, wordsDue: failures > 0 ? last?.nextWords ?? .now : .now,
            retryDelay: reason.isFault ? Self.retryDelay * min(1 << min(failures, 3), 6) : .zero
        ) { [self] in
            guard hasSetup else { return .notSetUp }
            // This checks less than making the box does, so the box may fail again.
            do { try ConfiguredBox.check(try Configuration(readingFile: configurationFile)) } catch {
                return .init(error)
            }
            return nil
        }
    }

    /// What is usable of the configuration.
    private var writtenFallback: FallbackSettings {
        (try? Configuration(readingFile: configurationFile)).map { FallbackSettings($0) }
            ?? FallbackSettings(bestEffortFrom: configurationFile)
    }

    /// Blocks on the disk.
    private mutating func make(salvagesAtOnce: Bool) throws -> ConfiguredBox {
        let written = try Configuration(readingFile: configurationFile)
        let logger = Logger(label: "soundbox") { _ in LineLogHandler(level: written.logLevel) }
        if written.logLevel == .trace { Timeline.shared.begin() }
        fallback = FallbackSettings(written)
        let remote = try RemoteConfiguration(over: written, from: configurationFile, logger: logger)
        fallback = FallbackSettings(remote.configuration)
        let inbox = [remote.configuration.stateDirectory, remote.configuration.merchantID]
        let box = try ConfiguredBox(
            remote, from: configurationFile, earlierClock: clocks[inbox], salvagesAtOnce: salvagesAtOnce, panel: panel,
            logger: logger)
        clocks[inbox] = box.clock
        return box
    }

    private func isFinal(_ error: any Error) -> Bool {
        if let error = error as? StateDirectoryError, error.isInUse { return true }
        // Failing GPIO lines cost only lights, so this error is from the terminal panel.
        return error is PanelError || !SmallFile.exists(configurationFile)
    }
}
