import CCurl
import Glibc
import Synchronization

/// One HTTP/1.1 request, by libcurl.
///
///     let request = HTTPFetch("https://example.com/clip.wav", limit: .seconds(10), most: 2 << 20)
///     let answer = try await request.answer(onThreadNamed: "fetch")
///
/// It follows no redirect, uses no proxy, decompresses nothing, and sends no cookie or password, whatever environment
/// and files say. TLS is 1.2 at least and verified against the URL's host.
package struct HTTPFetch: Sendable {
    package var method = "GET"
    package var url: String
    /// Each as `Name: value`. `Name:` removes one that libcurl would send.
    package var headers: [String] = []
    package var body: [UInt8]?
    /// The Unix socket to connect to, whatever the URL says.
    package var unixSocket: String?
    /// The numeric address to connect to, whatever addresses the URL's host has. The connected address is checked again
    /// before anything is sent.
    package var address: String?
    /// PEM file of the trusted authorities; `nil` is the system's list.
    package var authorities: String?
    /// For the whole exchange.
    package var limit: Duration
    /// For connecting, including TLS.
    package var connectLimit: Duration
    /// The largest body, in bytes.
    package var most: Int
    /// Whether to ignore the body of any answer but 200.
    package var readsSuccessOnly = false

    /// - Parameters:
    ///   - limit: for the whole exchange, and for connecting until ``connectLimit`` is set.
    ///   - most: the largest body, in bytes.
    package init(_ method: String = "GET", _ url: String, limit: Duration, most: Int) {
        self.method = method
        self.url = url
        self.limit = limit
        connectLimit = limit
        self.most = most
    }

    /// Blocks until there is an answer or the limit has passed.
    package func answer() throws(HTTPFailure) -> HTTPAnswer { try HTTPExchange().run(self).get() }

    /// Suspends until there is an answer, the limit has passed or the task is cancelled; the last two end the
    /// connection. Any task.
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
    /// The `Location` header as it was sent; not checked.
    package var location: String?
    package var body: [UInt8]
}

/// Why there is no answer. The texts are for people.
package enum HTTPFailure: Error, Sendable, Equatable {
    /// The answer's head did not come. Includes the system's error if no connection was made.
    case notReached(String, SystemError?)
    case timedOut
    case cancelled
    /// The body is larger than the limit.
    case tooLarge
    /// The head came, and the body was cut off.
    case cutOff(String, after: Int)
}

/// Shared by the requesting thread and the code that cancels it.
private final class HTTPExchange: Sendable {
    /// Sendable because only cancelling happens on other threads.
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

    /// Blocks until there is an answer, the limit has passed or it is cancelled.
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
        // Never empty, so that an empty body has an address as well.
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
                // 0 would mean no limit.
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

/// The seconds since 1970 of a date such as `Tue, 26 Jan 2027 15:06:40 UTC`; `nil` for anything else. Any thread; never
/// blocks.
public func secondsSince1970(ofDate text: String) -> Int64? {
    let seconds = soundbox_http_date(text)
    return seconds < 0 ? nil : Int64(seconds)
}
