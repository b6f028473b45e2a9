import Logging
import ServiceLifecycle
import SoundboxBox
import SoundboxControl
import SoundboxCore
import Synchronization
import TestSupport

/// A control server on a socket of its own, with a few routes and nothing behind them.
final class ControlTrial: Sendable {
    let socketPath: String
    /// What the server logs: the message, and the reason where there is one.
    let log = Journal<String>()
    private let folder: TemporaryFolder
    private let box = Mutex(Box())

    private struct Box {
        var loudness = Loudness(volume: Volume(80), isMuted: false)
        var replays = 0
    }

    init() throws {
        folder = try TemporaryFolder()
        socketPath = folder.file("control.sock")
    }

    /// One more on the same socket.
    init(beside other: ControlTrial) {
        folder = other.folder
        socketPath = other.socketPath
    }

    var client: ControlClient { ControlClient(socketPath: socketPath) }
    var loudness: Loudness { box.withLock { $0.loudness } }
    var replays: Int { box.withLock { $0.replays } }

    var status: BoxStatus {
        var status = BoxStatus(isOnline: true, version: "1.2.3", voice: "zh-CN")
        status.volume = loudness.volume.level
        status.faults = ["no sound"]
        return status
    }

    /// Runs the server, as a service of a box that ends in good order when `body` has returned.
    ///
    /// - Throws: also when the server ends before the box does.
    func run(isInService: Bool = true, _ body: @Sendable () async throws -> Void) async throws {
        let logger = Logger(label: "test") { [log] _ in JournalLogHandler(journal: log) }
        let server = ControlServer(
            socketPath: socketPath, routes: isInService ? routes : [routes[0]], isInService: isInService,
            logger: logger)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: server)],
                logger: Logger(label: "services") { _ in SwiftLogNoOpLogHandler() }))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            try await body()
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    private var routes: [ControlRoute] {
        [
            ControlRoute(.get, "status") { _ in .json(self.status.json) },
            ControlRoute(.post, "replay") { _ in
                self.box.withLock { $0.replays += 1 }
                return .json(.object([("replay", .bool(true))]))
            },
            ControlRoute(.get, "volume") { _ in .json(self.change(nil)) },
            ControlRoute(.put, "volume") { request in
                let json = try JSONValue(parsing: request.body)
                return .json(self.change(try VolumeChange(decoding: json["volume"])))
            },
            ControlRoute(.get, "history") { .json(.object($0.query.map { ($0.name, .string($0.value)) })) },
            ControlRoute(.get, "metrics") { _ in .metrics([MetricFamily("soundbox_t", .gauge, "T.", 0.8)]) },
            ControlRoute(.post, "refusal") { request in
                let text = try request.json?["cause"]?.string ?? ""
                throw ControlRefusal(ControlRefusal.Cause(rawValue: text) ?? .fault, "because")
            },
        ]
    }

    private func change(_ change: VolumeChange?) -> JSONValue {
        box.withLock { box in
            if let change {
                box.loudness.volume = change.applied(to: box.loudness.volume)
                box.loudness.isMuted = change.applied(toMuted: box.loudness.isMuted)
            }
            let loudness = box.loudness
            return .object([("volume", .integer(loudness.volume.level)), ("muted", .bool(loudness.isMuted))])
        }
    }

    /// As ``run(isInService:_:)``, once the socket is open.
    func whileOpen(isInService: Bool = true, _ body: @Sendable () async throws -> Void) async throws {
        try await run(isInService: isInService) {
            let line = try await log.next { $0.contains("control socket") ? $0 : nil }
            guard line == "control socket open" else { throw TestFailure(line) }
            try await body()
        }
    }

    /// Sends one request that says all there is to say, whatever a client would make of it.
    func ask(_ method: String, _ path: String, body: String = "") async throws -> Answer {
        let connection = try await UnixConnection.opened(to: socketPath)
        connection.send(
            "\(method) \(path) HTTP/1.1\r\nHost: box\r\nConnection: close\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return try Answer(try await connection.received().all().joined())
    }
}

/// What the server answers over HTTP.
struct Answer: Sendable {
    var code: Int
    var json: JSONValue

    var error: String? { json["error"]?.string }

    init(_ text: String) throws {
        let head = text.prefix { $0 != "\r\n" }.split(separator: " ")
        guard head.count > 1, let code = Int(head[1]), let end = text.firstRange(of: "\r\n\r\n") else {
            throw TestFailure("no HTTP: \(text)")
        }
        self.code = code
        json = try JSONValue(parsing: Array(text[end.upperBound...].utf8))
    }
}

struct JournalLogHandler: LogHandler {
    let journal: Journal<String>
    var logLevel = Logger.Level.debug
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        journal.append(
            ([event.message.description] + [event.metadata?["reason"]?.description].compactMap(\.self))
                .joined(separator: ": "))
    }
}
