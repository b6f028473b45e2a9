import Logging
import ServiceLifecycle
import SoundboxControl
import SoundboxCore
import Synchronization
import TestSupport

/// A control server on a socket of its own, and the box behind it, of which nothing is there but what the server asks for.
final class ControlTrial: Sendable {
    let socketPath: String
    /// What the server logs: the message, and the reason where there is one.
    let log = Journal<String>()
    private let folder: TemporaryFolder
    private let box = Mutex(Box())

    private struct Box {
        var loudness = Loudness(volume: Volume(80), isMuted: false)
        var replays = 0
        var replayed: [Int64] = []
        var codes: [String] = []
        var trials = 0
        var quiet: QuietChange?
        var pageProblem: String?
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
    /// Sequence numbers.
    var replayed: [Int64] { box.withLock { $0.replayed } }
    var codes: [String] { box.withLock { $0.codes } }
    var pageProblem: String? { box.withLock { $0.pageProblem } }
    var trials: Int { box.withLock { $0.trials } }

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
        let server =
            isInService
            ? ControlServer(socketPath: socketPath, status: { self.status }, service: answers, logger: logger)
            : ControlServer(socketPath: socketPath, status: { self.status }, logger: logger)
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

    private var answers: ControlAnswers {
        var answers = ControlAnswers(
            status: { self.status }, replay: { self.box.withLock { $0.replays += 1 } },
            replayNotice: { sequence in
                if sequence == 404 { return .failure(ControlRefusal(.unknown, "there is no notice 404")) }
                if sequence == 409 { return .failure(ControlRefusal(.untold, "it has not been told yet")) }
                self.box.withLock { $0.replayed.append(sequence) }
                return .success(())
            },
            changeVolume: { self.change($0) }, history: { Self.answer($0) }, totals: { Self.answer($0) },
            metrics: { self.status.metrics },
            events: { .object([("version", .integer($0 + 1)), ("status", self.status.json)]) },
            quietHours: { change in
                .success(
                    self.box.withLock { box in
                        if let change { box.quiet = change }
                        guard case .hours(let hours)? = box.quiet else { return QuietReading(nil, isShops: false) }
                        return QuietReading(hours, isShops: true)
                    })
            },
            trial: { self.box.withLock { $0.trials += 1 } },
            speakCode: { code in
                self.box.withLock { box in
                    guard !box.loudness.isMuted else { return .failure(ControlRefusal(.muted, "the box is muted")) }
                    box.codes.append(code.text)
                    return .success(())
                }
            })
        answers.page = .object([("enabled", .bool(true)), ("port", .integer(80))])
        answers.pageProblem = { problem in self.box.withLock { $0.pageProblem = problem } }
        return answers
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

    /// What it was asked, in a box that does not know which day it is.
    private static func answer(_ query: HistoryQuery) -> Result<JSONValue, HistoryRefusal> {
        do throws(HistoryRefusal) {
            let filter = try query.filter(BusinessCalendar(), today: nil)
            return .success(
                .object([
                    ("from", filter.from.map { .string("\($0)") } ?? .null),
                    ("channels", .string(filter.channels.joined(separator: ";"))),
                    ("limit", query.limit.map { .integer($0) } ?? .null),
                ]))
        } catch { return .failure(error) }
    }

    private func change(_ change: VolumeChange?) -> Loudness {
        box.withLock { box in
            if let change {
                box.loudness.volume = change.applied(to: box.loudness.volume)
                box.loudness.isMuted = change.applied(toMuted: box.loudness.isMuted)
            }
            return box.loudness
        }
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
