/// The URL of a clip, parsed.
///
///     let url = try ClipURL(parsing: "https://cdn.example.com/a.wav")
///     print(url.host, url.port, url.target)  // cdn.example.com 443 /a.wav
///
/// It refuses what a URL library would accept leniently, and ``text`` is made from the checked parts. So no later
/// reader can find another host in it.
public struct ClipURL: Sendable, Hashable {
    public enum Scheme: String, Sendable {
        case http
        case https

        public var port: Int { self == .https ? 443 : 80 }
    }

    public let scheme: Scheme
    /// In lower case: a name of letters, digits, hyphens and dots, or an IPv4 address in four parts.
    public let host: String
    public let port: Int
    /// From the first slash on, with the query. Never empty.
    public let target: String

    /// The most bytes of a URL.
    public static let longest = 2048

    /// - Throws: what was expected, for people. Does not repeat the text.
    public init(parsing text: String) throws(ClipError) {
        guard text.utf8.count <= Self.longest else {
            throw ClipError("url: expected at most \(Self.longest) bytes")
        }
        // No spaces, no control characters, and only ASCII: a name in another script is written as xn--….
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !Self.forbidden.contains($0) }) else {
            throw ClipError("url: expected printable ASCII without quotes, backslashes and brackets")
        }
        let (scheme, rest) = try Self.schemeAndRest(text)
        self.scheme = scheme
        let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        let authority = rest[..<end]
        guard !authority.contains("@") else { throw ClipError("url: expected no user name or password") }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard let name = parts.first, parts.count <= 2, let host = HostName(String(name)) else {
            throw ClipError("url: expected the name of a host and at most a port behind it")
        }
        self.host = host.text
        if parts.count == 2 {
            guard parts[1].utf8.count <= 5, parts[1].utf8.allSatisfy(\.isDigit), let port = Int(parts[1]),
                (1...65_535).contains(port)
            else { throw ClipError("url: expected a port of 1–65535") }
            self.port = port
        } else {
            port = scheme.port
        }
        // The fragment after # is never sent.
        let path = rest[end...].prefix { $0 != "#" }
        target = path.hasPrefix("/") ? String(path) : "/" + path
    }

    /// The URL as it is requested; always with its port.
    public var text: String { "\(scheme.rawValue)://\(host):\(port)\(target)" }

    /// The URL of a redirect: a whole URL, or a path on the same host.
    public func redirected(to location: String) throws(ClipError) -> ClipURL {
        if location.hasPrefix("//") { return try ClipURL(parsing: "\(scheme.rawValue):\(location)") }
        if location.hasPrefix("/") { return try ClipURL(parsing: "\(scheme.rawValue)://\(host):\(port)\(location)") }
        return try ClipURL(parsing: location)
    }

    /// `"<>\^`{|}[]`: not allowed by RFC 3986, or only for an IPv6 address, which is no host name.
    private static let forbidden = Set("\"<>\\^`{|}[]".utf8)

    private static func schemeAndRest(_ text: String) throws(ClipError) -> (Scheme, Substring) {
        let small = text.prefix(8).lowercased()
        if small.hasPrefix("https://") { return (.https, text.dropFirst(8)) }
        if small.hasPrefix("http://") { return (.http, text.dropFirst(7)) }
        throw ClipError("url: expected https://HOST/…")
    }
}

/// A host name by RFC 1123, section 2.1: labels of letters, digits and hyphens.
struct HostName: Hashable {
    /// In lower case.
    let text: String

    init?(_ text: String) {
        guard (1...253).contains(text.utf8.count) else { return nil }
        let small = text.lowercased()
        let labels = small.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard
            labels.allSatisfy({ label in
                (1...63).contains(label.count) && label.allSatisfy { $0.isSmallLetter || $0.isDigit || $0 == 0x2D }
                    && label.first != 0x2D && label.last != 0x2D
            })
        else { return nil }
        // A name whose last label is a number is one of the many ways to write an IPv4 address (inet_aton(3)). Only the
        // usual form is accepted.
        if let last = labels.last, last.first?.isDigit == true {
            guard labels.count == 4,
                labels.allSatisfy({ label in
                    label.count <= 3 && label.allSatisfy(\.isDigit) && (label.count == 1 || label.first != 0x30)
                        && (Int(String(decoding: label, as: UTF8.self)) ?? 256) <= 255
                })
            else { return nil }
        }
        self.text = small
    }
}

extension UInt8 {
    fileprivate var isSmallLetter: Bool { (0x61...0x7A).contains(self) }
}
