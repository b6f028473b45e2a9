/// The address of a broker, as in the configuration: `mqtt://host[:port]` or `mqtts://host[:port]`.
///
///     let address = try BrokerAddress(url: "mqtts://broker.example")
///     print(address.port)  // 8883
public struct BrokerAddress: Sendable, Equatable, CustomStringConvertible {
    /// A name or a numeric address; an IPv6 address without its brackets.
    public var host: String
    /// 1–65,535.
    public var port: Int
    /// Whether the connection is encrypted and the broker authenticated.
    public var usesTLS: Bool

    /// The most addresses of one box. Larger clusters have one name for all nodes.
    public static let most = 16

    public init(host: String, port: Int, usesTLS: Bool) {
        self.host = host
        self.port = port
        self.usesTLS = usesTLS
    }

    /// Reads `mqtt://host[:port]` (port 1883 by default) or `mqtts://host[:port]` (8883). An IPv6 address is in
    /// brackets, as in `mqtt://[::1]:1883`.
    ///
    /// User names, passwords and paths are refused. The first two have settings of their own, so that a URL can be
    /// logged and shown; MQTT does not use the third. An error repeats nothing of the URL, because the wrong part may
    /// be a password: in `mqtt://box:secret`, which lacks the host, it looks like a wrong port.
    public init(url: String) throws(BrokerAddressError) {
        func failure(_ reason: String) -> BrokerAddressError { BrokerAddressError(reason: reason) }

        guard let separator = url.firstRange(of: "://") else {
            throw failure("write it as mqtt://host:port or mqtts://host:port")
        }
        switch url[..<separator.lowerBound].lowercased() {
        case "mqtt": usesTLS = false
        case "mqtts": usesTLS = true
        default: throw failure("the scheme is mqtt or mqtts")
        }
        var authority = url[separator.upperBound...]
        if authority.contains("@") {
            throw failure("user name and password have settings of their own (username, password_file)")
        }
        if authority.hasSuffix("/") { authority.removeLast() }
        if authority.contains(where: { "/?#".contains($0) }) {
            throw failure("nothing may follow the port; topics have settings of their own")
        }

        let portText: Substring?
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { throw failure("the bracket [ is never closed") }
            host = String(authority[authority.index(after: authority.startIndex)..<end])
            let rest = authority[authority.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { throw failure("only :port may follow the bracket ]") }
            portText = rest.isEmpty ? nil : rest.dropFirst()
            guard host.contains(":") else { throw failure("only an IPv6 address stands in brackets") }
        } else if let colon = authority.firstIndex(of: ":") {
            host = String(authority[..<colon])
            portText = authority[authority.index(after: colon)...]
            if authority[colon...].dropFirst().contains(":") {
                throw failure("an IPv6 address stands in brackets, as in mqtt://[::1]:1883")
            }
        } else {
            host = String(authority)
            portText = nil
        }
        guard !host.isEmpty else { throw failure("the host is missing") }
        guard host.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw failure("the host contains a space or a control character")
        }
        if let portText {
            let isNumber = !portText.isEmpty && portText.utf8.allSatisfy { (0x30...0x39).contains($0) }
            guard isNumber, let number = Int(portText), (1...65_535).contains(number) else {
                throw failure("the port is a number from 1 to 65535")
            }
            port = number
        } else {
            port = usesTLS ? 8883 : 1883
        }
    }

    /// Reads one or several, separated by commas or spaces, as a person types them.
    public static func list(_ text: String) throws(BrokerAddressError) -> [BrokerAddress] {
        var brokers: [BrokerAddress] = []
        for part in text.split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
            let broker = try BrokerAddress(url: String(part))
            guard broker.usesTLS == brokers.first?.usesTLS ?? broker.usesTLS else {
                throw BrokerAddressError(reason: "all of them are mqtts:// or none is: the weakest would count")
            }
            if !brokers.contains(broker) { brokers.append(broker) }
        }
        guard !brokers.isEmpty else {
            throw BrokerAddressError(reason: "write it as mqtt://host:port or mqtts://host:port")
        }
        guard brokers.count <= most else { throw BrokerAddressError(reason: "\(most) are the most") }
        return brokers
    }

    /// The address as a URL.
    public var description: String {
        "\(usesTLS ? "mqtts" : "mqtt")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}

/// Why a broker URL cannot be used.
public struct BrokerAddressError: Error, Sendable, Equatable, CustomStringConvertible {
    public var reason: String

    public var description: String { "this broker URL cannot be used: \(reason)" }
}
