import Glibc
import Logging
import ServiceLifecycle
import SoundboxCore
import SoundboxSystem

/// Takes the box out of service when its buttons ask for it, and only when the warning before it was heard to its end:
/// a box whose voice is busy with payments, or whose sound card is away, has warned nobody.
///
/// The service ends when the setup has been removed, and the box with it. Runs on a thread of its own, since files
/// block.
actor Unprovisioning: Service {
    /// How long a warning counts.
    static let warningCounts = Duration.seconds(15)

    enum Outcome: Sendable {
        /// The setup is gone.
        case removed
        /// The setup is still there, and a request beside the inbox for whoever may remove it.
        case requested
    }

    private let executor = ThreadExecutor(name: "unprovisioning")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let configurationFile: String
    private let directory: StateDirectory
    private let logger: Logger
    private let reset: @Sendable (String) throws(SetupError) -> [String]
    private let now: @Sendable () -> ContinuousClock.Instant
    private let requests: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private var warnedAt: ContinuousClock.Instant?
    /// What came of it; `nil` while the box is in service.
    private(set) var outcome: Outcome?

    /// - Parameter reset: removes the setup; see ``Provisioning/reset(_:)``.
    init(
        configurationFile: String, directory: StateDirectory, logger: Logger,
        reset: @escaping @Sendable (String) throws(SetupError) -> [String] = { path throws(SetupError) in
            try Provisioning.reset(path)
        },
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.configurationFile = configurationFile
        self.directory = directory
        self.logger = logger
        self.reset = reset
        self.now = now
        (requests, continuation) = AsyncStream.makeStream()
    }

    func run() async {
        for await _ in requests.cancelOnGracefulShutdown() {
            outcome = removeSetup()
            if outcome != nil { return }
        }
    }

    /// The buttons have been held for long enough that the warning is about to be spoken; an earlier one counts no more.
    func warningIsDue() { warnedAt = nil }

    /// A prompt was played to its end.
    func heard(_ prompt: Prompt) {
        if prompt == .unprovisionWarning { warnedAt = now() }
    }

    /// The buttons have been held to the end.
    func perform() {
        guard let warnedAt, now() - warnedAt <= Self.warningCounts else {
            logger.warning("not taken out of service: the warning was not heard; hold the buttons again")
            return
        }
        continuation.yield()
    }

    private func removeSetup() -> Outcome? {
        do throws(SetupError) {
            _ = try reset(configurationFile)
            logger.notice("taken out of service by its buttons: the setup was removed")
            return .removed
        } catch {
            // As a service the box may not write there; the unit then runs `setup reset --if-requested` as root.
            return leaveRequest(because: error)
        }
    }

    private func leaveRequest(because reason: SetupError) -> Outcome? {
        do throws(SetupError) {
            try ResetRequest(of: configurationFile, in: directory.path).write()
            logger.notice("to be taken out of service at the next start", metadata: ["reason": "\(reason)"])
            return .requested
        } catch {
            logger.error("cannot be taken out of service", metadata: ["reason": "\(error)"])
            return nil
        }
    }
}
