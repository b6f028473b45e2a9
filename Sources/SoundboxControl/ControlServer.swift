import Logging
import ServiceLifecycle
import SoundboxCore
import SoundboxSystem

/// Lets programs on this machine talk to the running box: HTTP and JSON on a Unix socket, which only the box's user and
/// one group may open. By TCP nothing of it can be reached; see ``MetricsServer``. What it answers is written down in
/// `docs/control-api.yaml`.
package struct ControlServer: Service {
    package let socketPath: String
    /// Whose the socket is besides the box's user; `nil` for the box's own group.
    package let group: String?
    package let status: @Sendable () async -> BoxStatus
    /// `nil` while the box is not in service.
    package let service: ControlAnswers?
    package let logger: Logger
    private let limits: HTTPServer.Limits

    package init(
        socketPath: String, group: String? = nil, limits: HTTPServer.Limits = HTTPServer.Limits(),
        status: @escaping @Sendable () async -> BoxStatus, service: ControlAnswers? = nil, logger: Logger
    ) {
        self.socketPath = socketPath
        self.group = group
        self.status = status
        self.service = service
        self.logger = logger
        self.limits = limits
    }

    /// The box announces payments with or without its control socket, so a failure is logged and not passed on.
    package func run() async {
        do {
            let server = try HTTPServer(
                limits: limits, refusal: { Self.response($1, status: $0) }, handler: answer)
            try await withTaskCancellationOrGracefulShutdownHandler {
                try await server.run(thread: "control") { [socketPath, group, logger] in
                    try ControlSocket(path: socketPath, group: group, logger: logger)
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

    private static let routes =
        "GET /status, POST /replay, GET /volume, PUT /volume, GET /history, GET /totals, GET /metrics, GET /events, "
        + "GET /quiet-hours, PUT /quiet-hours, POST /trial, POST /sign-in-code, GET /page or PUT /page"

    private func answer(_ request: HTTPRequest) async -> HTTPResponse {
        // Slashes that are too many say nothing.
        let path = request.path.split(separator: "/").joined(separator: "/")
        if (request.method, path) == ("GET", "status") { return Self.response(await status().json) }
        guard let service else {
            return Self.routes.contains("\(request.method) /\(path)") && !path.isEmpty
                ? Self.notInService : Self.unknown(request)
        }
        do {
            return try await answer(request, "\(request.method) /\(path)", service)
        } catch let refusal as ControlRefusal {
            return Self.response(refusal)
        } catch {
            return Self.response("\(error)", status: 400)
        }
    }

    private func answer(
        _ request: HTTPRequest, _ route: String, _ service: ControlAnswers
    ) async throws -> HTTPResponse {
        switch route {
        case "POST /replay":
            if let sequence = try request.json?["sequence"] {
                guard let sequence = sequence.integer, sequence > 0 else {
                    throw ControlRefusal(.invalid, "sequence: expected a whole number greater than 0")
                }
                try await service.replayNotice(Int64(sequence)).get()
            } else {
                service.replay()
            }
            return Self.response(.object([("replay", .bool(true))]))
        case "GET /volume": return Self.response(await service.changeVolume(nil))
        case "PUT /volume":
            let json = try JSONValue(parsing: request.body)
            return Self.response(await service.changeVolume(try VolumeChange(decoding: json["volume"])))
        case "GET /history": return await Self.response(to: request, from: service.history)
        case "GET /totals": return await Self.response(to: request, from: service.totals)
        case "GET /metrics": return HTTPResponse(metrics: await service.metrics())
        case "GET /events": return Self.response(await service.events(try request.version))
        case "GET /quiet-hours": return Self.response(try await service.quietHours(nil).get().json)
        case "PUT /quiet-hours":
            let change = try QuietChange(decoding: try JSONValue(parsing: request.body))
            return Self.response(try await service.quietHours(change).get().json)
        case "POST /trial":
            service.trial()
            return Self.response(.object([("trial", .bool(true))]))
        case "POST /sign-in-code":
            guard let code = try request.json?["code"]?.string.flatMap(SignInCode.init) else {
                throw ControlRefusal(.invalid, "code: expected six digits")
            }
            try await service.speakCode(code).get()
            return Self.response(.object([("sign_in_code", .bool(true))]))
        case "GET /page": return Self.response(service.page)
        case "PUT /page":
            service.pageProblem(try request.pageProblem)
            return Self.response(service.page)
        default: return Self.unknown(request)
        }
    }

    private static func unknown(_ request: HTTPRequest) -> HTTPResponse {
        response("\(request.method) \(request.path.excerpt) is unknown; expected \(routes)", status: 404)
    }

    private static func response(_ refusal: ControlRefusal) -> HTTPResponse {
        let status =
            switch refusal.cause {
            case .invalid: 400
            case .unknown: 404
            case .untold, .muted, .quiet, .unspeakable: 409
            case .busy: 429
            case .undated, .fault: 503
            }
        return response(
            .object([("error", .string(refusal.reason)), ("cause", .string(refusal.cause.rawValue))]), status: status)
    }

    private static func response(
        to request: HTTPRequest, from answer: ControlAnswers.HistoryAnswer
    ) async -> HTTPResponse {
        let query: HistoryQuery
        do throws(HistoryRefusal) {
            query = try HistoryQuery(request.query)
        } catch {
            return response(ControlRefusal(error))
        }
        switch await answer(query) {
        case .success(let json): return response(json)
        case .failure(let refusal): return response(ControlRefusal(refusal))
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

extension ControlRefusal {
    fileprivate init(_ refusal: HistoryRefusal) {
        let cause: Cause =
            switch refusal.cause {
            case .invalid: .invalid
            case .undated: .undated
            case .fault: .fault
            }
        self.init(cause, refusal.reason)
    }
}

extension HTTPRequest {
    /// Of the body; `nil` where there is none.
    fileprivate var json: JSONValue? {
        get throws { body.isEmpty ? nil : try JSONValue(parsing: body) }
    }

    /// Of the page's process, which is believed nothing else: the text is for people, and short.
    fileprivate var pageProblem: String? {
        get throws {
            switch try json?["problem"] {
            case .null?: return nil
            case .string(let text)? where text.utf8.count <= 1000: return text.printable
            default: throw ControlRefusal(.invalid, "problem: expected null, or a string of at most 1000 bytes")
            }
        }
    }

    /// What the client has seen of the events: none without a word.
    fileprivate var version: Int {
        get throws(ControlRefusal) {
            guard let text = query.first(where: { $0.name == "after" })?.value else { return 0 }
            guard let version = Int(text), version >= 0 else {
                throw ControlRefusal(.invalid, "after: expected the version of the last answer")
            }
            return version
        }
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
