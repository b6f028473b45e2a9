import Logging
import ServiceLifecycle
import SoundboxCore
import SoundboxSystem

/// Serves the control API to programs on this machine: HTTP and JSON on a Unix socket that only the box's user and one
/// group may open. It cannot be reached by TCP; see ``MetricsServer``. The routes are described in
/// `docs/control-api.yaml`.
///
///     let server = ControlServer(socketPath: "/run/soundbox/control.sock", routes: routes, logger: logger)
///     await server.run()
package struct ControlServer: Service {
    private let socketPath: String
    /// The group of the socket; `nil` for the box's own group.
    private let group: String?
    private let routes: [ControlRoute]
    private let isInService: Bool
    private let logger: Logger
    private let limits: HTTPServer.Limits

    /// - Parameter isInService: `false` for a box that has only some of its routes. The others are refused with that
    ///   reason.
    package init(
        socketPath: String, group: String? = nil, limits: HTTPServer.Limits = HTTPServer.Limits(),
        routes: [ControlRoute], isInService: Bool = true, logger: Logger
    ) {
        self.socketPath = socketPath
        self.group = group
        self.routes = routes
        self.isInService = isInService
        self.logger = logger
        self.limits = limits
    }

    /// Serves until shutdown. The box announces payments with or without its control socket, so a failure is logged and
    /// not thrown.
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
                // A client that never finishes its request must not delay the announcement that is being finished.
                server.stop()
            }
        } catch {
            logger.error("no control socket", metadata: ["path": "\(socketPath)", "reason": "\(error)"])
        }
        if !Task.isShuttingDownGracefully { try? await gracefulShutdown() }
    }

    private func answer(_ request: HTTPRequest) async -> HTTPResponse {
        // Superfluous slashes are ignored.
        let path = request.path.split(separator: "/").joined(separator: "/")
        guard let route = routes.first(where: { $0.method.rawValue == request.method && $0.path == path }) else {
            return isInService
                ? unknown(request) : Self.response("the box is not in service; see: soundbox status", status: 503)
        }
        do {
            switch try await route.answer(ControlRequest(query: request.query, body: request.body)) {
            case .json(let json): return Self.response(json)
            case .metrics(let families): return HTTPResponse(metrics: families)
            }
        } catch let refusal as ControlRefusal {
            return Self.response(refusal)
        } catch {
            return Self.response("\(error)", status: 400)
        }
    }

    private func unknown(_ request: HTTPRequest) -> HTTPResponse {
        let known = routes.map(\.description).joined(separator: ", ")
        return Self.response("\(request.method) \(request.path.excerpt) is unknown; expected \(known)", status: 404)
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

    private static func response(_ error: String, status: Int) -> HTTPResponse {
        response(.object([("error", .string(error))]), status: status)
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
