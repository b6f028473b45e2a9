import Logging
import ServiceLifecycle
import SoundboxCore
import SoundboxSystem
import Synchronization

/// Where settings from afar are checked and kept. Both block on the disk.
package struct SettingsDesk: Sendable {
    /// As it was when the box was made, and every change of it.
    package var record: SettingsRecord?
    /// - Returns: what is wrong with them; `nil` when a box can be made with them.
    package var problem: @Sendable (RemoteSettings) -> String?
    package var write: @Sendable (SettingsRecord) throws -> Void
    /// Writes down the volume that they bring or give back, as a change at the box would.
    package var keepVolume: @Sendable (Volume) throws -> Void

    /// Takes none.
    package static let closed = SettingsDesk(
        record: nil, problem: { _ in "settings: not taken by this box" }, write: { _ in }, keepVolume: { _ in })

    package init(
        record: SettingsRecord?, problem: @escaping @Sendable (RemoteSettings) -> String?,
        write: @escaping @Sendable (SettingsRecord) throws -> Void,
        keepVolume: @escaping @Sendable (Volume) throws -> Void
    ) {
        self.record = record
        self.problem = problem
        self.write = write
        self.keepVolume = keepVolume
    }
}

/// Takes settings from afar, ends the box so that it is made anew with them, and gives them up when the box is not online
/// with them in time.
///
/// What it decides is ``SettingsRecord``'s. Everything is on the disk before it counts: a power cut in between leaves
/// the old settings or the new ones on trial.
package actor RemoteSettingsService: Service {
    private let executor: ThreadExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private enum Event {
        case changed
        case trial(TrialWatch.Event)
    }

    private let desk: SettingsDesk
    private let record: Mutex<SettingsRecord?>
    /// Held from reading the record to writing it: settings may come while others are put in force.
    private let deciding = Mutex(())
    private let state: BoxState
    private let clock: BoxClock
    private let logger: Logger
    private let patience: Duration
    private let setVolume: @Sendable (Volume) -> Void
    private let events: AsyncStream<Event>
    private let event: AsyncStream<Event>.Continuation
    /// With the settings on trial, whatever the disk made of it.
    private var wasOnline = false
    /// Whether the box is to be made anew.
    private(set) var hasChanged = false

    /// - Parameters:
    ///   - executor: a thread that may block.
    ///   - setVolume: the state has it then: settings that come next begin from there. Must not block.
    ///   - patience: how long settings on trial may take until the box is online.
    package init(
        desk: SettingsDesk, state: BoxState, clock: BoxClock, logger: Logger, executor: ThreadExecutor,
        patience: Duration = TrialWatch.patience, setVolume: @escaping @Sendable (Volume) -> Void
    ) {
        self.desk = desk
        self.state = state
        self.clock = clock
        self.logger = logger
        self.executor = executor
        self.patience = patience
        self.setVolume = setVolume
        record = Mutex(desk.record)
        (events, event) = AsyncStream.makeStream()
        state.update { $0.settings = desk.record?.status }
    }

    /// New settings have come. For one thread at a time: the feed's. Blocks on the disk.
    /// - Returns: why they are not taken; `nil` when they are, or were when they came before.
    package nonisolated func take(_ settings: RemoteSettings) -> String? {
        deciding.withLock { _ in decide(on: settings) }
    }

    private nonisolated func decide(on settings: RemoteSettings) -> String? {
        guard var record = record.withLock({ $0 }) else { return desk.problem(settings) }
        // Nobody could ever send newer ones.
        guard settings.at < BoxClock.end else { return "at: \(settings.at) is in the future" }
        let before = state.snapshot.volume
        record.note(before)
        let verdict = record.take(settings, now: clock.reading.confirmed ?? BoxClock.end)
        switch verdict {
        case .known: return record.shortcoming.map { "settings: not in force: \($0)" }
        case .outdated(let newest): return "at: \(settings.at) is not later than \(newest), the time of newer settings"
        case .taken, .onTrial: break
        }
        if let problem = desk.problem(settings) { return problem }
        // With those on trial their volume comes into force.
        let volume = record.trial == nil ? record.volume ?? before : before
        // Before they are known: coming again they would set no volume.
        if volume != before {
            do { try desk.keepVolume(volume) } catch { return "settings: the volume cannot be kept: \(error)" }
        }
        if let problem = keep(record) {
            // What is refused changes nothing, at the next start either.
            if volume != before { try? desk.keepVolume(before) }
            return "settings: cannot be kept: \(problem)"
        }
        logger.notice("settings from afar", metadata: ["id": "\(settings.id)", "on_trial": "\(verdict == .onTrial)"])
        if verdict == .onTrial { event.yield(.changed) }
        if volume != before { setVolume(volume) }
        return nil
    }

    /// Returns when the box is to be made anew, or at shutdown.
    package func run() async {
        let isOnTrial = record.withLock { $0?.trial != nil }
        await withDiscardingTaskGroup { group in
            if isOnTrial {
                let watch = TrialWatch(state: state, patience: patience) { [event] in event.yield(.trial($0)) }
                group.addTask { await watch.run() }
            }
            for await event in events.cancelOnGracefulShutdown() {
                guard deciding.withLock({ _ in handle(event) }) else { continue }
                // A ring that somebody may still answer would be told as missed.
                await state.waitWhileRinging()
                hasChanged = true
                break
            }
            group.cancelAll()
        }
    }

    /// - Returns: whether the box is to be made anew.
    private func handle(_ event: Event) -> Bool {
        guard var record = record.withLock({ $0 }) else { return false }
        switch event {
        case .changed: return true
        case .trial(.online):
            wasOnline = true
            putInForce(&record)
            return false
        // The disk has not taken it then.
        case .trial(.late) where wasOnline:
            putInForce(&record)
            return false
        case .trial(.late):
            // Online meanwhile, or newer ones came.
            guard record.trial?.isTried == true else { return false }
            record.fail("the box was not online within \(patience.components.seconds) s")
            guard keep(record) == nil else { return false }
            logger.error("settings from afar were not kept", metadata: ["reason": "\(record.failure?.reason ?? "")"])
            return true
        }
    }

    /// The box was online with those on trial.
    private func putInForce(_ record: inout SettingsRecord) {
        let before = state.snapshot.volume
        record.note(before)
        guard let settings = record.cameOnline() else { return }
        let volume = record.volume ?? before
        if volume != before {
            do { try desk.keepVolume(volume) } catch {
                logger.error("the volume cannot be kept", metadata: ["reason": "\(error)"])
            }
        }
        // Should it not be kept, they are on trial at the next start as well.
        guard keep(record) == nil else { return }
        logger.notice("settings from afar are in force", metadata: ["id": "\(settings.id)"])
        if volume != before { setVolume(volume) }
    }

    /// - Returns: why that cannot be.
    private nonisolated func keep(_ record: SettingsRecord) -> String? {
        do { try desk.write(record) } catch {
            logger.error("settings from afar cannot be kept", metadata: ["reason": "\(error)"])
            return "\(error)"
        }
        self.record.withLock { $0 = record }
        state.update { $0.settings = record.status }
        return nil
    }
}
