import CCurl
import Glibc
import Synchronization

/// One question by HTTP/1.1, asked by libcurl.
///
/// No redirect is followed, no proxy asked, nothing decompressed, and no cookie or password sent, whatever environment and
/// files say. TLS is 1.2 at least and verified against the URL's host.
package struct HTTPFetch: Sendable {
    package var method = "GET"
    package var url: String
    /// Each as `Name: value`. `Name:` leaves out one that libcurl would send by itself.
    package var headers: [String] = []
    package var body: [UInt8]?
    /// The socket in the file system that is asked, whatever the URL says.
    package var unixSocket: String?
    /// The numeric address that is asked, whatever addresses the URL's host has. That the connection leads there is checked
    /// once more before anything is sent.
    package var address: String?
    /// PEM file of the authorities that are believed; `nil` is the system's list.
    package var authorities: String?
    /// For the whole.
    package var limit: Duration
    /// For connecting, TLS included.
    package var connectLimit: Duration
    /// Of the body, in bytes.
    package var most: Int
    /// Whether the body of any answer but 200 is left unread.
    package var readsSuccessOnly = false

    /// - Parameters:
    ///   - limit: for the whole, and for connecting until something else is said.
    ///   - most: bytes of the body.
    package init(_ method: String = "GET", _ url: String, limit: Duration, most: Int) {
        self.method = method
        self.url = url
        self.limit = limit
        connectLimit = limit
        self.most = most
    }

    /// Blocks until the answer is there or the limit has passed.
    package func answer() throws(HTTPFailure) -> HTTPAnswer { try HTTPExchange().run(self).get() }

    /// Suspends until the answer is there, the limit has passed or the task is cancelled; both of the last end the connection.
    /// - Parameter name: of the thread.
    package func answer(onThreadNamed name: String) async throws(HTTPFailure) -> HTTPAnswer {
        let exchange = HTTPExchange()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                startThread(named: name) { continuation.resume(returning: exchange.run(self)) }
            }
        } onCancel: {
            exchange.cancel()
        }
        return try result.get()
    }
}

package struct HTTPAnswer: Sendable {
    package var status: Int
    /// Where the answer sends its reader, as it stands there; not checked.
    package var location: String?
    package var body: [UInt8]
}

/// Why there is no answer. The texts are for people.
package enum HTTPFailure: Error, Sendable, Equatable {
    /// No head of an answer came. With the system's error where the connection itself was not made.
    case notReached(String, SystemError?)
    case timedOut
    case cancelled
    /// The body is larger than was allowed.
    case tooLarge
    /// The head came, and no end of the body.
    case cutOff(String, after: Int)
}

/// What the asking thread and whoever gives up share.
private final class HTTPExchange: Sendable {
    /// Sendable because cancelling is for any thread, and everything else is the asking thread's.
    private struct Handle: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    private struct State {
        var handle: Handle?
        var isCancelled = false
    }

    private let state = Mutex(State())

    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            if let handle = state.handle { soundbox_http_cancel(handle.pointer) }
        }
    }

    /// Blocks until the answer is there, the limit has passed or it is cancelled.
    func run(_ request: HTTPFetch) -> Result<HTTPAnswer, HTTPFailure> {
        var error = soundbox_http_error()
        guard let pointer = Self.make(request, &error) else { return .failure(HTTPFailure(error, after: 0)) }
        let handle = Handle(pointer: pointer)
        defer {
            state.withLock { $0.handle = nil }
            soundbox_http_free(pointer)
        }
        let isCancelled = state.withLock { state in
            state.handle = handle
            return state.isCancelled
        }
        guard !isCancelled else { return .failure(.cancelled) }
        let isAnswered = soundbox_http_run(pointer, &error)
        var size = 0
        let bytes = soundbox_http_body(pointer, &size)
        guard isAnswered else { return .failure(HTTPFailure(error, after: size)) }
        return .success(
            HTTPAnswer(
                status: Int(soundbox_http_status(pointer)),
                location: soundbox_http_location(pointer).map { String(cString: $0) },
                body: Array(UnsafeRawBufferPointer(start: bytes, count: size))))
    }

    private static func make(_ request: HTTPFetch, _ error: inout soundbox_http_error) -> OpaquePointer? {
        var texts: [UnsafeMutablePointer<CChar>?] = []
        defer { for text in texts { free(text) } }
        func copy(_ text: String?) -> UnsafePointer<CChar>? {
            guard let text else { return nil }
            let copy = strdup(text)
            texts.append(copy)
            return UnsafePointer(copy)
        }
        // Never empty, so that a body without bytes has an address as well.
        let body = (request.body ?? []) + [0]
        let headers = request.headers.map { copy($0) } + [nil]
        return headers.withUnsafeBufferPointer { headers in
            body.withUnsafeBytes { body in
                var asked = soundbox_http_request()
                asked.url = copy(request.url)
                asked.method = copy(request.method)
                asked.headers = headers.baseAddress
                asked.body = request.body == nil ? nil : body.baseAddress
                asked.body_size = body.count - 1
                asked.unix_socket = copy(request.unixSocket)
                asked.address = copy(request.address)
                asked.authorities = copy(request.authorities)
                // 0 would mean for ever.
                asked.milliseconds = max(1, Int(request.limit.pollMilliseconds))
                asked.connect_milliseconds = max(1, Int(request.connectLimit.pollMilliseconds))
                asked.most_bytes = request.most
                asked.reads_success_only = request.readsSuccessOnly
                return soundbox_http_new(&asked, &error)
            }
        }
    }
}

extension HTTPFailure {
    fileprivate init(_ error: soundbox_http_error, after size: Int) {
        let text = withUnsafeBytes(of: error.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        self =
            switch error.failure {
            case SOUNDBOX_HTTP_TIMED_OUT: .timedOut
            case SOUNDBOX_HTTP_CANCELLED: .cancelled
            case SOUNDBOX_HTTP_TOO_LARGE: .tooLarge
            case SOUNDBOX_HTTP_CUT_OFF: .cutOff(text, after: size)
            default: .notReached(text, error.code == 0 ? nil : SystemError(code: error.code))
            }
    }
}
