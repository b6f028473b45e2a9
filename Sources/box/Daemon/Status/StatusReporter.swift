import ServiceLifecycle
import SoundboxAudio
import SoundboxCore
import SoundboxSystem
import SoundboxYAML

/// Reports the status: to the broker as a retained message, after every change and as a heartbeat; to clients of the
/// control socket; and to systemd.
///
/// Pinned to its own thread, because counting reads the disk.
package actor StatusReporter: Service {
    /// The shortest time between two messages: a payment causes several changes.
    static let minimumInterval = Duration.seconds(1)
    /// The delay after a change, because counting reads the disk at the same time as the announcer. The announcement
    /// comes first.
    static let publishDelay = Duration.milliseconds(20)
    /// How long a request for events waits for a change: shorter than the timeout of a control connection.
    private static let longPollLimit = Duration.seconds(8)
    /// The delay of an events answer after a change. A stored payment begins to play within milliseconds; one answer
    /// reports both.
    private static let batchDelay = Duration.milliseconds(40)

    private let executor = ThreadExecutor(name: "status")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let identity: Identity
    private let inbox: any Inbox
    private let history: any PaymentHistory
    private let state: BoxState
    private let feed: any PaymentFeed
    private let systemd: Systemd
    private let clock: BoxClock
    private let interval: Duration
    private nonisolated let features: FeatureList
    private let start = ContinuousClock.now
    /// The last published status, without time and uptime.
    private var published: BoxStatus?

    /// Facts that do not change while the box runs.
    package struct Identity: Sendable {
        package var merchantID: String?
        package var deviceID: String
        /// The configured broker, until there is a connection.
        package var broker: String
        package var voice: String
        /// Of the voice that speaks first.
        package var language: String?
        package var audioDevice: String
        /// The current values of the remote settings' keys.
        package var configuration: JSONValue?

        package init(
            merchantID: String? = nil, deviceID: String, broker: String, voice: String, language: String? = nil,
            audioDevice: String, configuration: JSONValue? = nil
        ) {
            self.configuration = configuration
            self.merchantID = merchantID
            self.deviceID = deviceID
            self.broker = broker
            self.voice = voice
            self.language = language
            self.audioDevice = audioDevice
        }
    }

    init(in box: BoxContext) {
        identity = box.identity
        inbox = box.inbox
        history = box.inbox
        state = box.state
        feed = box.feed
        systemd = box.systemd
        clock = box.clock
        interval = box.settings.status.interval
        features = box.features
    }

    /// The status that the broker publishes when the box disappears.
    package static func lastWill(_ identity: Identity) -> BoxStatus {
        .lastWill(version: SoundboxVersion.current, voice: identity.voice)
    }

    package func run() async throws {
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask(executorPreference: executor) { [state] in
                for await _ in state.changes(includingInbox: true).cancelOnGracefulShutdown() {
                    do {
                        try await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.publishDelay) }
                        guard await self.publish() else { continue }
                        // Changes meanwhile are reported afterwards.
                        try await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.minimumInterval) }
                    } catch { return }
                }
            }
            group.addTask(executorPreference: executor) { [interval] in
                while !Task.isCancelled, !Task.isShuttingDownGracefully {
                    do { try await cancelWhenGracefulShutdown { try await Task.sleep(for: interval) } } catch {
                        return
                    }
                    await self.publish(isHeartbeat: true)
                }
            }
        }
    }

    /// - Returns: whether the status was published.
    @discardableResult private func publish(isHeartbeat: Bool = false) -> Bool {
        let status = status()
        let lasting = status.lasting
        guard isHeartbeat || lasting != published else { return false }
        published = lasting
        feed.publishStatus(status.json.bytes)
        systemd.status(status.faults?.first ?? status.warnings?.first ?? state.snapshot.connection.summary)
        return true
    }

    /// The current status. Blocks on the disk.
    func status() -> BoxStatus {
        var status = BoxStatus(isOnline: false, version: SoundboxVersion.current, voice: identity.voice)
        status.merchantID = identity.merchantID
        status.deviceID = identity.deviceID
        status.broker = identity.broker
        status.configuration = identity.configuration
        for feature in features.all { feature.fill(&status) }
        // Without counts the rest is still useful; the fault says why they are missing.
        status.counts = try? inbox.counts()
        status.uptime = .seconds((ContinuousClock.now - start).components.seconds)
        state.update { $0.clockFault = clock.fault }
        let snapshot = state.snapshot
        status.audioDevice = snapshot.chosenDevice ?? identity.audioDevice
        status.isOnline = snapshot.connection == .subscribed
        status.connection = snapshot.connection.summary
        status.faults = snapshot.faults
        status.warnings = snapshot.warnings + [status.volumeWarning].compactMap(\.self)
        return status
    }

    /// All metrics. Blocks on the disk.
    func allMetrics() -> [MetricFamily] {
        let (status, snapshot) = (status(), state.snapshot)
        func gauge(_ name: String, _ help: String, _ value: Int?) -> [MetricFamily] {
            value.map { [MetricFamily("soundbox_\(name)", .gauge, help, Double($0))] } ?? []
        }
        return [
            MetricFamily(
                "soundbox_build_info", .gauge, "Always 1; which version of the program runs.",
                [.init([.init("version", status.version)], .number(1))]),
            MetricFamily(
                "soundbox_fault", .gauge, "1 for each kind of fault that the box has, 0 for the others.",
                BoxState.FaultKind.allCases.map { kind in
                    .init([.init("kind", kind.rawValue)], .number(snapshot.fault(kind) == nil ? 0 : 1))
                }),
        ]
            + gauge("online", "Whether payments can arrive.", status.isOnline ? 1 : 0)
            + gauge(
                "uptime_seconds", "Time since the start, by a clock that is never set.",
                status.uptime.map { Int($0.components.seconds) })
            + gauge(
                "payments_waiting", "Notices that are stored and not yet spoken to their end.", status.counts?.waiting)
            + gauge("receipts_waiting", "Receipts that the broker has not confirmed.", status.counts?.receiptsWaiting)
            + gauge(
                "warnings", "How many things somebody should look at although the box does its work.",
                status.warnings?.count)
            + features.all.flatMap(\.metricFamilies)
    }

    /// `version`, for the next request; `last_sequence`, the number of the newest notice; and the `status`.
    private func events(after known: Int) async -> JSONValue {
        var version = await state.version(otherThan: known, within: Self.longPollLimit)
        if version != known {
            try? await Task.sleep(for: Self.batchDelay)
            version = state.version
        }
        let newest = (try? history.history(HistoryFilter(), before: nil, limit: 1))?.entries.first?.entry.sequence
        return .object([
            ("version", .integer(version)), ("last_sequence", newest.map { .integer($0) } ?? .null),
            ("status", status().json),
        ])
    }
}

extension StatusReporter: Feature {
    nonisolated var routes: [ControlRoute] {
        [
            ControlRoute(.get, "status") { _ in .json(await self.status().json) },
            ControlRoute(.get, "metrics") { _ in .metrics(await self.allMetrics()) },
            ControlRoute(.get, "events") { request in
                // Without `after`, the client has seen nothing.
                let text = request.query.first { $0.name == "after" }?.value ?? "0"
                guard let known = Int(text), known >= 0 else {
                    throw ControlRefusal(.invalid, "after: expected the version of the last answer")
                }
                return .json(await self.events(after: known))
            },
        ]
    }
}

extension BoxStatus {
    /// The status without time and uptime.
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

// MARK: Settings

/// `status:`.
package struct StatusSettings: Sendable, Equatable {
    /// How often the status is sent without a change. Those who read it believe one for three minutes.
    package var interval = Duration.seconds(60)
}

extension StatusSettings {
    init(reading mapping: YAMLMapping) throws(YAMLError) {
        interval = try mapping.read("interval") { try $0.duration(in: .seconds(10) ... .seconds(150)) } ?? interval
        try mapping.refuseOtherKeys()
    }
}
