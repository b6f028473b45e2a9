import SoundboxSystem
import Synchronization

/// An HTTP server on one thread, by libmicrohttpd, with few and short connections: a program that opens connections and
/// forgets them exhausts neither the descriptors of this process nor its time.
///
///     let server = try HTTPServer(refusal: { status, reason in
///         HTTPResponse(status: status, contentType: "text/plain", body: Array(reason.utf8))
///     }, handler: answer)
///     try await server.run(thread: "metrics") { try TCPListener(address) } whenOpen: {}
///
/// A new connection makes room for itself: the one that has been idle for the longest goes.
/// Requests are answered in Swift tasks, so a slow answer delays no other.
package final class HTTPServer: Sendable {
    package struct Limits: Sendable {
        /// One is used by a person, and a few more by monitoring programs.
        package var mostConnections: Int
        /// Without a byte from the client.
        package var idleSeconds: UInt32
        /// From the first byte to the last, however slowly they come. An answer may wait for a slow disk.
        package var lifetime: Duration
        /// Whether ``lifetime`` restarts after each answer, for clients that keep their connection, and with each piece
        /// of one.
        package var renewsLifetime: Bool
        /// For an answer that is on its way when the server is stopped.
        package var farewell: Duration
        /// Bytes of a request's body.
        package var longestBody: Int
        package var mostHeaders = 64
        /// Whether a new connection waits while all others wait for answers. Otherwise the one that waits for the longest
        /// goes, so that answers that never come shut nobody out.
        package var waitsForAnswers = false
        /// Bytes of memory for each connection. Target and headers of a request share it with libmicrohttpd's own data.
        package var memory = 18_432
        /// Between attempts to accept a connection while the process has no descriptor left. Otherwise the thread would
        /// try again without pause.
        var rest = Duration.seconds(1)

        package init(
            mostConnections: Int = 8, idleSeconds: UInt32 = 5, lifetime: Duration = .seconds(10),
            renewsLifetime: Bool = false, farewell: Duration = .milliseconds(500), longestBody: Int = 4096
        ) {
            self.mostConnections = mostConnections
            self.idleSeconds = idleSeconds
            self.lifetime = lifetime
            self.renewsLifetime = renewsLifetime
            self.farewell = farewell
            self.longestBody = longestBody
        }
    }

    /// The server's certificate and key for HTTPS, in PEM.
    package struct Identity: Sendable {
        /// For log messages.
        package var name: String
        package var certificate: String
        package var key: String

        package init(name: String, certificate: String, key: String) {
            (self.name, self.certificate, self.key) = (name, certificate, key)
        }
    }

    package typealias Handler = @Sendable (HTTPRequest) async -> HTTPResponse

    let limits: Limits
    /// Makes the answer to a request that no handler gets: it is too long, or can be read in two ways. A request that
    /// is too long for the memory, or no HTTP, is answered by libmicrohttpd itself.
    let refusal: @Sendable (_ status: Int, _ reason: String) -> HTTPResponse
    let handler: Handler
    let mailbox: Mailbox
    /// The headers that the handler gets, in lower case. Called with each request.
    let headers: @Sendable () -> [String]
    let identity: Identity?
    /// Whether to serve an accepted connection. Called on the server's thread; must not block.
    let admits: @Sendable (_ descriptor: Int32) -> Bool

    /// A message to the server's thread.
    enum Mail: Sendable {
        case answer(exchange: UInt64, HTTPResponse)
        /// The next piece of an answer; `nil` is its end.
        case piece(exchange: UInt64, Result<[UInt8]?, any Error>)
        case stop
    }

    /// Any thread may post; only the server's thread takes.
    final class Mailbox: Sendable {
        private let wakeUp: WakeUp
        private let mail = Mutex<[Mail]>([])

        init() throws(SystemError) { wakeUp = try WakeUp() }

        /// For `poll`.
        var descriptor: Int32 { wakeUp.descriptor }

        func post(_ one: Mail) {
            mail.withLock { $0.append(one) }
            wakeUp.signal()
        }

        func takeAll() -> [Mail] {
            wakeUp.clear()
            return mail.withLock { mail in
                defer { mail = [] }
                return mail
            }
        }
    }

    /// - Throws: when the process has no descriptor left.
    package init(
        limits: Limits = Limits(), identity: Identity? = nil,
        refusal: @escaping @Sendable (_ status: Int, _ reason: String) -> HTTPResponse,
        headers: @escaping @autoclosure @Sendable () -> [String] = [],
        admits: @escaping @Sendable (_ descriptor: Int32) -> Bool = { _ in true },
        handler: @escaping Handler
    ) throws(SystemError) {
        self.headers = headers
        self.identity = identity
        self.admits = admits
        self.limits = limits
        self.refusal = refusal
        self.handler = handler
        mailbox = try Mailbox()
    }

    /// Serves until ``stop()``, also if that was called before. Call it once.
    ///
    /// - Parameters:
    ///   - thread: shown by `top -H`.
    ///   - listening: makes the listener. Called on the server's thread, like all methods of the listener.
    ///   - whenOpen: called once when clients may come.
    package func run(
        thread: String, listening: @escaping @Sendable () throws -> any HTTPListener,
        whenOpen: @escaping @Sendable () -> Void
    ) async throws {
        try await onOwnThread(named: thread) {
            let listener = try listening()
            defer { listener.close() }
            let loop = try HTTPLoop(self, listener)
            whenOpen()
            loop.run()
        }
    }

    /// Closes idle connections and those with half a request. Answers on their way have ``Limits/farewell`` to finish.
    /// Any thread; never blocks.
    package func stop() { mailbox.post(.stop) }
}

/// Where the connections of a server come from. Used by the server's thread only.
package protocol HTTPListener: AnyObject {
    /// Listens, and never blocks. May change in ``restoreIfRemoved()``; `nil` while there is nothing to listen on.
    var descriptor: Int32? { get }
    /// Readable when ``restoreIfRemoved()`` should be called.
    var watch: Int32? { get }
    /// Makes a socket that somebody has removed anew.
    func restoreIfRemoved()
    /// Accepts no more connections. Harmless when called again.
    func close()
}
