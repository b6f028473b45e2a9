import ServiceLifecycle
import SoundboxAudio
import SoundboxCore
import SoundboxSystem

/// Tells what the box is doing: to the broker as the retained status, after every change and as a heartbeat; to whoever
/// asks on the control socket; and to systemd.
///
/// Pinned to a thread of its own, since counting asks the disk.
package actor StatusReporter: Service {
    /// How often the status is sent when nothing changes.
    package static let heartbeat = Duration.seconds(60)

    private let executor = ThreadExecutor(name: "status")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let identity: Identity
    private let inbox: any Inbox
    private let state: BoxState
    private let feed: any PaymentFeed
    private let systemd: Systemd
    private let clock: BoxClock
    private let quietHours: QuietHours?
    private let start = ContinuousClock.now

    /// What does not change while the box runs.
    package struct Identity: Sendable {
        package var deviceID: String
        package var broker: String
        package var voice: String
        package var audioDevice: String

        package init(deviceID: String, broker: String, voice: String, audioDevice: String) {
            self.deviceID = deviceID
            self.broker = broker
            self.voice = voice
            self.audioDevice = audioDevice
        }
    }

    package init(
        identity: Identity, inbox: any Inbox, state: BoxState, feed: any PaymentFeed, systemd: Systemd, clock: BoxClock,
        quietHours: QuietHours? = nil
    ) {
        self.identity = identity
        self.clock = clock
        self.quietHours = quietHours
        self.inbox = inbox
        self.state = state
        self.feed = feed
        self.systemd = systemd
    }

    /// What the broker publishes when the box vanishes.
    package static func lastWill(_ identity: Identity) -> BoxStatus {
        .lastWill(version: SoundboxVersion.current, voice: identity.voice)
    }

    package func run() async throws {
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask(executorPreference: executor) { [state] in
                for await _ in state.changes().cancelOnGracefulShutdown() { await self.publish() }
            }
            group.addTask(executorPreference: executor) {
                while !Task.isCancelled, !Task.isShuttingDownGracefully {
                    do { try await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.heartbeat) } } catch {
                        return
                    }
                    await self.publish()
                }
            }
        }
    }

    private func publish() {
        let status = status()
        feed.publishStatus(status.json.bytes)
        systemd.status(status.faults?.first ?? status.warnings?.first ?? state.snapshot.connection.summary)
    }

    /// The status now. Blocks on the disk.
    package func status() -> BoxStatus {
        state.update { $0.clockFault = clock.fault }
        let snapshot = state.snapshot
        var status = BoxStatus(
            isOnline: snapshot.connection == .subscribed, version: SoundboxVersion.current, voice: identity.voice)
        status.connection = snapshot.connection.summary
        status.deviceID = identity.deviceID
        status.broker = identity.broker
        status.audioDevice = identity.audioDevice
        status.sound = snapshot.device
        status.volume = snapshot.volume.level
        status.isMuted = snapshot.isMuted
        if let quietHours, quietHours.contain(currentMinuteOfDay()) { status.quietVolume = quietHours.volume }
        status.isAnnouncing = snapshot.announcement != nil
        status.ring = snapshot.ring.map { RingStatus(id: $0.id, secondsLeft: $0.secondsLeft(at: .monotonicNow)) }
        status.xruns = snapshot.xruns
        status.clock = clock.state
        status.uptime = .seconds((ContinuousClock.now - start).components.seconds)
        // Without counts the rest is still worth telling; the fault says why they are missing.
        status.counts = try? inbox.counts()
        status.faults = snapshot.faults
        status.warnings = snapshot.warnings
        return status
    }
}

extension FeedConnection {
    /// In words for people.
    var summary: String {
        switch self {
        case .connecting: "connecting"
        case .subscribed: "online"
        case .disconnected(let reason, let retryIn): "offline: \(reason); next attempt within \(retryIn)"
        case .stopped: "stopped"
        }
    }
}
