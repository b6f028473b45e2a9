import SoundboxSystem
import Synchronization

/// An HTTP server on one thread, by libmicrohttpd, that keeps its connections few and short: a program that opens and
/// forgets them takes neither the descriptors of this process nor its time.
///
/// A new connection is always served. The oldest makes room for it, since one that is still there is idle or slow.
/// Requests are answered by Swift's tasks, so a slow answer holds up nobody.
package final class HTTPServer: Sendable {
    package struct Limits: Sendable {
        /// One is used by a person, and a few more by programs that watch.
        package var mostConnections: Int
        /// Without a byte from the client.
        package var idleSeconds: UInt32
        /// From the first byte to the last, however slowly they come. An answer may wait for a slow disk.
        package var lifetime: Duration
        /// Whether that begins anew behind each answer, for clients that keep their connection, and with each piece of one.
        package var renewsLifetime: Bool
        /// For an answer that is on its way when the server is stopped.
        package var farewell: Duration
        /// Bytes of a request's body.
        package var longestBody: Int
        package var mostHeaders = 64
        /// Bytes of memory of each connection. Target and headers of a request share it with libmicrohttpd's own needs.
        package var memory = 18_432
        /// Between attempts to accept a connection while the process has no descriptor left for it. Otherwise the thread
        /// would try as fast as the processor can.
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

    /// With which it serves HTTPS, in PEM.
    package struct Identity: Sendable {
        /// For whoever has to look after it.
        package var name: String
        package var certificate: String
        package var key: String

        package init(name: String, certificate: String, key: String) {
            (self.name, self.certificate, self.key) = (name, certificate, key)
        }
    }

    package typealias Handler = @Sendable (HTTPRequest) async -> HTTPResponse

    let limits: Limits
    /// What a request is answered that no handler is shown: it is too long, or can be read in two ways. What is too long for
    /// the memory, or no HTTP, is answered by libmicrohttpd, in words of its own.
    let refusal: @Sendable (_ status: Int, _ reason: String) -> HTTPResponse
    let handler: Handler
    let mailbox: Mailbox
    /// The headers of a request that the handler is told, in small letters.
    let headers: [String]
    let identity: Identity?
    /// Whether a connection that was accepted is served. Called on the server's thread; must not block.
    let admits: @Sendable (_ descriptor: Int32) -> Bool

    /// What the server's thread is told.
    enum Mail: Sendable {
        case answer(exchange: UInt64, HTTPResponse)
        /// What follows of an answer; `nil` is its end.
        case piece(exchange: UInt64, Result<[UInt8]?, any Error>)
        case stop
    }

    /// Any thread may post, and the server's thread alone takes.
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
        headers: [String] = [], admits: @escaping @Sendable (_ descriptor: Int32) -> Bool = { _ in true },
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

    /// Serves until it is told to ``stop()``, also when it was told so before. To be called once.
    ///
    /// - Parameters:
    ///   - thread: shown by `top -H`.
    ///   - listening: makes what connections come from; called on that thread, and so is everything of what it makes.
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

    /// Lets go whoever is idle or has half asked; answers that are on their way have the time of the farewell. Any thread.
    package func stop() { mailbox.post(.stop) }
}

/// What the connections of a server come from. Used by the server's thread only.
package protocol HTTPListener: AnyObject {
    /// Listens, and never blocks. May change in ``lookAfterItself()``; `nil` when there is nothing to listen on.
    var descriptor: Int32? { get }
    /// Readable when the listener wants to look after itself.
    var watch: Int32? { get }
    func lookAfterItself()
    /// Takes no more connections. Harmless when called again.
    func close()
}
