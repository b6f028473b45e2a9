import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import ServiceLifecycle
import SoundboxCore
import SoundboxSystem

/// Lets programs on this machine talk to the running box: HTTP and JSON on a Unix socket, which only the box's user and
/// group may open. There is no TCP port.
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
    package let logger: Logger
    private let limit = ConnectionLimit()
    /// The socket is this server's own, to be removed at its end.
    private let isOpen = OneTimeSignal()
    /// Bytes of a request's body.
    private static let longestBody = 4096

    package init(
        socketPath: String, status: @escaping @Sendable () async -> BoxStatus,
        replay: (@Sendable () -> Void)? = nil,
        changeVolume: (@Sendable (Command.VolumeChange?) async -> Loudness)? = nil,
        history: HistoryAnswer? = nil, totals: HistoryAnswer? = nil, logger: Logger
    ) {
        self.socketPath = socketPath
        self.status = status
        self.replay = replay
        self.changeVolume = changeVolume
        self.history = history
        self.totals = totals
        self.logger = logger
    }

    /// The box announces payments with or without its control socket, so a failure is logged and not passed on.
    package func run() async {
        do {
            try takeOverSocket()
            try await withGracefulShutdownHandler {
                try await server().run()
            } onGracefulShutdown: { [limit] in
                // A client that never finishes its request must not hold up the announcement that is being finished.
                Task {
                    try? await Task.sleep(for: ConnectionLimit.farewell)
                    limit.close()
                }
            }
        } catch {
            logger.error("no control socket", metadata: ["path": "\(socketPath)", "reason": "\(error)"])
        }
        if !Task.isShuttingDownGracefully { try? await gracefulShutdown() }
        // What is in its place otherwise is another box's, or no socket.
        if isOpen.hasHappened { unlink(socketPath) }
    }

    /// Without Hummingbird's `Application`, which dates its answers and wakes the processor each second to know the date.
    private func server() throws -> any Service {
        var serverLogger = logger
        // Hummingbird tells of every start and stop; the box has its own words for that.
        serverLogger.logLevel = max(logger.logLevel, .warning)
        let builder = HTTPServerBuilder.http1(
            configuration: HTTP1Channel.Configuration(
                additionalChannelHandlers: [limit.handler()], idleTimeout: ConnectionLimit.idleTime,
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: 4096, maxHeaderListSize: 16_384, maxHeaderFieldCount: 64)))
        return try builder.buildServer(
            configuration: ServerConfiguration(address: .unixDomainSocket(path: socketPath)),
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: serverLogger
        ) { [responder = router.buildResponder(), serverLogger] request, writer, channel in
            let context = BasicRequestContext(
                source: ApplicationRequestContextSource(channel: channel, logger: serverLogger))
            var response = try await Self.answer(to: request, context, by: responder)
            // The answer to HEAD has no body, or the client takes it for the next answer (RFC 9110, section 9.3.2).
            if request.method == .head { response.body = ResponseBody() }
            do {
                try await writer.write(response: response.head, body: response.body)
            } catch let error as HTTPParserError {
                // As it is, it would have a second response written.
                throw ControlError(reason: "\(error)")
            }
        } onServerRunning: { [logger, socketPath, isOpen] server in
            isOpen.signal()
            await restWithoutDescriptors(server)
            chmod(socketPath, 0o660)
            logger.debug("control socket open", metadata: ["path": "\(socketPath)"])
        }
    }

    /// - Throws: what is no HTTP, which ends the connection.
    private static func answer(
        to request: Request, _ context: BasicRequestContext,
        by responder: some HTTPResponder<BasicRequestContext>
    ) async throws -> Response {
        do {
            return try await responder.respond(to: request, context: context)
        } catch let error as HTTPParserError {
            throw error
        } catch {
            return Self.response("\(error)", status: .internalServerError)
        }
    }

    private var router: Router<BasicRequestContext> {
        let router = Router()
        router.add(middleware: UnknownRoute { Self.response($0, status: .notFound) })
        router.get("status") { _, _ in Self.response(await status().json) }
        router.post("replay") { _, _ in
            guard let replay else { return Self.notInService }
            replay()
            return Self.response(.object([("replay", .bool(true))]))
        }
        router.get("volume") { _, _ in
            guard let changeVolume else { return Self.notInService }
            return Self.response(await changeVolume(nil))
        }
        router.put("volume") { request, _ in
            guard let changeVolume else { return Self.notInService }
            do {
                let body = try await request.body.collect(upTo: Self.longestBody)
                let json = try JSONValue(parsing: Array(body.readableBytesView))
                return Self.response(await changeVolume(try Command.VolumeChange(decoding: json["volume"])))
            } catch is NIOTooManyBytesError {
                return Self.response("the body is longer than \(Self.longestBody) bytes", status: .contentTooLarge)
            } catch {
                return Self.response("\(error)", status: .badRequest)
            }
        }
        router.get("history") { request, _ in await Self.response(to: request, from: history) }
        router.get("totals") { request, _ in await Self.response(to: request, from: totals) }
        return router
    }

    private static func response(to request: Request, from answer: HistoryAnswer?) async -> Response {
        guard let answer else { return notInService }
        let query: HistoryQuery
        do throws(HistoryRefusal) {
            query = try HistoryQuery(request.uri.queryParameters.map { (String($0.key), String($0.value)) })
        } catch {
            return response(error.reason, status: .badRequest)
        }
        switch await answer(query) {
        case .success(let json): return response(json)
        case .failure(let refusal):
            return response(refusal.reason, status: refusal.isFault ? .serviceUnavailable : .badRequest)
        }
    }

    private static var notInService: Response {
        response("the box is not in service; see: soundbox status", status: .serviceUnavailable)
    }

    private static func response(_ error: String, status: HTTPResponse.Status) -> Response {
        response(.object([("error", .string(error))]), status: status)
    }

    private static func response(_ loudness: Loudness) -> Response {
        response(.object([("volume", .integer(loudness.volume.level)), ("muted", .bool(loudness.isMuted))]))
    }

    private static func response(_ json: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: json.bytes)))
    }

    /// Removes the socket that a killed box left behind, and nothing else: a socket that answers belongs to a box.
    private func takeOverSocket() throws(ControlError) {
        var attributes = stat()
        guard lstat(socketPath, &attributes) == 0 else { return }
        guard attributes.st_mode & S_IFMT == S_IFSOCK else {
            throw ControlError(reason: "something that is no socket is in its place; set another control_socket")
        }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        if withUnixAddress(socketPath, { connect(descriptor, $0, $1) }) == 0 {
            throw ControlError(reason: "another soundbox answers on it; set another control_socket")
        }
        unlink(socketPath)
    }
}

/// Answers a request that no route is for.
private struct UnknownRoute: RouterMiddleware {
    typealias Context = BasicRequestContext

    /// Makes the answer that says what is wrong.
    let answer: @Sendable (String) -> Response

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPError where error.status == .notFound {
            return answer(
                "\(request.method.rawValue) \(request.uri.path.excerpt) is unknown; expected GET /status, POST /replay, "
                    + "GET /volume, PUT /volume, GET /history or GET /totals")
        }
    }
}

/// Makes a server that cannot accept, since the process has no descriptor left, try again after a second. Otherwise it
/// would try as fast as the processor can, or give up for good.
private func restWithoutDescriptors(_ server: any Channel) async {
    try? await server.eventLoop.submit {
        try server.pipeline.syncOperations.addHandler(
            AcceptBackoffHandler(shouldForwardIOErrorCaught: false), position: .first)
    }.get()
}

/// Why the control socket cannot be used.
public struct ControlError: Error, Sendable, Equatable, CustomStringConvertible {
    public var reason: String
    public var description: String { reason }

    public init(reason: String) { self.reason = reason }
}
