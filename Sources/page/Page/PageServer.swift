import Logging
import ServiceLifecycle
import SoundboxControl
import SoundboxCore
import SoundboxSystem

/// Serves the shop's page for as long as the box wants it. It knows only the box's control socket.
///
///     let server = PageServer(
///         socketPath: "/run/soundbox-page/control.sock", files: folder, sessions: Sessions(file: file),
///         logger: logger,
///         opened: { print($0) }, ended: { print($0) })
public struct PageServer: Service {
    /// Why the server ended.
    public enum Ending: Sendable, Equatable {
        /// The page is switched off, or the box was away for a minute.
        case notWanted(reason: String)
        case stopped
    }

    /// How long the box may be away before the server ends. systemd starts it again when the box's socket for the page
    /// exists (soundbox-page.path).
    private static let timeout = Duration.seconds(60)
    /// Between two requests for the settings.
    private static let rest = Duration.seconds(5)

    private let socketPath: String
    private let files: String
    private let sessions: Sessions
    private let signIn = SharedSignIn()
    private let logger: Logger
    private let opened: @Sendable ([String]) -> Void
    private let ended: @Sendable (Ending) -> Void

    /// - Parameters:
    ///   - socketPath: the box's control socket.
    ///   - files: the folder of the static files.
    ///   - opened: called with the addresses when the page can be reached.
    ///   - ended: called with the reason at the end. Must not block.
    public init(
        socketPath: String, files: String, sessions: Sessions, logger: Logger,
        opened: @escaping @Sendable ([String]) -> Void, ended: @escaping @Sendable (Ending) -> Void
    ) {
        self.socketPath = socketPath
        self.files = files
        self.sessions = sessions
        self.logger = logger
        self.opened = opened
        self.ended = ended
    }

    public func run() async throws {
        let files = try PageFiles(folder: files)
        let ending = try await cancelWhenGracefulShutdown { try await serve(files) }
        ended(ending)
    }

    private func serve(_ files: PageFiles) async throws -> Ending {
        var isMissingSince: Duration?
        var problem: String?
        while !Task.isCancelled {
            switch await settings() {
            case .success(let settings) where !settings.isEnabled:
                return .notWanted(
                    reason: "the page is switched off; page.enabled: true in soundbox.yaml switches it on")
            case .success(let settings):
                isMissingSince = nil
                do {
                    if let reason = try await serve(settings, files) { return .notWanted(reason: reason) }
                    problem = nil
                } catch {
                    // Retry: a certificate may appear, or the port may become free.
                    if problem != "\(error)" {
                        logger.error("the page is not served", metadata: ["reason": "\(error)"])
                    }
                    problem = "\(error)"
                    await tell(problem)
                    try? await Task.sleep(for: Self.rest)
                }
            case .failure(let error):
                let now = Duration.monotonicNow
                if isMissingSince == nil { logger.notice("waiting for the box", metadata: ["reason": "\(error)"]) }
                isMissingSince = isMissingSince ?? now
                if let since = isMissingSince, now - since >= Self.timeout {
                    return .notWanted(reason: error.reason)
                }
                try? await Task.sleep(for: Self.rest)
            }
        }
        return .stopped
    }

    private func settings() async -> Result<PageSettings, ControlError> {
        do throws(ControlError) {
            let answer = try await ControlClient(socketPath: socketPath).exchange("GET", "page")
            guard answer.status == 200, let settings = PageSettings(decoding: answer.json) else {
                throw ControlError(
                    reason: answer.json["error"]?.string ?? "the box at \(socketPath) is of another version")
            }
            return .success(settings)
        } catch {
            return .failure(error)
        }
    }

    /// Reports to the box why the page is not served; `nil` if it is. Ignores errors: the next report follows soon.
    private func tell(_ problem: String?) async {
        _ = try? await ControlClient(socketPath: socketPath).exchange(
            "PUT", "page", body: .object([("problem", problem.map { .string($0) } ?? .null)]))
    }

