import Logging
import ServiceLifecycle
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import Synchronization

/// Takes the box out of service when its buttons ask for it, but only once the warning before it was heard to its end.
/// A box whose voice is busy with payments, or whose sound card is away, has warned nobody.
///
/// The service ends when the setup has been removed, and the box with it. Runs on a thread that may block, since it
/// removes files.
actor Unprovisioning: Service, Feature {
    /// How long a warning counts.
    static let warningCounts = Duration.seconds(15)

    enum Outcome: Sendable {
        /// The setup is gone.
        case removed
        /// The setup is still there, and a request beside the inbox for whoever may remove it.
        case requested
    }

    private let executor: ThreadExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let remove: @Sendable () throws -> SetupRemoval
    private let logger: Logger
    private let now: @Sendable () -> ContinuousClock.Instant
    private let requests: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    /// When the warning was heard to its end.
    private let warnedAt = Mutex<ContinuousClock.Instant?>(nil)
    /// What came of it; `nil` while the box is in service.
    private(set) var outcome: Outcome?

    /// - Parameters:
    ///   - remove: removes the setup, or asks for it. May block; throws when neither can be done.
    ///   - executor: where that is done.
    package init(
        remove: @escaping @Sendable () throws -> SetupRemoval, logger: Logger,
        executor: ThreadExecutor = ThreadExecutor(name: "files"),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.remove = remove
        self.logger = logger
        self.executor = executor
        self.now = now
        (requests, continuation) = AsyncStream.makeStream()
    }

    func run() async {
        for await _ in requests.cancelOnGracefulShutdown() {
            outcome = removeSetup()
            if outcome != nil { return }
        }
    }

    /// The buttons have been held long enough that the warning is about to be spoken. An earlier warning no longer
    /// counts. Never blocks; any thread.
    nonisolated func warningIsDue() { warnedAt.withLock { $0 = nil } }

    /// A prompt was played to its end. Never blocks; any thread.
    nonisolated func heard(_ prompt: Prompt) {
        if prompt == .unprovisionWarning { warnedAt.withLock { $0 = now() } }
    }

    /// The buttons have been held to the end. Never blocks; any thread.
    nonisolated func perform() {
        guard let warnedAt = warnedAt.withLock({ $0 }), now() - warnedAt <= Self.warningCounts else {
            logger.warning("not taken out of service: the warning was not heard; hold the buttons again")
            return
        }
        continuation.yield()
    }

    private func removeSetup() -> Outcome? {
        do {
            switch try remove() {
            case .removed:
                logger.notice("taken out of service by its buttons: the setup was removed")
                return .removed
            case .requested(let reason):
                logger.notice("to be taken out of service at the next start", metadata: ["reason": "\(reason)"])
                return .requested
            }
        } catch {
            logger.error("cannot be taken out of service", metadata: ["reason": "\(error)"])
            return nil
        }
    }
}

/// How the setup was removed when the box's buttons asked for it.
package enum SetupRemoval: Sendable, Equatable {
    case removed
    /// The box may not write where its setup is; whoever starts it again removes it.
    case requested(reason: String)
}
