import Logging
import ServiceLifecycle
import SoundboxCore
import SoundboxSystem
import Synchronization

/// Where settings from afar are checked and kept. Both block on the disk.
package struct SettingsStore: Sendable {
    /// As it was when the box was made, and every change of it.
    package var record: SettingsRecord
    /// - Returns: what is wrong with them; `nil` when a box can be made with them.
    package var problem: @Sendable (RemoteSettings) -> String?
    package var write: @Sendable (SettingsRecord) throws -> Void
    /// Writes down the volume that they bring or give back, as a change at the box would.
    package var keepVolume: @Sendable (Volume) throws -> Void

    /// Takes none.
    package static let closed = SettingsStore(
        record: SettingsRecord(owner: ""), problem: { _ in "settings: not taken by this box" }, write: { _ in },
        keepVolume: { _ in })

    package init(
        record: SettingsRecord, problem: @escaping @Sendable (RemoteSettings) -> String?,
        write: @escaping @Sendable (SettingsRecord) throws -> Void,
        keepVolume: @escaping @Sendable (Volume) throws -> Void
    ) {
        self.record = record
        self.problem = problem
        self.write = write
        self.keepVolume = keepVolume
    }
}

/// Takes settings from afar, ends the box so that it is made anew with them, and gives them up when the box is not
/// online with them in time.
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

    private let store: SettingsStore
    /// Held while the file is written: settings may come while others are put in force.
    private let record: Mutex<SettingsRecord>
    private let state: BoxState
    private let clock: BoxClock
    private let logger: Logger
    private let timeout: Duration
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
    ///   - timeout: how long settings on trial may take until the box is online.
    package init(
        store: SettingsStore, state: BoxState, clock: BoxClock, logger: Logger, executor: ThreadExecutor,
        timeout: Duration = TrialWatch.timeout, setVolume: @escaping @Sendable (Volume) -> Void
    ) {
        self.store = store
        self.state = state
        self.clock = clock
        self.logger = logger
        self.executor = executor
        self.timeout = timeout
        self.setVolume = setVolume
        record = Mutex(store.record)
        (events, event) = AsyncStream.makeStream()
        state.update { $0.settings = store.record.status }
    }

    /// New settings have come. For one thread at a time: the feed's. Blocks on the disk.
    /// - Returns: why they are not taken; `nil` when they are, or were when they came before.
    package nonisolated func take(_ settings: RemoteSettings) -> String? {
        record.withLock { record in
            // Nobody could ever send newer ones.
            guard settings.at < BoxClock.end else { return "at: \(settings.at) is in the future" }
            var next = record
            next.note(state.snapshot.volume)
            do throws(CommandError) {
                guard try next.take(settings, now: clock.reading.confirmed ?? BoxClock.end) else { return nil }
            } catch { return error.reason }
            if let problem = store.problem(settings) ?? keep(next, over: &record) { return problem }
            let isTrial = next.result == .trial
            logger.notice("settings from afar", metadata: ["id": "\(settings.id)", "on_trial": "\(isTrial)"])
            if isTrial, !next.isTried { event.yield(.changed) }
            return nil
        }
    }

    /// Returns when the box is to be made anew, or at shutdown.
    package func run() async {
        let isOnTrial = record.withLock { $0.result == .trial }
        await withDiscardingTaskGroup { group in
            if isOnTrial {
                let watch = TrialWatch(state: state, timeout: timeout) { [event] in event.yield(.trial($0)) }
                group.addTask { await watch.run() }
            }
            for await event in events.cancelOnGracefulShutdown() {
                guard handle(event) else { continue }
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
        guard case .trial(let event) = event else { return true }
        if event == .online { wasOnline = true }
        let isInForce = wasOnline
        return record.withLock { record in
            // Newer ones came, or those on trial are in force already.
            guard record.result == .trial, record.isTried, let id = record.newest?.id else { return false }
            var next = record
            if isInForce {
                next.note(state.snapshot.volume)
                next.cameOnline()
            } else {
                next.fail("the box was not online within \(timeout.components.seconds) s")
            }
            // What the disk does not take is tried again when the next event comes.
            guard keep(next, over: &record) == nil else { return false }
            if isInForce {
                logger.notice("settings from afar are in force", metadata: ["id": "\(id)"])
            } else {
                logger.error("settings from afar were not kept", metadata: ["reason": "\(next.reason ?? "")"])
            }
            return !isInForce
        }
    }

    /// - Returns: why that cannot be; nothing has changed then, also for the next start.
    private nonisolated func keep(_ next: SettingsRecord, over record: inout SettingsRecord) -> String? {
        let before = state.snapshot.volume
        // That of settings on trial acts when they are in force.
        let volume = next.result == .applied ? next.volume ?? before : before
        var next = next
        next.willWrite(next.inForce?.volume)
        let writesVolume = volume != before || next.writtenVolume != record.writtenVolume
        do {
            if writesVolume {
                // A power cut behind it leaves a volume of which the next start knows that it is not the shop's.
                record.willWrite(volume)
                try store.write(record)
                // Before they are known: coming again they would set no volume.
                try store.keepVolume(volume)
            }
            try store.write(next)
        } catch {
            if writesVolume { try? store.keepVolume(before) }
            logger.error("settings from afar cannot be kept", metadata: ["reason": "\(error)"])
            return "settings: cannot be kept: \(error)"
        }
        record = next
        state.update { $0.settings = next.status }
        if volume != before { setVolume(volume) }
        return nil
    }
}

extension RemoteSettingsService: Feature {
    nonisolated func fill(_ status: inout BoxStatus) { status.settings = state.snapshot.settings }
}
