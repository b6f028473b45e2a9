/// One line of the list of hosts that clips may come from: `cdn.example.com`, `*.example.com`, `cdn.example.com:8443`.
public struct HostRule: Sendable, Hashable, CustomStringConvertible {
    private let name: String
    /// `*.`: every name below it, and not the name itself.
    private let isForBelow: Bool
    /// The one port; `nil` stands for that of the scheme.
    private let port: Int?

    /// - Returns: `nil` unless it is a host's name, with `*.` before it or a port behind it where wanted. A star alone,
    ///   or before a name without a point, would be no list.
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
