import AsyncHTTPClient
import Glibc
import NIOCore
import NIOHTTP1
import SoundboxCore
import SoundboxSystem

/// Talks to the running box through its control socket.
public struct ControlClient: Sendable {
    private let socketPath: String
    /// For a whole exchange. A box that hangs in the middle of its answer has not answered.
    private let patience: Duration

    /// - Parameter patience: how long the whole of an answer may take.
    public init(socketPath: String, patience: Duration = .seconds(10)) {
        self.socketPath = socketPath
        self.patience = patience
    }

    /// What the box is doing, as it says it.
    public func statusJSON() async throws(ControlError) -> JSONValue {
        try await send(.GET, "status")
    }

    /// What the box is doing.
    public func status() async throws(ControlError) -> BoxStatus {
        guard let status = BoxStatus(decoding: try await statusJSON()) else {
            throw ControlError(reason: "the box at \(socketPath) told no state; is it of another version?")
        }
        return status
    }

    /// Speaks the last payment once more, after what is being announced.
    public func replay() async throws(ControlError) {
        _ = try await send(.POST, "replay")
    }

    /// The volume, `volume` from 0 to 100, and whether the box is `muted`.
    public func volume() async throws(ControlError) -> JSONValue {
        try await send(.GET, "volume")
    }

    /// Sets the volume; acts on what is playing.
    /// - Parameter change: a number from 0 to 100, `up`, `down`, `mute` or `unmute`.
    /// - Returns: as ``volume()``.
    public func setVolume(_ change: String) async throws(ControlError) -> JSONValue {
        let value = Int(change).map { JSONValue.integer($0) } ?? .string(change)
        return try await send(.PUT, "volume", body: .object([("volume", value)]))
    }

    /// A part of the history; see the box's answer to `GET /history`.
    /// - Parameter parameters: as ``HistoryQuery`` reads them.
    public func history(_ parameters: [(name: String, value: String)]) async throws(ControlError) -> JSONValue {
        try await send(.GET, "history", parameters)
    }

    /// A part of the totals; see the box's answer to `GET /totals`.
    /// - Parameter parameters: as ``HistoryQuery`` reads them.
    public func totals(_ parameters: [(name: String, value: String)]) async throws(ControlError) -> JSONValue {
        try await send(.GET, "totals", parameters)
    }

    private func send(
        _ method: HTTPMethod, _ path: String, _ parameters: [(name: String, value: String)] = [],
        body: JSONValue? = nil
    ) async throws(ControlError) -> JSONValue {
        try checkSocket()
        let query = parameters.map { "\($0.name)=\(percentEncoded($0.value))" }.joined(separator: "&")
        var request = HTTPClientRequest(
            url: "http+unix://\(percentEncoded(socketPath))/\(path)\(query.isEmpty ? "" : "?\(query)")")
        // The box keeps no connection for long, and might close this one just as the next question is asked.
        request.headers.add(name: "Connection", value: "close")
        request.method = method
        if let body { request.body = .bytes(body.bytes) }
        let answer: (isOK: Bool, json: JSONValue)
        do {
            guard let (isOK, bytes) = try await exchange(request) else {
                throw ControlError(reason: "the box at \(socketPath) did not answer within \(patience)")
            }
            answer = (isOK, try JSONValue(parsing: bytes))
        } catch let error as ControlError {
            throw error
        } catch {
            throw ControlError(reason: "the box at \(socketPath) did not answer: \(error)")
        }
        guard answer.isOK else {
            throw ControlError(reason: answer.json["error"]?.string ?? "the box at \(socketPath) refused")
        }
        return answer.json
    }

    /// - Returns: `nil` when it took too long.
    private func exchange(_ request: HTTPClientRequest) async throws -> (isOK: Bool, bytes: [UInt8])? {
        try await withThrowingTaskGroup(of: (isOK: Bool, bytes: [UInt8])?.self) { [patience] group in
            defer { group.cancelAll() }
            group.addTask {
                // The time-out of the client ends with the head of the answer.
                let response = try await HTTPClient.shared.execute(request, timeout: .hours(1))
                let body = try await response.body.collect(upTo: 1 << 20)
                return (response.status == .ok, Array(body.readableBytesView))
            }
            group.addTask {
                try await Task.sleep(for: patience)
                return nil
            }
            return try await group.next() ?? nil
        }
    }

    /// Says what a person must do about it; the HTTP client would only say that connecting failed.
    private func checkSocket() throws(ControlError) {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        guard withUnixAddress(socketPath, { connect(descriptor, $0, $1) }) != 0 else { return }
        switch errno {
        case EACCES, EPERM:
            throw ControlError(reason: "\(socketPath): permission denied; use sudo, or join the group soundbox")
        default:
            throw ControlError(reason: "no soundbox is running at \(socketPath); start it with: soundbox run")
        }
    }

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
