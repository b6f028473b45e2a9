import Glibc
import Logging
import ServiceLifecycle
import SoundboxCore

/// Takes the box out of service when its buttons ask for it, and only when the warning before it was heard to its end:
/// a box whose voice is busy with payments, or whose sound card is away, has warned nobody.
///
/// The service ends when the setup has been removed, and the box with it.
actor Unprovisioning: Service {
    /// How long a warning counts.
    static let warningCounts = Duration.seconds(15)

    private let configurationFile: String
    private let directory: StateDirectory
    private let logger: Logger
    private let now: @Sendable () -> ContinuousClock.Instant
    private let requests: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private var warnedAt: ContinuousClock.Instant?
    /// Whether the setup was removed, or its removal left to the next start.
    private(set) var isDone = false

    init(
        configurationFile: String, directory: StateDirectory, logger: Logger,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.configurationFile = configurationFile
        self.directory = directory
        self.logger = logger
        self.now = now
        (requests, continuation) = AsyncStream.makeStream()
    }

    func run() async {
        for await _ in requests.cancelOnGracefulShutdown() where removeSetup() {
            isDone = true
            return
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

    /// - Returns: whether the box is to end.
    private func removeSetup() -> Bool {
        do throws(SetupError) {
            _ = try Provisioning.reset(configurationFile)
            logger.notice("taken out of service by its buttons: the setup was removed")
            return true
        } catch {
            // As a service the box may not write there; the unit then runs `setup reset --if-requested` as root.
            return leaveRequest(because: error)
        }
    }

    private func leaveRequest(because reason: SetupError) -> Bool {
        do throws(SetupError) {
            try SmallFile.replace(directory.resetRequest, with: "\(reason)\n", mode: 0o600, owner: nil)
            logger.notice("to be taken out of service at the next start", metadata: ["reason": "\(reason)"])
            return true
        } catch {
            logger.error("cannot be taken out of service", metadata: ["reason": "\(error)"])
            return false
        }
    }
}
