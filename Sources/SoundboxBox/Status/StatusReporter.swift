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
    /// How long it rests between two changes: a payment brings several.
    static let rest = Duration.seconds(1)
    /// How long after a change it is told. Counting asks the disk, and so does the announcer who has something to say:
    /// his first word comes before the news of it.
    static let lull = Duration.milliseconds(20)

    private let executor = ThreadExecutor(name: "status")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let identity: Identity
    private let inbox: any Inbox
    let state: BoxState
    private let feed: any PaymentFeed
    private let systemd: Systemd
    private let clock: BoxClock
    private let quietTime: QuietTime
    private let session: SessionKeeper?
    private let start = ContinuousClock.now
    /// Without what changes all the time.
    private var published: BoxStatus?

    /// What does not change while the box runs.
    package struct Identity: Sendable {
        package var merchantID: String?
        package var deviceID: String
        /// Where it may be, until there is a connection.
        package var broker: String
        package var voice: String
        package var audioDevice: String
        /// What may be set from afar, as it is.
        package var configuration: JSONValue?

        package init(
            merchantID: String? = nil, deviceID: String, broker: String, voice: String, audioDevice: String,
            configuration: JSONValue? = nil
        ) {
            self.configuration = configuration
            self.merchantID = merchantID
            self.deviceID = deviceID
            self.broker = broker
            self.voice = voice
            self.audioDevice = audioDevice
        }
    }

    package init(
        identity: Identity, inbox: any Inbox, state: BoxState, feed: any PaymentFeed, systemd: Systemd, clock: BoxClock,
        quietTime: QuietTime = QuietTime(), session: SessionKeeper? = nil
    ) {
        self.identity = identity
        self.session = session
        self.clock = clock
        self.quietTime = quietTime
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
                for await _ in state.changes(includingInbox: true).cancelOnGracefulShutdown() {
                    do {
                        try await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.lull) }
                        guard await self.publish() else { continue }
                        // What changes meanwhile is told afterwards.
                        try await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.rest) }
                    } catch { return }
                }
            }
            group.addTask(executorPreference: executor) {
                while !Task.isCancelled, !Task.isShuttingDownGracefully {
                    do { try await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.heartbeat) } } catch {
                        return
                    }
                    await self.publish(isHeartbeat: true)
                }
            }
        }
    }

    /// - Returns: whether there was anything to tell.
    @discardableResult private func publish(isHeartbeat: Bool = false) -> Bool {
        let status = status()
        let lasting = status.lasting
        guard isHeartbeat || lasting != published else { return false }
        published = lasting
        feed.publishStatus(status.json.bytes)
        systemd.status(status.faults?.first ?? status.warnings?.first ?? state.snapshot.connection.summary)
        return true
    }

    /// The status now. Blocks on the disk.
    package func status() -> BoxStatus {
        session?.look()
        state.update {
            $0.clockFault = clock.fault
            $0.topicFault = $0.topicFault?.stillTold(at: .monotonicNow)
            $0.refusals.forget(at: .monotonicNow)
        }
        let snapshot = state.snapshot
        var status = BoxStatus(
            isOnline: snapshot.connection == .subscribed, version: SoundboxVersion.current, voice: identity.voice)
        status.connection = snapshot.connection.summary
        status.time = clock.now
        status.merchantID = identity.merchantID
        status.deviceID = identity.deviceID
        status.broker = snapshot.broker ?? identity.broker
        status.session = snapshot.session
        status.audioDevice = identity.audioDevice
        status.sound = snapshot.device
        status.volume = snapshot.volume.level
        status.isMuted = snapshot.isMuted
        status.quietVolume = quietTime.volumeNow
        let quiet = quietTime.reading
        status.shopQuietHours = quiet.isShops ? quiet.hours.map(\.json) ?? .null : nil
        status.isAnnouncing = snapshot.announcement != nil
        status.ring = snapshot.ring.map { RingStatus(id: $0.id, secondsLeft: $0.secondsLeft(at: .monotonicNow)) }
        status.xruns = snapshot.xruns
        status.clock = clock.state
        status.uptime = .seconds((ContinuousClock.now - start).components.seconds)
        status.settings = snapshot.settings
        status.configuration = identity.configuration
        status.certificate = snapshot.certificate
        // Without counts the rest is still worth telling; the fault says why they are missing.
        status.counts = try? inbox.counts()
        status.noticesRefused = snapshot.refusals.notices
        status.faults = snapshot.faults
        status.warnings = snapshot.warnings + [status.volumeWarning].compactMap(\.self)
        return status
    }
}

extension BoxStatus {
    /// Without what changes all the time.
    fileprivate var lasting: BoxStatus {
        var status = self
        (status.time, status.uptime) = (nil, nil)
        return status
    }
}

extension FeedConnection {
    /// In words for people.
    var summary: String {
        switch self {
        case .connecting: "connecting"
        case .subscribed: "online"
        case .disconnected(let reason, let retryIn): "offline: \(reason); next attempt within \(retryIn.inTenths)"
        case .stopped: "stopped"
        }
    }
}
