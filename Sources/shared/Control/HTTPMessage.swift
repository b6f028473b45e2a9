import SoundboxCore

/// A request to an ``HTTPServer``.
package struct HTTPRequest: Sendable, Equatable {
    /// As it was sent: `GET`.
    package var method: String
    /// As it was sent, without the query, and not decoded.
    package var path: String
    /// In their order, a name as often as it was sent. The values are decoded.
    package var query: [(name: String, value: String)]
    /// The headers that the server was asked to pass on, by their names in lower case. Of several with one name, the
    /// first.
    package var headers: [String: String] = [:]
    package var body: [UInt8]

    /// - Parameter target: the part between method and version, such as `/history?limit=3`, or a whole URL, as a proxy
    ///   gets it.
    package init(method: String, target: some Collection<UInt8>, body: [UInt8] = []) {
        self.method = method
        self.body = body
        let parts = target.prefix { $0 != UInt8(ascii: "#") }
            .split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        path = Self.path(String(decoding: parts[0], as: UTF8.self))
        query = parts.dropFirst().flatMap { $0.split(separator: UInt8(ascii: "&")) }.map { pair in
            let sides = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let value = sides.count > 1 ? Array(sides[1]) : []
            return (String(decoding: sides[0], as: UTF8.self), Self.decoded(value))
        }
    }

    package static func == (one: Self, other: Self) -> Bool {
        one.method == other.method && one.path == other.path && one.body == other.body && one.headers == other.headers
            && one.query.elementsEqual(other.query, by: ==)
    }

    private static func path(_ target: String) -> String {
        guard !target.hasPrefix("/"), let scheme = target.firstRange(of: "://") else {
            return target.isEmpty ? "/" : target
        }
        let path = target[scheme.upperBound...].drop { $0 != "/" }
        return path.isEmpty ? "/" : String(path)
    }

    /// Percent-decoded; as it was sent if the result would not be UTF-8.
    private static func decoded(_ value: [UInt8]) -> String {
        var bytes: [UInt8] = []
        var rest = value[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let high = rest.first?.hexadecimalDigit,
                let low = rest.dropFirst().first?.hexadecimalDigit
            {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self) ?? String(decoding: value, as: UTF8.self)
    }
}

/// An answer of an ``HTTPServer``.
package struct HTTPResponse: Sendable, Equatable {
    package var status: Int
    package var contentType: String
    package var body: [UInt8]
    /// In addition to the content type. Neither names nor values may contain a line break.
    package var headers: [(name: String, value: String)] = []
    /// Makes the rest of the body, in pieces that are not empty, each when the one before is on its way; `nil` is the
    /// end. An error cuts the answer off, so that nobody takes it for complete.
    package var rest: (@Sendable () async throws -> [UInt8]?)?

    package init(status: Int, contentType: String, body: [UInt8]) {
        self.status = status
        self.contentType = contentType
        self.body = body
    }

    package static func == (one: Self, other: Self) -> Bool {
        one.status == other.status && one.contentType == other.contentType && one.body == other.body
            && one.headers.elementsEqual(other.headers, by: ==) && (one.rest == nil) == (other.rest == nil)
    }
}
