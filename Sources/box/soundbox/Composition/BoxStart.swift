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

/// Makes the box as soon as possible. Until then another one replaces it: ``UnprovisionedBox`` without a setup,
/// ``FaultedBox`` with an unusable one.
struct BoxStart {
    /// The time between two attempts; it grows with each failure, up to a minute.
    static let retryDelay = Duration.seconds(10)

    private let configurationFile: String
    private let waitsForSetup: Bool
    private let panel: PanelChoice
    private let signals: StopSignals
    /// The settings of the last box, so that a box that was taken out of service speaks its language.
    private var fallback = FallbackSettings()

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
        var fault: BoxFault?
        var failures = 0
        var nextWords = ContinuousClock.now
        let logger = Logger(label: "soundbox") { _ in LineLogHandler(level: .info) }
        while true {
            if waitsForSetup {
                let waiting = UnprovisionedBox(
                    configurationFile: configurationFile, fallback: fallback, panel: panel, logger: logger)
                guard try await waiting.waitForSetup(endingOn: signals) else { return nil }
            }
            do {
                // A damaged inbox is salvaged only after its fault was spoken.
                return try make(salvagesAtOnce: fault?.prompt == .storageFault)
            } catch {
                guard fault != nil || !isFinal(error) else { throw error }
                let found = BoxFault(error)
                if found != fault {
                    (fault, failures, nextWords) = (found, 0, .now)
                    logger.error("not in service, trying again", metadata: ["reason": "\(found.reason)"])
                }
            }
            // `FaultedBox` checks less than making the box does, so the box may fail again.
            while let current = fault {
                let standIn = standIn(current, logger, firstWords: nextWords, failures: failures)
                failures += 1
                let outcome: FaultedBox.Outcome
                (outcome, nextWords) = try await standIn.wait(endingOn: signals)
                switch outcome {
                case .stopped:
                    logger.info("stopped")
                    return nil
                case .changed(let found):
                    guard found != current else { continue }
                    (fault, failures, nextWords) = (found, 0, .now)
                    logger.error("not in service, trying again", metadata: ["reason": "\(found.reason)"])
                    continue
                case .cured: break
                }
                break
            }
        }
    }

    private func standIn(
        _ fault: BoxFault, _ logger: Logger, firstWords: ContinuousClock.Instant, failures: Int
    ) -> FaultedBox {
        let fallback =
            (try? Configuration(readingFile: configurationFile)).map { FallbackSettings($0) }
            ?? FallbackSettings(asFarAsToldBy: configurationFile)
        return FaultedBox(
            fault, configurationFile: configurationFile, fallback: fallback, panel: panel, logger: logger,
            firstWords: firstWords, retryDelay: Self.retryDelay * min(1 << min(failures, 3), 6)
        ) { [configurationFile, waitsForSetup] in
            // `UnprovisionedBox` waits for a setup.
            if waitsForSetup, !SmallFile.exists(configurationFile) { return }
            try ConfiguredBox.check(try Configuration(readingFile: configurationFile))
        }
    }

    /// Blocks on the disk.
    private mutating func make(salvagesAtOnce: Bool) throws -> ConfiguredBox {
        let written = try Configuration(readingFile: configurationFile)
        let logger = Logger(label: "soundbox") { _ in LineLogHandler(level: written.logLevel) }
        if written.logLevel == .trace { Timeline.shared.begin() }
        fallback = FallbackSettings(written)
        let remote = try RemoteConfiguration(over: written, from: configurationFile, logger: logger)
        fallback = FallbackSettings(remote.configuration)
        return try ConfiguredBox(
            remote, from: configurationFile, salvagesAtOnce: salvagesAtOnce, panel: panel, logger: logger)
    }

    private func isFinal(_ error: any Error) -> Bool {
        if let error = error as? StateDirectoryError, error.isInUse { return true }
        // Failing GPIO lines cost only lights, so this error is from the terminal panel.
        return error is PanelError || !SmallFile.exists(configurationFile)
    }
}
