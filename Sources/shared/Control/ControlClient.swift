import Glibc
import SoundboxCore
import SoundboxSystem

/// Talks to the running box through its control socket.
///
///     let client = ControlClient(socketPath: "/run/soundbox/control.sock")
///     let status = try await client.status()
///     _ = try await client.setVolume("up")
///
/// Any task; never blocks.
public struct ControlClient: Sendable {
    /// The most bytes of an answer that are read.
    private static let mostBytes = 1 << 20

    private let socketPath: String
    /// For errors. The relative path is used for connecting: a socket's path has at most 107 bytes.
    private let shownPath: String
    /// For the whole exchange. A box that hangs in the middle of its answer has not answered.
    private let timeout: Duration

    /// - Parameter timeout: for the whole exchange.
    public init(socketPath: String, timeout: Duration = .seconds(10)) {
        self.socketPath = socketPath
        shownPath = SmallFile.absolute(socketPath)
        self.timeout = timeout
    }

    /// The box's status as JSON.
    public func statusJSON() async throws(ControlError) -> JSONValue {
        try await send("GET", "status")
    }

    /// The box's status.
    public func status() async throws(ControlError) -> BoxStatus {
        guard let status = BoxStatus(decoding: try await statusJSON()) else {
            throw ControlError(reason: "the box at \(shownPath) told no state; is it of another version?")
        }
        return status
    }

    /// Speaks the last payment again, after the current announcement.
    public func replay() async throws(ControlError) {
        _ = try await send("POST", "replay", body: [])
    }

    /// The volume, `volume` from 0 to 100, and whether the box is `muted`.
    public func volume() async throws(ControlError) -> JSONValue {
        try await send("GET", "volume")
    }

    /// Sets the volume, also of what is playing.
    /// - Parameter change: a number from 0 to 100, `up`, `down`, `mute` or `unmute`.
    /// - Returns: as ``volume()``.
    public func setVolume(_ change: String) async throws(ControlError) -> JSONValue {
        let value = Int(change).map { JSONValue.integer($0) } ?? .string(change)
        return try await send("PUT", "volume", body: JSONValue.object([("volume", value)]).bytes)
    }

    /// A part of the history; see the box's answer to `GET /history`.
    /// - Parameter parameters: as ``HistoryQuery`` reads them.
    public func history(_ parameters: [(name: String, value: String)]) async throws(ControlError) -> JSONValue {
        try await send("GET", "history", parameters)
    }

    /// A part of the totals; see the box's answer to `GET /totals`.
    /// - Parameter parameters: as ``HistoryQuery`` reads them.
    public func totals(_ parameters: [(name: String, value: String)]) async throws(ControlError) -> JSONValue {
        try await send("GET", "totals", parameters)
    }

    /// The box's metrics, in the text format of Prometheus; see ``PrometheusText``.
    public func metrics() async throws(ControlError) -> String {
        let answer = try await fetch("GET", "metrics")
        guard answer.status == 200 else { throw refusal(try? JSONValue(parsing: answer.body)) }
        return String(decoding: answer.body, as: UTF8.self)
    }

    /// One request as it is, for a caller that passes the answer on.
    /// - Returns: the status and the JSON of the answer, whatever it says.
    package func exchange(
        _ method: String, _ path: String, _ parameters: [(name: String, value: String)] = [], body: JSONValue? = nil
    ) async throws(ControlError) -> (status: Int, json: JSONValue) {
        let answer = try await fetch(method, path, parameters, body: method == "GET" ? nil : body?.bytes ?? [])
        do { return (answer.status, try JSONValue(parsing: answer.body)) } catch {
            throw ControlError(reason: noAnswer("\(error)"))
        }
    }

    private func send(
        _ method: String, _ path: String, _ parameters: [(name: String, value: String)] = [], body: [UInt8]? = nil
    ) async throws(ControlError) -> JSONValue {
        let answer = try await fetch(method, path, parameters, body: body)
        let json: JSONValue
        do { json = try JSONValue(parsing: answer.body) } catch { throw ControlError(reason: noAnswer("\(error)")) }
        guard answer.status == 200 else { throw refusal(json) }
        return json
    }

    private func refusal(_ json: JSONValue?) -> ControlError {
        ControlError(reason: json?["error"]?.string ?? "the box at \(shownPath) refused")
    }

    private func fetch(
        _ method: String, _ path: String, _ parameters: [(name: String, value: String)] = [], body: [UInt8]? = nil
    ) async throws(ControlError) -> HTTPAnswer {
        let query = parameters.map { "\($0.name)=\(percentEncoded($0.value))" }.joined(separator: "&")
        var request = HTTPFetch(
            method, "http://box/\(path)\(query.isEmpty ? "" : "?\(query)")", limit: timeout, most: Self.mostBytes)
        request.unixSocket = socketPath
        // One request for each connection. libcurl would call the body a form, and would ask before it sends a long
        // one.
        request.headers = ["Connection: close", "Content-Type:", "Expect:"]
        request.body = body
        do throws(HTTPFailure) { return try await request.answer(onThreadNamed: "control-client") } catch {
            throw ControlError(reason: reason(error), meansNoBox: meansNoBox(error))
        }
    }

    /// What a person should do about it; libcurl would only say that connecting failed.
    private func reason(_ failure: HTTPFailure) -> String {
        switch failure {
        case .notReached(_, .some(SystemError(code: EACCES))), .notReached(_, .some(SystemError(code: EPERM))):
            "\(shownPath): permission denied; use sudo, or join the group soundbox"
        case .notReached(_, .some): "no soundbox is running at \(shownPath); start it with: soundbox run"
        case .notReached(let text, nil): noAnswer(text)
        case .timedOut: "the box at \(shownPath) did not answer within \(timeout)"
        case .cancelled: noAnswer("it was not waited for")
        case .tooLarge: noAnswer("its answer is larger than \(Self.mostBytes) bytes")
        case .cutOff(let text, let count): noAnswer("it was cut off after \(count) bytes: \(text)")
        }
    }

    private func meansNoBox(_ failure: HTTPFailure) -> Bool {
        switch failure {
        case .notReached(_, .some(SystemError(code: ENOENT))), .notReached(_, .some(SystemError(code: ECONNREFUSED))):
            true
        default: false
        }
    }

    private func noAnswer(_ reason: String) -> String { "the box at \(shownPath) did not answer: \(reason)" }

    private func percentEncoded(_ path: String) -> String {
        path.utf8.reduce(into: "") { result, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                result += "%" + (digits.count == 1 ? "0" : "") + digits
            }
        }
    }
}
