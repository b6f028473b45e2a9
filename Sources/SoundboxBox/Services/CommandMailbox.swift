import Logging
import ServiceLifecycle
import SoundboxCore
import SoundboxSystem
import Synchronization

/// Takes every command, whatever its source, and carries them out one by one, in the order in which they came.
///
/// Pinned to a thread of its own, on which nothing blocks: a command is carried out within microseconds, also while the
/// disk or the sound card hangs.
actor CommandMailbox: Service {
    private let executor = ThreadExecutor(name: "commands")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private struct Content {
        var pending = PendingCommands()
        var isClosed = false
    }

    private let volume: VolumeControl
    private let unprovisioning: Unprovisioning
    private let play: @Sendable (Announcer.Request) -> Void
    private let say: @Sendable (Prompt) -> Void
    private let logger: Logger
    private let content = Mutex(Content())
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - play: takes what is to be played. Must not block.
    ///   - say: takes a prompt to be spoken. Must not block.
    init(
        volume: VolumeControl, unprovisioning: Unprovisioning, logger: Logger,
        play: @escaping @Sendable (Announcer.Request) -> Void, say: @escaping @Sendable (Prompt) -> Void
    ) {
        self.volume = volume
        self.unprovisioning = unprovisioning
        self.logger = logger
        self.play = play
        self.say = say
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Never blocks; any thread.
    nonisolated func post(_ command: Command) {
        switch command {
        case .volume(let change): put([.volume(LoudnessChange(change))])
        case .play(let request): put([.play(request)])
        case .warnOfUnprovisioning: put([.warnOfUnprovisioning])
        case .unprovision: put([.unprovision])
        // Carried out when they arrived.
        case .cancel, .errand, .reconciled, .settings, .certificate: break
        }
    }

    /// A prompt was played to its end; only the one that warns makes a difference. Never blocks; any thread.
    nonisolated func heard(_ prompt: Prompt) { if prompt == .unprovisionWarning { put([.heardWarning]) } }

    /// How loud the box is once everything that was posted before has been carried out.
    nonisolated var loudness: Loudness {
        get async { await withCheckedContinuation { put([.tell($0)]) } }
    }

    /// Changes the volume, and returns when the change is on the disk.
    /// - Returns: what is in force.
    nonisolated func change(_ change: Command.VolumeChange) async -> Loudness {
        let loudness = await withCheckedContinuation { put([.volume(LoudnessChange(change)), .tell($0)]) }
        await volume.remember()
        return loudness
    }

    /// Until shutdown, and then until all that came before has been carried out.
    func run() async {
        for await _ in signals.cancelOnGracefulShutdown() { carryOutPending() }
        content.withLock { $0.isClosed = true }
        carryOutPending()
    }

    private nonisolated func put(_ items: [PendingCommands.Item]) {
        let refused = content.withLock { content in
            content.isClosed ? items : items.filter { !content.pending.append($0) }
        }
        signal.yield()
        for item in refused {
            // Nobody is left waiting.
            if case .tell(let asker) = item { asker.resume(returning: volume.loudness) }
        }
        if !refused.isEmpty { logger.warning("commands came too late or too many at once") }
    }

    private func carryOutPending() {
        for item in content.withLock({ $0.pending.takeAll() }) { carryOut(item) }
    }

    private func carryOut(_ item: PendingCommands.Item) {
        switch item {
        case .volume(let change): volume.apply(change)
        case .play(let request): play(request)
        case .warnOfUnprovisioning:
            unprovisioning.warningIsDue()
            say(.unprovisionWarning)
        case .unprovision: unprovisioning.perform()
        case .heardWarning: unprovisioning.heard(.unprovisionWarning)
        case .tell(let asker): asker.resume(returning: volume.loudness)
        }
    }
}
