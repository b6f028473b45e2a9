/// What others on this machine may ask of a box by its control socket, and what answers it.
///
/// ```swift
/// ControlRoute(.post, "trial", isForPhones: true) { _ in
///     requests.say(.greeting)
///     return .json(.object([("trial", .bool(true))]))
/// }
/// ```
public struct ControlRoute: Sendable, CustomStringConvertible {
    public enum Method: String, Sendable {
        case get = "GET"
        case put = "PUT"
        case post = "POST"
    }

    public var method: Method
    /// `history`; one word, without a slash.
    public var path: String
    /// Whether a phone that has signed in at the shop's page may use it: to look with `GET`, to change with the others.
    public var isForPhones: Bool
    /// May take some time, and must not block. A ``ControlRefusal`` that it throws says which status is answered; any
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

/// What is asked of a ``ControlRoute``.
public struct ControlRequest: Sendable {
    /// In their order, a name as often as it was sent.
    public var query: [(name: String, value: String)]
    public var body: [UInt8]

    public init(query: [(name: String, value: String)] = [], body: [UInt8] = []) {
        (self.query, self.body) = (query, body)
    }

    /// Of the body; `nil` where there is none.
    public var json: JSONValue? {
        get throws { body.isEmpty ? nil : try JSONValue(parsing: body) }
    }
}

/// What a ``ControlRoute`` answers.
public enum ControlAnswer: Sendable {
    case json(JSONValue)
    /// As ``PrometheusText``.
    case metrics([MetricFamily])
}
