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
            limits: limits, refusal: { Self.response($1, status: $0) }, headers: ["x"]
        ) { [requests, slowness] request in
            requests.append(request)
            if request.path == "/slow" { await slowness.wait() }
            if let count = request.query.first(where: { $0.name == "pieces" }).flatMap({ Int($0.value) }) {
                return Self.pieces(count, isWhole: request.path == "/whole")
            }
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

    static let piece = [UInt8](repeating: 120, count: 100_000)

    /// An answer in pieces, which breaks off unless it is whole.
    private static func pieces(_ count: Int, isWhole: Bool) -> HTTPResponse {
        struct BrokenOff: Error {}
        var response = response("")
        let left = Mutex(count)
        response.rest = {
            let isLeft = left.withLock { left in
                left -= 1
                return left >= 0
            }
            if !isLeft, !isWhole { throw BrokenOff() }
            return isLeft ? Self.piece : nil
        }
        return response
    }

    private static func response(_ text: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(status: status, contentType: "text/plain", body: Array(text.utf8))
    }
}
