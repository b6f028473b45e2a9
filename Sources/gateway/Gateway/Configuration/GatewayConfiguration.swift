import Glibc
import SoundboxCore
import SoundboxMQTT
import SoundboxSystem
import SoundboxYAML

/// Everything that `gateway.yaml` says.
///
///     let configuration = try GatewayConfiguration(readingFile: GatewayConfiguration.defaultPath)
///
/// Reading is strict: an unknown key or a wrong value is refused, with file, line and key.
package struct GatewayConfiguration: Sendable {
    package static let defaultPath = "/etc/soundbox-gateway/gateway.yaml"

    package var broker: BrokerSettings
    /// The broker keeps receipts under it; each gateway has one of its own.
    package var clientID: String
    package var listen: ListenAddress
    /// `nil` serves no metrics.
    package var metrics: ListenAddress?
    package var tokensFile: String
    /// A folder with `{merchant}/{device}.key`, or one file for all boxes; `nil` signs nothing.
    package var keys: String?
    package var database: StoreLocation
    /// The folder of the webhooks' files; `nil` for none.
    package var hooks: String?
    /// Who is told what became of payments.
    package var callbacks: [CallbackReceiver]
    /// Whether this gateway, of several, tells a box that its payments were published again.
    package var reconciles: Bool
    /// The currency of a payment that names none.
    package var currency: Currency
    /// Kinds that the boxes' voices have, besides payments and refunds.
    package var kinds: Set<KindName>
    /// How long payments are kept.
    package var keep: Duration
    /// Where the keys stand that name files: `gateway.yaml:3: hooks: `.
    private var places: [String: String] = [:]
    /// The file, and the hash of what it held.
    private var source: (path: String, hash: [UInt8]?)?

    /// Blocks on the disk.
    package init(readingFile path: String) throws(YAMLError) {
        let hash = Self.hash(ofFile: path)
        try self.init(reading: try YAMLValue(readingFile: path, isConfidential: true))
        source = (path, hash)
    }

    /// Whether its file holds something else by now. Blocks on the disk.
    package var isOutdated: Bool { source.map { Self.hash(ofFile: $0.path) != $0.hash } ?? false }

    private static func hash(ofFile path: String) -> [UInt8]? {
        (try? SmallFile.content(of: path)).map { SHA256.hash(of: $0) }
    }

    /// Reads the secrets of callbacks; blocks on the disk.
    ///
    /// - Parameter file: its name in errors; nothing is read from it.
    package init(parsing text: String, file: String) throws(YAMLError) {
        try self.init(reading: try YAMLValue(parsing: text, file: file, isConfidential: true))
    }

    private init(reading yaml: YAMLValue) throws(YAMLError) {
        let top = try yaml.mapping()
        broker = try BrokerSettings(reading: try top.required("broker").mapping())
        let id = try top.required("client_id")
        clientID = try id.string()
        guard (1...128).contains(clientID.utf8.count), clientID.unicodeScalars.allSatisfy({ !$0.isControl }) else {
            throw id.error("expected 1 to 128 bytes without control characters")
        }
        listen =
            try top.read("listen") { try ListenAddress(reading: $0) } ?? ListenAddress(.v4([127, 0, 0, 1]), port: 8090)
        metrics = try top.read("metrics") { try ListenAddress(reading: $0) }
        tokensFile = try top.read("tokens_file") { try $0.path() } ?? "/etc/soundbox-gateway/tokens"
        keys = try top.read("keys") { try $0.path() }
        let password = try top.read("database_password_file") { try $0.path() }
        database =
            try top.read("database") { try StoreLocation(reading: $0, passwordFile: password) }
            ?? .file("/var/lib/soundbox-gateway/gateway.sqlite")
        if case .file = database, let key = top.optional("database_password_file") {
            throw key.error("needs a database that is an address: postgresql://…")
        }
        hooks = try top.read("hooks") { try $0.path() }
        callbacks = try top.read("callbacks") { try CallbackReceiver.all(reading: $0) } ?? []
        reconciles = try top.read("reconciles") { try $0.bool() } ?? false
        currency = try top.read("currency") { try $0.currency() } ?? .CNY
        kinds = []
        for value in try top.optional("kinds")?.list() ?? [] {
            guard let kind = KindName(try value.string()) else {
                throw value.error("expected the name of a kind: small letters, digits and underscores")
            }
            kinds.insert(kind)
        }
        // Longer than a payment may wait.
        keep = try top.read("keep") { try $0.duration(in: .days(4) ... .days(365)) } ?? .days(7)
        for key in ["tokens_file", "keys", "database", "hooks"] {
            places[key] = (top.optional(key) ?? yaml).error("").description
        }
        try top.refuseOtherKeys()
    }

    /// Names the key that a file comes from, and where it stands.
    package func using<Value>(_ key: String, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let error as YAMLError {
            // It has a file and line of its own.
            throw error
        } catch {
            let place = places[key] ?? ""
            throw NamedFileError(description: "\(place)\(place.hasSuffix("\(key): ") ? "" : "\(key): ")\(error)")
        }
    }

    private struct NamedFileError: Error, CustomStringConvertible {
        let description: String
    }

    /// How the broker is reached. Reads the password file; blocks on the disk.
    package func brokerSettings() throws -> MQTTSettings {
        // A client of many boxes uses no topics of one.
        try MQTTSettings(broker, topics: try Topics(merchant: "gateway", device: "gateway"))
    }

    package var decoder: PaymentNoticeDecoder { PaymentNoticeDecoder(defaultCurrency: currency, kinds: kinds) }
}

extension StoreLocation {
    /// A path, or an address as `postgresql://user@host/database`.
    fileprivate init(reading value: YAMLValue, passwordFile: String?) throws(YAMLError) {
        let text = try value.string()
        guard PostgreSQLAddress.isAddress(text) else {
            self = .file(try value.path())
            return
        }
        do throws(PostgreSQLAddressError) {
            self = .server(try PostgreSQLAddress(text, passwordFile: passwordFile))
        } catch { throw value.error("\(error)") }
    }
}

extension ListenAddress {
    /// `"127.0.0.1:8090"`
    fileprivate init(reading value: YAMLValue) throws(YAMLError) {
        let text = try value.string()
        let match = text.wholeMatch(of: /(?:\[([0-9A-Fa-f:.]+)\]|([0-9.]+)):([0-9]{1,5})/)
        guard let match, let port = Int(match.3), 1...65_535 ~= port,
            let address = match.2.map({ Self.bytes($0, AF_INET, 4) }) ?? match.1.map({ Self.bytes($0, AF_INET6, 16) }),
            let address = address.flatMap({ InternetAddress(bytes: $0) })
        else {
            throw value.error(
                "expected an address of this machine and a port, such as \"127.0.0.1:8090\" or \"[::1]:8090\"")
        }
        // Tokens and amounts go unencrypted: a proxy on this machine, or in its network, ends TLS.
        guard !address.isPublic else {
            throw value.error("is an address of the Internet; expected one of this machine or of a private network")
        }
        value.mayBeShown()
        self.init(address, port: port)
    }

    /// In network byte order.
    private static func bytes(_ text: Substring, _ family: Int32, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return inet_pton(family, String(text), &bytes) == 1 ? bytes : nil
    }
}
