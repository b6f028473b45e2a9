/// The address of a clip, taken apart.
///
/// What a library for URLs would forgive is refused here, and ``text`` is put together from the checked parts. So nothing
/// that reads it later can find another host in it.
public struct ClipURL: Sendable, Hashable {
    public enum Scheme: String, Sendable {
        case http
        case https

        public var port: Int { self == .https ? 443 : 80 }
    }

    public let scheme: Scheme
    /// In small letters: a name of letters, digits, hyphens and points, or an IPv4 address in four parts.
    public let host: String
    public let port: Int
    /// From the first slash on, with the query. Never empty.
    public let target: String

    /// A longer one is refused.
    public static let longest = 2048

    /// - Throws: what was expected instead, for people. The text itself is not repeated.
    public init(parsing text: String) throws(ClipError) {
        guard text.utf8.count <= Self.longest else {
            throw ClipError("url: expected at most \(Self.longest) bytes")
        }
        // No blank, no control character, and none that is not ASCII: a name in another script comes as xn--….
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
        // What follows # is never sent.
        let path = rest[end...].prefix { $0 != "#" }
        target = path.hasPrefix("/") ? String(path) : "/" + path
    }

    /// As it is asked for; always with its port.
    public var text: String { "\(scheme.rawValue)://\(host):\(port)\(target)" }

    /// Where the answer to this address sends its reader: a whole URL, or a path of the same host.
    public func redirected(to location: String) throws(ClipError) -> ClipURL {
        if location.hasPrefix("//") { return try ClipURL(parsing: "\(scheme.rawValue):\(location)") }
        if location.hasPrefix("/") { return try ClipURL(parsing: "\(scheme.rawValue)://\(host):\(port)\(location)") }
        return try ClipURL(parsing: location)
    }

    /// `"<>\^`{|}[]`: what RFC 3986 does not allow, or only for an IPv6 address, which is no name of a host.
    private static let forbidden = Set("\"<>\\^`{|}[]".utf8)

    private static func schemeAndRest(_ text: String) throws(ClipError) -> (Scheme, Substring) {
        let small = text.prefix(8).lowercased()
        if small.hasPrefix("https://") { return (.https, text.dropFirst(8)) }
        if small.hasPrefix("http://") { return (.http, text.dropFirst(7)) }
        throw ClipError("url: expected https://HOST/…")
    }
}

/// A host's name by the rules of RFC 1123, section 2.1: labels of letters, digits and hyphens.
struct HostName: Hashable {
    /// In small letters.
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
        // A name whose last label is a number is one of the many ways to write an IPv4 address (inet_aton(3)). The plain
        // way is the only one that is taken.
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
