/// A request that programs on this machine may send through the control socket, and its handler.
///
///     ControlRoute(.post, "trial", isForPhones: true) { _ in
///         requests.say(.greeting)
///         return .json(.object([("trial", .bool(true))]))
///     }
public struct ControlRoute: Sendable, CustomStringConvertible {
    public enum Method: String, Sendable {
        case get = "GET"
        case put = "PUT"
        case post = "POST"
    }

    public var method: Method
    /// `history`; one word, without a slash.
    public var path: String
    /// Whether a phone that is signed in at the shop's page may use it: `GET` with the role to look, the others with
    /// the role to change.
    public var isForPhones: Bool
    /// May take some time, and must not block. A ``ControlRefusal`` that it throws determines the status code; any
    /// other error is a bad request.
    public var answer: @Sendable (ControlRequest) async throws -> ControlAnswer

    public init(
        _ method: Method, _ path: String, isForPhones: Bool = false,
        answer: @escaping @Sendable (ControlRequest) async throws -> ControlAnswer
    ) {
        (self.method, self.path, self.isForPhones, self.answer) = (method, path, isForPhones, answer)
    }

    /// `GET /history`
    public var description: String { "\(method.rawValue) /\(path)" }
}

/// A request to a ``ControlRoute``.
public struct ControlRequest: Sendable {
    /// In their order, a name as often as it was sent.
    public var query: [(name: String, value: String)]
    public var body: [UInt8]

    public init(query: [(name: String, value: String)] = [], body: [UInt8] = []) {
        (self.query, self.body) = (query, body)
    }

    /// The body's JSON; `nil` without a body.
    public var json: JSONValue? {
        get throws { body.isEmpty ? nil : try JSONValue(parsing: body) }
    }
}

/// The answer of a ``ControlRoute``.
public enum ControlAnswer: Sendable {
    case json(JSONValue)
    /// Written as ``PrometheusText``.
    case metrics([MetricFamily])
}

/// Why the box does not do what a program on this machine asks of it.
public struct ControlRefusal: Error, Sendable, Equatable, CustomStringConvertible {
    /// For programs; `reason` is for people.
    public enum Cause: String, Sendable {
        /// The request is not valid.
        case invalid
        /// There is no such notice.
        case unknown
        /// It has not been announced yet, or was cancelled.
        case untold
        /// The box is muted, or its volume is 0.
        case muted
        /// It is quiet hours.
        case quiet
        /// The voice has no words for it.
        case unspeakable
        /// The same was asked a moment ago.
        case busy
        /// The current day is not known.
        case undated
        /// The disk refuses.
        case fault
    }

    public var cause: Cause
    public var reason: String
    public var description: String { reason }

    public init(_ cause: Cause, _ reason: String) { (self.cause, self.reason) = (cause, reason) }
}
