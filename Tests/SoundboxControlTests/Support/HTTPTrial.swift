import Logging
import SoundboxSystem
import Synchronization
import TestSupport

@testable import SoundboxControl

/// An HTTP server on a socket of its own, which tells its clients what it has understood.
final class HTTPTrial: Sendable {
    let socketPath: String
    let log = Journal<String>()
    /// Every request that was handled, in order.
    let requests = Journal<HTTPRequest>()
    /// What `/slow` waits for.
    let slowness = OneTimeSignal()
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        socketPath = folder.file("http.sock")
    }

    /// Nobody is let go for the time that a busy machine takes.
    static let patient = HTTPServer.Limits(idleSeconds: 300, lifetime: .seconds(300))

    func run(_ limits: HTTPServer.Limits = patient, _ body: @Sendable (HTTPServer) async throws -> Void) async throws {
        let server = try HTTPServer(
            limits: limits, refusal: { Self.response($1, status: $0) }
        ) { [requests, slowness] request in
            requests.append(request)
            if request.path == "/slow" { await slowness.wait() }
            return Self.response("\(request.method) \(request.path) \(String(decoding: request.body, as: UTF8.self))")
        }
        let isOpen = OneTimeSignal()
        let logger = Logger(label: "test") { [log] _ in JournalLogHandler(journal: log) }
        async let ending: Void = server.run(thread: "http-trial") { [socketPath] in
            try ControlSocket(path: socketPath, logger: logger)
        } whenOpen: {
            isOpen.signal()
        }
        await isOpen.wait()
        let failure: (any Error)?
        do {
            try await body(server)
            failure = nil
        } catch { failure = error }
        server.stop()
        try await ending
        slowness.signal()
        if let failure { throw failure }
    }

    func connect() async throws -> UnixConnection { try await .opened(to: socketPath) }

    /// - Parameter end: the headers, the empty line after them, and the body.
    func send(_ line: String, _ end: String = "\r\n") async throws -> (
        connection: UnixConnection, answer: Journal<String>
    ) {
        let connection = try await connect()
        let answer = connection.received()
        connection.send("\(line)\r\nHost: box\r\n\(end)")
        return (connection, answer)
    }

    /// What a request is answered whose connection is closed then.
    func ask(_ line: String, _ end: String = "\r\n") async throws -> String {
        try await send(line, "Connection: close\r\n\(end)").answer.all().joined()
    }

    /// A client as any other is served.
    func serves() async throws -> Bool { try await ask("GET /next HTTP/1.1").hasSuffix("GET /next ") }

    private static func response(_ text: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(status: status, contentType: "text/plain", body: Array(text.utf8))
    }
}
