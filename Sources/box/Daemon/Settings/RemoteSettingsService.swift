import Logging
import SoundboxCore
import SoundboxSystem
import Synchronization

/// Checks and stores remote settings. Everything blocks on the disk.
package protocol SettingsStore: Sendable {
    /// The record when the box was made; ``write(_:)`` stores each change.
    var record: SettingsRecord { get }
    /// - Returns: the problem with the settings; `nil` if a box can be made with them.
    func problem(with settings: RemoteSettings) -> String?
    func write(_ record: SettingsRecord) throws
    /// Stores the volume that they set or restore, like a change at the box.
    func keep(_ volume: Volume) throws
}

/// Takes remote settings, ends the box so that it is made again with them, and restores the old ones if the box is not
/// online in time.
///
/// ``SettingsRecord`` makes the decisions. Everything is on the disk before it takes effect: after a power cut, the old
/// settings are in force or the new ones are on trial.
package actor RemoteSettingsService: EndingService, TrialOwner {
    private let executor: ThreadExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let store: any SettingsStore
    /// Held while the file is written: settings may arrive while others are put in force.
    private let record: Mutex<SettingsRecord>
    private let state: BoxState
    private let clock: BoxClock
    private let logger: Logger
    private let trial: Trial
    private let setVolume: @Sendable (Volume) -> Void
    private var hasChanged = false

    package var ending: BoxEnding? { hasChanged ? .remade : nil }

    /// - Parameters:
    ///   - executor: a thread that may block.
    ///   - timeout: how long the box may take to come online with settings on trial.
    ///   - setVolume: applies the volume to the player and the state, from which the next settings begin. Must not
    ///     block.
    package init(
        store: any SettingsStore, state: BoxState, clock: BoxClock, logger: Logger, executor: ThreadExecutor,
        timeout: Duration = Trial.timeout, setVolume: @escaping @Sendable (Volume) -> Void
    ) {
        self.store = store
        self.state = state
        self.clock = clock
        self.logger = logger
        self.executor = executor
        self.setVolume = setVolume
        record = Mutex(store.record)
        trial = Trial(state: state, timeout: timeout)
        state.update { $0.settings = store.record.status }
    }

    /// Takes settings. For one thread at a time, the feed's. Blocks on the disk.
    /// - Returns: why they are refused; `nil` if they are taken now or were taken before.
    package nonisolated func apply(_ settings: RemoteSettings) -> String? {
        record.withLock { record in
            // No newer ones could be sent afterwards.
            guard settings.at < BoxClock.end else { return "at: \(settings.at) is in the future" }
            var next = record
            next.record(state.snapshot.volume)
            do throws(CommandError) {
                guard try next.apply(settings, now: clock.reading.confirmed ?? BoxClock.end) else { return nil }
            } catch { return error.reason }
            if let problem = store.problem(with: settings) ?? keep(next, over: &record) { return problem }
            let isTrial = next.result == .trial
            logger.notice("settings from afar", metadata: ["id": "\(settings.id)", "on_trial": "\(isTrial)"])
            if isTrial, !next.isTried { trial.begin() }
            return nil
        }
    }

    /// Returns when the box must be made again, or at shutdown.
    package func run() async {
        hasChanged = await trial.run(for: self, isOnTrial: record.withLock { $0.result == .trial })
    }

    func putInForce() {
        let id = endTrial {
            $0.record(state.snapshot.volume)
            $0.cameOnline()
        }
        if let id { logger.notice("settings from afar are in force", metadata: ["id": "\(id)"]) }
    }

    func giveUp() -> Bool {
        let reason = "the box was not online within \(trial.timeout.components.seconds) s"
        guard endTrial({ $0.fail(reason) }) != nil else { return false }
        logger.error("settings from afar were not kept", metadata: ["reason": "\(reason)"])
        return true
    }

    /// - Returns: the id of the settings whose trial has ended.
    private func endTrial(_ change: (inout SettingsRecord) -> Void) -> CommandID? {
        record.withLock { record in
            // Newer ones arrived, or those on trial are in force already.
            guard record.result == .trial, record.isTried, let id = record.newest?.id else { return nil }
            var next = record
            change(&next)
            return keep(next, over: &record) == nil ? id : nil
        }
    }

    /// - Returns: why it failed; then nothing has changed, not even for the next start.
    private nonisolated func keep(_ next: SettingsRecord, over record: inout SettingsRecord) -> String? {
        let before = state.snapshot.volume
        // The volume of settings on trial applies once they are in force.
        let volume = next.result == .applied ? next.volume ?? before : before
        var next = next
        next.willWrite(next.inForce?.volume)
        let writesVolume = volume != before || next.writtenVolume != record.writtenVolume
        do {
            if writesVolume {
                // After a power cut here, the next start knows that this volume was not set by the shop.
                record.willWrite(volume)
                try store.write(record)
                // Before the record: settings that it already contains would set no volume when redelivered.
                try store.keep(volume)
            }
            try store.write(next)
        } catch {
            if writesVolume { try? store.keep(before) }
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
    init(in box: BoxContext, _ store: any SettingsStore, _ volume: VolumeControl) {
        self.init(
            store: store, state: box.state, clock: box.clock, logger: box.logger, executor: box.files,
            setVolume: { volume.apply(.to($0)) })
    }

    nonisolated func fill(_ status: inout BoxStatus) { status.settings = state.snapshot.settings }
}
