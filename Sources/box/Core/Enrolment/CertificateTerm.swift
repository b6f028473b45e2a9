/// How long a certificate is valid, and when to request the next one.
///
///     let term = CertificateTerm(begin: begin, end: end)
///     let isDue = now >= term.renewal(spread: 0.25)
public struct CertificateTerm: Sendable, Equatable {
    public var begin, end: Timestamp

    public init(begin: Timestamp, end: Timestamp) {
        self.begin = begin
        self.end = end
    }

    /// When to request a new one: with a third of the term left, or up to a twelfth earlier, so that the boxes of one
    /// batch do not all ask on one day.
    ///
    /// - Parameter spread: this box's share of the twelfth, 0 up to 1.
    public func renewal(spread: Double) -> Timestamp {
        Timestamp(millisecondsSince1970: end.millisecondsSince1970 - Int64(length * (4 + min(max(spread, 0), 1)) / 12))
    }

    /// When somebody should look into it: a tenth of the term is left, and no new certificate has come.
    public var alarm: Timestamp { Timestamp(millisecondsSince1970: end.millisecondsSince1970 - Int64(length / 10)) }

    private var length: Double { Double(max(0, end.millisecondsSince1970 - begin.millisecondsSince1970)) }
}

/// What a box reports about the certificate that it renews.
public struct CertificateStatus: Sendable, Equatable {
    /// When it ends.
    public var end: Timestamp
    /// The signing request (PKCS #10, PEM) for the next one; `nil` while none is due.
    public var request: String?
    /// Why the next certificate was not kept, or cannot be requested.
    public var problem: String?

    public init(end: Timestamp, request: String? = nil, problem: String? = nil) {
        self.end = end
        self.request = request
        self.problem = problem
    }

    var json: JSONValue {
        .object(
            [("not_after", .string("\(end)"))] + (request.map { [("request", .string($0))] } ?? [])
                + (problem.map { [("problem", .string($0))] } ?? []))
    }

    init?(decoding json: JSONValue) {
        guard let end = json["not_after"]?.string.flatMap(Timestamp.init(rfc3339:)) else { return nil }
        self.init(end: end, request: json["request"]?.string, problem: json["problem"]?.string)
    }

    var summary: String {
        "until \(end.description.prefix(10))\(request == nil ? "" : ", the next one is asked for")\(problem.map { "; \($0)" } ?? "")"
    }
}
