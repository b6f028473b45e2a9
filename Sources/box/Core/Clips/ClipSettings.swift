/// `clips` in the configuration: where clips may come from, and their limits.
///
///     try settings.check(reference)  // when a command arrives
///     try settings.check(redirect)  // for each redirect
public struct ClipSettings: Sendable, Equatable {
    /// Empty: no clip is fetched.
    public var hosts: [HostRule]
    /// Whether `http://` is allowed besides `https://`. The content is verified by its hash either way.
    public var allowsPlainHTTP: Bool
    /// The largest encoded file, in bytes; at most ``mostBytes``.
    public var largest: Int
    /// The longest sound; at most ``PCMSound/longest``.
    public var longest: Duration
    /// For a whole fetch, including lookup and redirects.
    public var timeout: Duration
    /// The most bytes that the files of the cache may take together.
    public var cache: Int

    public static let mostBytes = 16 << 20

    public init(
        hosts: [HostRule], allowsPlainHTTP: Bool = false, largest: Int = 2 << 20, longest: Duration = PCMSound.longest,
        timeout: Duration = .seconds(10), cache: Int = 20 << 20
    ) {
        self.hosts = hosts
        self.allowsPlainHTTP = allowsPlainHTTP
        self.largest = min(largest, Self.mostBytes)
        self.longest = min(longest, PCMSound.longest)
        self.timeout = timeout
        self.cache = cache
    }

    /// Whether a clip may be requested, before its host's address is known. Call it again for each redirect.
    public func check(_ url: ClipURL) throws(ClipError) {
        guard url.scheme == .https || allowsPlainHTTP else {
            throw ClipError("url: expected https://; http:// needs clips.plain_http")
        }
        guard hosts.contains(where: { $0.allows(url) }) else {
            throw ClipError("url: the host \(url.host), port \(url.port), is not in clips.hosts")
        }
    }

    /// Whether a command may use this clip; called when the command arrives. Never blocks.
    public func check(_ reference: ClipReference) throws(ClipError) {
        guard reference.isHashWellFormed else {
            throw ClipError("sha256: expected 64 hexadecimal digits in small letters")
        }
        if let bytes = reference.bytes, !(1...largest).contains(bytes) {
            throw ClipError("bytes: expected 1–\(largest), found \(bytes)")
        }
        try check(ClipURL(parsing: reference.url))
    }
}

extension ClipReference {
    /// Whether ``sha256`` is 64 hexadecimal digits in lower case. It names a file of the cache.
    public var isHashWellFormed: Bool {
        sha256.utf8.count == 64 && sha256.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}

/// One host that clips may come from: `cdn.example.com`, `*.example.com`, `cdn.example.com:8443`.
public struct HostRule: Sendable, Hashable, CustomStringConvertible {
    private let name: String
    /// `*.`: every name below it, but not the name itself.
    private let isForBelow: Bool
    /// The only allowed port; `nil` for the scheme's default.
    private let port: Int?

    /// - Returns: `nil` unless it is a host name, optionally with `*.` before it or a port after it. A star alone, or
    ///   before a name without a dot, would allow too much.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard let first = parts.first, parts.count <= 2 else { return nil }
        isForBelow = first.hasPrefix("*.")
        guard let host = HostName(String(isForBelow ? first.dropFirst(2) : first)) else { return nil }
        if isForBelow, !host.text.contains(".") || host.text.last?.isNumber == true { return nil }
        name = host.text
        if parts.count == 2 {
            guard let port = Int(parts[1]), (1...65_535).contains(port), String(port) == parts[1] else { return nil }
            self.port = port
        } else {
            port = nil
        }
    }

    public var description: String { (isForBelow ? "*." : "") + name + (port.map { ":\($0)" } ?? "") }

    func allows(_ url: ClipURL) -> Bool {
        (isForBelow ? url.host.hasSuffix(".\(name)") : url.host == name) && url.port == port ?? url.scheme.port
    }
}
