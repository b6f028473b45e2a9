import Glibc
import Logging
import ServiceLifecycle
import SoundboxControl
import SoundboxCore
import SoundboxMQTT
import SoundboxSystem

/// The gateway put together.
///
///     let gateway = try GatewayService(configuration: configuration, logger: logger)
///     try await ServiceGroup(configuration: .init(services: gateway.services, logger: logger)).run()
///
/// Threads: one for HTTP, one for the store, one that reads it for lists and metrics, one for the broker, and those of
/// callbacks.
package struct GatewayService {
    /// A payment is answered within milliseconds, so these are what a proxy keeps open.
    private static let mostConnections = 512

    /// Of its requests.
    static var limits: HTTPServer.Limits {
        var limits = HTTPServer.Limits(
            mostConnections: mostConnections, idleSeconds: 30, lifetime: .seconds(30), renewsLifetime: true,
            farewell: .seconds(5), longestBody: PaymentNoticeDecoder.maximumPayloadBytes)
        // Who has sent a payment must hear that it is stored.
        limits.waitsForAnswers = true
        return limits
    }

    private let configuration: GatewayConfiguration
    private let store: any PaymentStore
    private let intake: PaymentIntake
    private let lists: StoreReader
    private let outgoing: Outgoing
    private let callbacks: CallbackService
    private let fleet: MQTTFleet
    private let handler: GatewayRequestHandler
    private let metrics = GatewayMetrics()
    private let logger: Logger
    private let systemd = Systemd()

    /// Reads the files that the configuration names, and opens the store. Blocks on the disk.
    package init(configuration: GatewayConfiguration, logger: Logger) throws {
        self.configuration = configuration
        self.logger = logger
        try Self.checkForKeys(configuration)
        let (tokens, reader) = try Self.read(configuration)
        Self.log(reader, configuration, logger)
        let fleet = try MQTTFleet(
            settings: configuration.brokerSettings(), clientID: configuration.clientID,
            filters: [BoxID.filter(.receipts)], retained: [BoxID.filter(.status), BoxID.filter(.replies)]
        ) { [logger] line in logger.notice("broker", metadata: ["note": "\(line)"]) }
        self.fleet = fleet
        store = try configuration.using("database") { try Self.openStore(configuration, logger) }
        callbacks = CallbackService(
            receivers: configuration.callbacks, store: store, metrics: metrics, logger: logger)
        let commands = PendingCommands()
        let outgoing = try Outgoing(
            store: store, keys: configuration.keys, reconciles: configuration.reconciles, keep: configuration.keep,
            callbacks: callbacks, commands: commands, metrics: metrics, logger: logger)
        self.outgoing = outgoing
        lists = StoreReader(configuration.database)
        intake = PaymentIntake(store: store) { fleet.publicationsAreWaiting() }
        handler = GatewayRequestHandler(
            intake: intake, lists: lists, tokens: tokens, reader: reader,
            known: { [overview = outgoing.overview] in overview[$0] },
            isConnected: { [overview = outgoing.overview] in overview.isConnected },
            commands: { type, members, box, isAway in
                await commands.send(
                    type, members, to: box, at: SystemClock.now, waits: type == "cancel", isAway: isAway,
                    wake: fleet.publicationsAreWaiting)
            },
            clock: store.clock, metrics: metrics, logger: logger)
    }

    private static func checkForKeys(_ configuration: GatewayConfiguration) throws {
        guard let keys = configuration.keys else { return }
        try configuration.using("keys") {
            guard !SmallFile.exists(keys) else { return }
            throw FileError(path: keys, problem: "is not there; it is the folder or the file of the boxes' keys")
        }
    }

    /// The boxes' keys, each of which is read at its use: one that cannot be used costs one box only. Blocks on the disk.
    package static func keys(_ configuration: GatewayConfiguration) throws -> (usable: Int, problems: [String]) {
        try checkForKeys(configuration)
        return try configuration.using("keys") { try SigningKeys(path: configuration.keys).check() }
    }

    /// What ``reload()`` reads again. Blocks on the disk.
    package static func read(
        _ configuration: GatewayConfiguration
    ) throws -> (tokens: AccessTokens, reader: WebhookReader) {
        let tokens = try configuration.using("tokens_file") {
            try AccessTokens(readingFile: configuration.tokensFile)
        }
        return (tokens, try reader(configuration))
    }

    /// Blocks on the disk.
    package static func reader(_ configuration: GatewayConfiguration) throws -> WebhookReader {
        let hooks = try configuration.using("hooks") { try configuration.hooks.map(Hook.all(inFolder:)) ?? [:] }
        return WebhookReader(hooks: hooks, decoder: configuration.decoder)
    }

    private static func log(_ reader: WebhookReader, _ configuration: GatewayConfiguration, _ logger: Logger) {
        guard let folder = configuration.hooks else { return }
        logger.info("hooks", metadata: ["read": "\(reader.hooks.keys.sorted().joined(separator: " "))"])
        for name in Hook.ignored(inFolder: folder) {
            logger.warning(
                "not read: the name of a hook's file ends in .yaml or .yml", metadata: ["file": "\(folder)/\(name)"])
        }
    }

    /// Reads tokens, hooks and their secrets again, all or nothing. Connections stay. Blocks on the disk.
    package func reload() {
        do {
            let (tokens, reader) = try Self.read(configuration)
            handler.replace(tokens, reader)
            Self.log(reader, configuration, logger)
            logger.notice("reloaded: tokens, hooks and their secrets")
            if configuration.isOutdated {
                logger.warning("gateway.yaml has changed since the start: a restart reads it, a reload does not")
            }
        } catch { logger.error("not reloaded: everything stays as it was", metadata: ["reason": "\(error)"]) }
    }

    /// A server may start later than its gateways, as after a power cut: it is waited for, and the log says so.
    private static func openStore(
        _ configuration: GatewayConfiguration, _ logger: Logger
    ) throws(StoreError) -> any PaymentStore {
        let receivers = Dictionary(uniqueKeysWithValues: configuration.callbacks.map { ($0.name, $0.states) })
        var said = ""
        while true {
            do throws(StoreError) {
                return try configuration.database.open(.gateway, name: configuration.clientID, receivers: receivers)
            } catch {
                guard error.isTemporary else { throw error }
                if error.description != said {
                    logger.warning("the database is waited for", metadata: ["reason": "\(error)"])
                }
                said = error.description
            }
            sleep(1)
        }
    }

    /// The last thing before the end: waits go on from there, and others publish what is held here.
    package func close() throws {
        store.release()
        try store.saveTime()
    }

    /// They are stopped in the order of this list, from its end.
    package var services: [any Service] {
        get throws {
            var services: [any Service] = configuration.callbacks.isEmpty ? [] : [callbacks]
            // Receipts of the last moment are told before the end.
            services.append(FleetService(fleet: fleet, outgoing: outgoing))
            if let interval = systemd.watchdogInterval {
                services.append(Watchdog(intake: intake, systemd: systemd, interval: interval / 3))
            }
            if let address = configuration.metrics {
                services.append(MetricsServer(address: address, metrics: families, logger: logger))
            }
            let server = try HTTPServer(
                limits: Self.limits, refusal: { .error($0, $1) }, headers: handler.headers, handler: handler.answer)
            services.append(
                RequestService(server: server, address: configuration.listen, systemd: systemd, logger: logger))
            return services
        }
    }

    @Sendable private func families() async -> [MetricFamily] {
        let counts = try? await lists.counts()
        let now = store.clock.now.running
        return metrics.families(
            counts, boxes: outgoing.overview.boxes, isConnected: outgoing.overview.isConnected, at: now)
            + metrics.callbackFamilies(
                receivers: configuration.callbacks.map(\.name), backlogs: counts?.callbacks, at: now)
    }
}

private struct FleetService: Service {
    let fleet: MQTTFleet
    let outgoing: Outgoing

    func run() async throws {
        try await withTaskCancellationOrGracefulShutdownHandler {
            try await fleet.run(delegate: outgoing)
        } onCancelOrGracefulShutdown: {
            fleet.stop()
        }
    }
}

private struct RequestService: Service {
    let server: HTTPServer
    let address: ListenAddress
    let systemd: Systemd
    let logger: Logger

    func run() async throws {
        try await withTaskCancellationOrGracefulShutdownHandler {
            try await server.run(thread: "http") { [address] in
                try TCPListener(address, backlog: 512)
            } whenOpen: { [address, systemd, logger] in
                logger.info("listening", metadata: ["address": "\(address)"])
                systemd.ready()
            }
        } onCancelOrGracefulShutdown: {
            systemd.stopping()
            server.stop()
        }
    }
}

/// Shows the service manager that the store's thread works.
private struct Watchdog: Service {
    let intake: PaymentIntake
    let systemd: Systemd
    let interval: Duration

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await intake.isAlive()
                systemd.watchdog()
                try? await Task.sleep(for: interval)
            }
        }
    }
}
