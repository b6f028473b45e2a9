import Logging
import ServiceLifecycle
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import Synchronization

/// Takes the box out of service when its buttons ask for it, but only after the warning was heard to its end. A box
/// that is busy with payments, or has no sound card, has warned nobody.
///
/// The service ends when the setup has been removed, and ends the box. Pinned to a thread that may block, because it
/// removes files.
actor Unprovisioning: EndingService, Feature {
    /// How long a warning is valid.
    static let warningCounts = Duration.seconds(15)

    enum Outcome: Sendable {
        /// The setup is removed.
        case removed
        /// The setup is still there. A request beside the inbox asks a privileged program to remove it.
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
    /// `nil` while the box is in service.
    private(set) var outcome: Outcome?

    /// - Parameters:
    ///   - remove: removes the setup, or requests its removal. May block; throws if it can do neither.
    ///   - executor: where `remove` is called.
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

    init(in box: BoxContext) { self.init(remove: box.removeSetup, logger: box.logger, executor: box.files) }

    var ending: BoxEnding? {
        switch outcome {
        case .removed: .unprovisioned
        case .requested: .resetRequested
        case nil: nil
        }
    }

    func run() async {
        for await _ in requests.cancelOnGracefulShutdown() {
            outcome = removeSetup()
            if outcome != nil { return }
        }
    }

    /// Call when the buttons were held long enough for the warning. An earlier warning is no longer valid. Any thread;
    /// never blocks.
    nonisolated func warningIsDue() { warnedAt.withLock { $0 = nil } }

    /// Call when a prompt was played to its end. Any thread; never blocks.
    nonisolated func heard(_ prompt: Prompt) {
        if prompt == .unprovisionWarning { warnedAt.withLock { $0 = now() } }
    }

    /// Call when the buttons were held to the end. Any thread; never blocks.
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

/// The result of a removal of the setup.
package enum SetupRemoval: Sendable, Equatable {
    case removed
    /// The box may not write to the folder of its setup; the next start removes it.
    case requested(reason: String)
}
