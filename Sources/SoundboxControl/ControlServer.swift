import Logging
import ServiceLifecycle
import SoundboxCore
import SoundboxSystem

/// Lets programs on this machine talk to the running box: HTTP and JSON on a Unix socket, which only the box's user and
/// group may open. By TCP nothing of it can be reached; see ``MetricsServer``.
package struct ControlServer: Service {
    package let socketPath: String
    package let status: @Sendable () async -> BoxStatus
    /// Answers one question about the history.
    package typealias HistoryAnswer = @Sendable (HistoryQuery) async -> Result<JSONValue, HistoryRefusal>

    /// `nil` while the box is not in service, as are the other answers.
    package let replay: (@Sendable () -> Void)?
    package let changeVolume: (@Sendable (Command.VolumeChange?) async -> Loudness)?
    package let history: HistoryAnswer?
    package let totals: HistoryAnswer?
    package let metrics: (@Sendable () async -> [MetricFamily])?
    package let logger: Logger

    package init(
        socketPath: String, status: @escaping @Sendable () async -> BoxStatus,
        replay: (@Sendable () -> Void)? = nil,
        changeVolume: (@Sendable (Command.VolumeChange?) async -> Loudness)? = nil,
        history: HistoryAnswer? = nil, totals: HistoryAnswer? = nil,
        metrics: (@Sendable () async -> [MetricFamily])? = nil, logger: Logger
    ) {
        self.socketPath = socketPath
        self.status = status
        self.replay = replay
        self.changeVolume = changeVolume
        self.history = history
        self.totals = totals
        self.metrics = metrics
        self.logger = logger
    }

    /// The box announces payments with or without its control socket, so a failure is logged and not passed on.
    package func run() async {
        do {
            let limits = HTTPServer.Limits()
            let server = try HTTPServer(
                limits: limits,
                tooLong: Self.response("the body is longer than \(limits.longestBody) bytes", status: 413),
                tooManyHeaders: Self.response("there are more than \(limits.mostHeaders) headers", status: 431),
                handler: answer)
            try await withTaskCancellationOrGracefulShutdownHandler {
                try await server.run(thread: "control") { [socketPath, logger] in
                    try ControlSocket(path: socketPath, logger: logger)
                } whenOpen: { [socketPath, logger] in
                    logger.debug("control socket open", metadata: ["path": "\(socketPath)"])
                }
            } onCancelOrGracefulShutdown: {
                // A client that never finishes its request does not hold up the announcement that is being finished.
                server.stop()
            }
        } catch {
            logger.error("no control socket", metadata: ["path": "\(socketPath)", "reason": "\(error)"])
        }
        if !Task.isShuttingDownGracefully { try? await gracefulShutdown() }
    }

    // MARK: Routes

    private func answer(_ request: HTTPRequest) async -> HTTPResponse {
        // Slashes that are too many say nothing.
        switch "\(request.method) /\(request.path.split(separator: "/").joined(separator: "/"))" {
        case "GET /status": return Self.response(await status().json)
        case "POST /replay":
            guard let replay else { return Self.notInService }
            replay()
            return Self.response(.object([("replay", .bool(true))]))
        case "GET /volume":
            guard let changeVolume else { return Self.notInService }
            return Self.response(await changeVolume(nil))
        case "PUT /volume":
            guard let changeVolume else { return Self.notInService }
            do {
                let json = try JSONValue(parsing: request.body)
                return Self.response(await changeVolume(try Command.VolumeChange(decoding: json["volume"])))
            } catch {
                return Self.response("\(error)", status: 400)
            }
        case "GET /history": return await Self.response(to: request, from: history)
        case "GET /totals": return await Self.response(to: request, from: totals)
        case "GET /metrics":
            guard let metrics else { return Self.notInService }
            return HTTPResponse(metrics: await metrics())
        default:
            return Self.response(
                "\(request.method) \(request.path.excerpt) is unknown; expected GET /status, POST /replay, "
                    + "GET /volume, PUT /volume, GET /history, GET /totals or GET /metrics", status: 404)
        }
    }

    private static func response(to request: HTTPRequest, from answer: HistoryAnswer?) async -> HTTPResponse {
        guard let answer else { return notInService }
        let query: HistoryQuery
        do throws(HistoryRefusal) {
            query = try HistoryQuery(request.query)
        } catch {
            return response(error.reason, status: 400)
        }
        switch await answer(query) {
        case .success(let json): return response(json)
        case .failure(let refusal): return response(refusal.reason, status: refusal.isFault ? 503 : 400)
        }
    }

    private static var notInService: HTTPResponse {
        response("the box is not in service; see: soundbox status", status: 503)
    }

    private static func response(_ error: String, status: Int) -> HTTPResponse {
        response(.object([("error", .string(error))]), status: status)
    }

    private static func response(_ loudness: Loudness) -> HTTPResponse {
        response(.object([("volume", .integer(loudness.volume.level)), ("muted", .bool(loudness.isMuted))]))
    }

    private static func response(_ json: JSONValue, status: Int = 200) -> HTTPResponse {
        HTTPResponse(status: status, contentType: "application/json", body: json.bytes)
    }
}

/// Why the control socket cannot be used.
public struct ControlError: Error, Sendable, Equatable, CustomStringConvertible {
    public var reason: String
    /// Whether it is certain that no box listens there.
    public var meansNoBox: Bool
    public var description: String { reason }

    public init(reason: String, meansNoBox: Bool = false) {
        self.reason = reason
        self.meansNoBox = meansNoBox
    }
}
