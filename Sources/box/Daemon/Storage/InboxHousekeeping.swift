import Logging
import ServiceLifecycle
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxYAML
import Synchronization

/// Makes the inbox forget old entries: an hour after the start, then every hour. It works in small steps, between which
/// payments are stored.
///
/// Pinned to its own thread, because the inbox blocks.
actor InboxHousekeeping: Service, Feature {
    static let usualInterval = Duration.seconds(3600)
    /// Between two steps: payments use the disk first.
    static let rest = Duration.milliseconds(200)

    private let executor = ThreadExecutor(name: "housekeeping")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let inbox: any InboxUpkeep
    private let retention: Retention
    private let clock: BoxClock
    private let logger: Logger
    private let interval: Duration

    init(
        inbox: any InboxUpkeep, retention: Retention, clock: BoxClock, logger: Logger,
        interval: Duration = usualInterval
    ) {
        self.inbox = inbox
        self.retention = retention
        self.clock = clock
        self.logger = logger
        self.interval = interval
    }

    init(in box: BoxContext) {
        self.init(inbox: box.inbox, retention: box.settings.inbox, clock: box.clock, logger: box.logger)
    }

    func run() async {
        while await pause(interval) {
            await tidy()
            // The status has reported the salvage for long enough to be read.
            do throws(InboxError) { try inbox.salvageWasTold() } catch {
                logger.warning("the salvage is told of once more", metadata: ["reason": "\(error)"])
            }
            do throws(InboxError) { try inbox.settle() } catch {
                logger.warning("receipts may be sent once more", metadata: ["reason": "\(error)"])
            }
        }
    }

    private func tidy() async {
        var forgotten = 0
        var forgottenEarly = 0
        do throws(InboxError) {
            let now = pruningTime()
            while case let step = try inbox.prune(retention, now: now), step.isWorthRepeating {
                forgotten += step.forgotten
                forgottenEarly += step.forgottenEarly
                guard await pause(Self.rest) else { break }
            }
        } catch {
            logger.warning("old payments are not forgotten", metadata: ["reason": "\(error)"])
        }
        if forgotten > 0 { logger.info("old payments forgotten", metadata: ["count": "\(forgotten)"]) }
        if forgottenEarly > 0 {
            logger.warning(
                "payments forgotten before their time: the inbox has reached inbox.max_size_mb",
                metadata: ["count": "\(forgottenEarly)"])
        }
    }

    /// The time for the ages of entries: confirmed by a server, and stored for the next start. Otherwise an old notice
    /// whose id is forgotten could be replayed to a box that starts in the past.
    private func pruningTime() -> Timestamp? {
        do {
            let kept = try clock.keep()?.proven
            return clock.reading.trust == .confirmed ? kept : nil
        } catch {
            logger.warning("old payments are not forgotten", metadata: ["reason": "\(error)"])
            return nil
        }
    }

    /// - Returns: `false` when the box stops.
    private nonisolated func pause(_ time: Duration) async -> Bool {
        do { try await cancelWhenGracefulShutdown { try await Task.sleep(for: time) } } catch { return false }
        return !Task.isShuttingDownGracefully
    }
}

// MARK: Settings

extension Retention {
    /// Where `inbox:` says nothing.
    package static let usual = Retention(keep: .days(90), maximumBytes: 512 << 20)

    init(reading mapping: YAMLMapping) throws(YAMLError) {
        self.init(
            keep: try mapping.read("keep") { try $0.duration(in: .days(1) ... .days(3650)) } ?? Self.usual.keep,
            maximumBytes: try mapping.read("max_size_mb") { try $0.integer(in: 8...65_536) << 20 }
                ?? Self.usual.maximumBytes)
        try mapping.refuseOtherKeys()
    }
}

/// Speaks a prompt, once per fault, when payments cannot be stored or stored ones may be lost. Otherwise the shop would
/// take silence for "nobody has paid".
struct StorageFaultService: Service, Feature {
    let state: BoxState
    let requests: AnnouncerRequests

    func run() async {
        var hadFault = false
        var toldDamage: String?
        for await snapshot in state.changes().cancelOnGracefulShutdown() {
            let hasFault = snapshot.inboxFault != nil
            let isNewDamage = snapshot.inboxDamage != nil && snapshot.inboxDamage != toldDamage
            if hasFault && !hadFault || isNewDamage { requests.say(.storageFault) }
            (hadFault, toldDamage) = (hasFault, snapshot.inboxDamage)
        }
    }
}

/// Knows when a salvage of a damaged database last read a page. Payments and the announcer wait for a salvage. While it
/// makes progress, they do not count as stuck, because a restart would begin it again. A salvage without progress
/// counts like any other call that blocks.
package final class SalvageWatch: Sendable {
    /// Nanoseconds of `Duration.monotonicNow`; 0 before the first page.
    private let lastPage = Atomic<Int64>(0)
    private let lastWord = Atomic<Int64>(0)
    private let systemd: Systemd

    package init(systemd: Systemd) { self.systemd = systemd }

    /// Call for each page. Asks the service manager for more time, at most once a second, because the start of a
    /// service has a timeout. Any thread; never blocks.
    package func goesOn() {
        let now = Duration.monotonicNow.nanoseconds
        lastPage.store(now, ordering: .relaxed)
        guard now - lastWord.load(ordering: .relaxed) > 1_000_000_000 else { return }
        lastWord.store(now, ordering: .relaxed)
        systemd.extendTimeout(WatchdogService.timeout)
    }

    /// How long a thread that may wait for the salvage has been stuck.
    /// - Parameter thread: how long it has been busy with its current call.
    package func stillness(_ thread: Duration) -> Duration {
        let last = lastPage.load(ordering: .relaxed)
        return last == 0 ? thread : min(thread, .monotonicNow - .nanoseconds(last))
    }
}
