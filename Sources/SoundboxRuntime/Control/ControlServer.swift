import Glibc
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import SoundboxAudio
import SoundboxCore

/// Lets programs on this machine talk to the running box: HTTP and JSON on a Unix socket, which only the box's user and
/// group may open. There is no TCP port.
struct ControlServer: Service {
    let socketPath: String
    let status: @Sendable () async -> JSONValue
    let replay: @Sendable () -> Void
    let changeVolume: @Sendable (Command.VolumeChange?) async -> Loudness
    let logger: Logger

    /// The box announces payments with or without its control socket, so a failure is logged and not passed on.
    func run() async {
        do {
            try takeOverSocket()
            try await application.run()
        } catch {
            logger.error("no control socket", metadata: ["path": "\(socketPath)", "reason": "\(error)"])
        }
        if !Task.isShuttingDownGracefully { try? await gracefulShutdown() }
        unlink(socketPath)
    }

    private var application: some ApplicationProtocol {
        var serverLogger = logger
        // Hummingbird tells of every start and stop; the box has its own words for that.
        serverLogger.logLevel = max(logger.logLevel, .warning)
        return Application(
            router: router,
            configuration: ApplicationConfiguration(
                address: .unixDomainSocket(path: socketPath), serverName: "soundbox"),
            onServerRunning: { [logger, socketPath] _ in
                chmod(socketPath, 0o660)
                logger.debug("control socket open", metadata: ["path": "\(socketPath)"])
            },
            logger: serverLogger)
    }

    private var router: Router<BasicRequestContext> {
        let router = Router()
        router.get("status") { _, _ in Self.response(await status()) }
        router.post("replay") { _, _ in
            replay()
            return Self.response(.object([("replay", .bool(true))]))
        }
        router.get("volume") { _, _ in Self.response(await changeVolume(nil)) }
        router.put("volume") { request, _ in
            do {
                let body = try await request.body.collect(upTo: 4096)
                let json = try JSONValue(parsing: Array(body.readableBytesView))
                return Self.response(await changeVolume(try Command.VolumeChange(decoding: json["volume"])))
            } catch {
                return Self.response(.object([("error", .string("\(error)"))]), status: .badRequest)
            }
        }
        return router
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

/// Why the control socket cannot be used.
public struct ControlError: Error, Sendable, Equatable, CustomStringConvertible {
    public var reason: String
    public var description: String { reason }
}