    /// Serves until the settings change, or the box was away for ``timeout``.
    /// - Returns: why the box is away; `nil` after a change.
    private func serve(_ settings: PageSettings, _ files: PageFiles) async throws -> String? {
        let handler = PageRequestHandler(
            settings: settings, files: files, sessions: sessions, signIn: signIn,
            box: BoxLink(ControlClient(socketPath: socketPath, timeout: .seconds(15))), logger: logger)
        // A phone keeps its connection. A request for events waits for 8 s.
        let limits = HTTPServer.Limits(
            mostConnections: 64, idleSeconds: 15, lifetime: .seconds(20), renewsLifetime: true)
        let server = try HTTPServer(
            limits: limits, identity: try Self.identity(settings),
            refusal: { PageRequestHandler.refusal($0, "invalid", $1) },
            headers: ["host", "origin", "sec-fetch-site", "content-type", "cookie"],
            admits: { RequestOrigin.isPrivate($0) },
            // The handler reads sessions from the disk, which must not block the shared pool.
            handler: { [thread = ThreadExecutor(name: "handler")] request in
                await withTaskExecutorPreference(thread) { await handler.answer(request) }
            })
        let stamps = Self.stamps(settings)
        let address = ListenAddress(settings.address ?? .v4([0, 0, 0, 0]), port: settings.port)
        return try await withThrowingTaskGroup(of: String?.self) { group in
            group.addTask {
                try await withTaskCancellationHandler {
                    try await server.run(thread: "page") {
                        try TCPListener(address)
                    } whenOpen: {
                        opened(Self.urls(settings))
                    }
                } onCancel: {
                    server.stop()
                }
                return nil
            }
            group.addTask { await self.watch(settings, stamps) }
            let reason = try await group.next() ?? nil
            group.cancelAll()
            try await group.waitForAll()
            return reason
        }
    }

    /// Returns `nil` when the settings or the certificate change, and the reason when the box was away for ``timeout``.
    private func watch(_ settings: PageSettings, _ stamps: [FileStamp?]) async -> String? {
        var lastSeen = Duration.monotonicNow
        try? await Task.sleep(for: Self.rest)
        // The server still runs, so the page is served.
        if !Task.isCancelled { await tell(nil) }
        while !Task.isCancelled {
            try? await Task.sleep(for: Self.rest)
            switch await self.settings() {
            case .success(settings):
                lastSeen = .monotonicNow
                // The certificate was renewed. Wait, because its key may be written a moment later.
                if Self.stamps(settings) != stamps {
                    try? await Task.sleep(for: Self.rest)
                    return nil
                }
            case .success: return nil
            case .failure(let error): if .monotonicNow - lastSeen >= Self.timeout { return error.reason }
            }
        }
        return nil
    }

    private static func stamps(_ settings: PageSettings) -> [FileStamp?] {
        [settings.certificateFile, settings.keyFile].compactMap(\.self).map { FileStamp($0) }
    }

    /// Blocks on the disk.
    private static func identity(_ settings: PageSettings) throws(FileError) -> HTTPServer.Identity? {
        guard let certificate = settings.certificateFile, let key = settings.keyFile else { return nil }
        return HTTPServer.Identity(
            name: "certificate \(certificate) with key \(key)", certificate: try SmallFile.read(certificate),
            key: try SmallFile.read(key))
    }

    private static func urls(_ settings: PageSettings) -> [String] {
        if let address = settings.address { return [settings.url(of: address)] }
        let addresses = NetworkAddress.all().map(\.octets).filter { !InternetAddress.v4($0).isPublic }
        return (addresses.isEmpty ? [[127, 0, 0, 1]] : addresses).map { settings.url(of: .v4($0)) }
    }
}

/// The page's static files, read once: `page.html` as `/`, scripts, styles and pictures beside it, and `words/*.json`.
/// Requests are looked up among these, and never become a path.
struct PageFiles: Sendable {
    private static let types = [
        "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
    ]
    private static let typesOfWords = ["json": "application/json"]

    private var answers: [String: HTTPResponse] = [:]

    /// Blocks on the disk.
    init(folder: String) throws(FileError) {
        answers["/"] = try Self.answer("\(folder)/page.html", type: "text/html; charset=utf-8")
        try add("/", of: folder, Self.types)
        try add("/words/", of: folder, Self.typesOfWords)
    }

    subscript(path: String) -> HTTPResponse? { answers[path] }

    private mutating func add(_ path: String, of folder: String, _ types: [String: String]) throws(FileError) {
        let names: [String]
        do { names = try SmallFile.names(in: folder + path) } catch {
            throw FileError(path: folder + path, problem: "cannot be read: \(error)")
        }
        for name in names {
            guard let type = Self.ending(of: name).flatMap({ types[$0] }) else { continue }
            answers[path + name] = try Self.answer(folder + path + name, type: type)
        }
    }

    /// `nil` for a name that is not letters, digits and `-`, a dot, and lower-case letters: hidden files, an editor's
    /// copies.
    private static func ending(of name: String) -> String? {
        name.wholeMatch(of: /[A-Za-z0-9-]+\.([a-z]+)/).map { String($0.1) }
    }

    private static func answer(_ path: String, type: String) throws(FileError) -> HTTPResponse {
        HTTPResponse(status: 200, contentType: type, body: Array(try SmallFile.read(path).utf8))
    }
}
