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
