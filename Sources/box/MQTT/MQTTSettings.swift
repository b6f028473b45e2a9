import SoundboxCore
import SoundboxSystem

/// How one box reaches its broker.
///
///     var settings = MQTTSettings(
///         hosts: [.init("broker.example", port: 8883)], tls: MQTTSettings.TLS(), topics: topics)
///     settings.username = "box-01"
///     settings.keepAlive = .seconds(30)
///
/// Has every setting of ``BrokerSettings`` as its own. Except for the topics, nothing is checked before a connection is
/// made.
@dynamicMemberLookup
public struct MQTTSettings: Sendable, Equatable {
    public typealias TLS = BrokerSettings.TLS

    /// Where a broker listens.
    public struct Host: Sendable, Equatable {
        /// A name or a numeric address. The broker's certificate must contain exactly this.
        public var name: String
        public var port: Int

        public init(_ name: String, port: Int) {
            self.name = name
            self.port = port
        }
    }

    private var broker: BrokerSettings
    /// The password itself. Never shown by ``description`` or a mirror.
    public var password: String?
    /// The same at every start, and used by no other client: the broker keeps undelivered payments under it.
    public var clientID: String { topics.clientID }
    public var topics: Topics
    /// With ``BrokerProtocol/auto``, asks for 3.1.1 first: MQTT 5 has ended the program before.
    public var avoids5 = false
    /// How long the broker may take from the start of the TCP connection to the last confirmed subscription.
    package var handshakeLimit = Duration.seconds(20)
    /// The same while there is another address to try.
    package var detourLimit = Duration.seconds(10)
    /// How long the TCP connection may take while there is another address to try; also the name lookup, if there is an
    /// address without it.
    package var openingLimit = Duration.seconds(5)
    /// How long the broker may send a packet without an end. The largest packet of MQTT 5
    /// (``Connection/maximumPacketBytes``) needs less on a line of 30 kbit/s.
    package var stallLimit = Duration.seconds(300)
    /// How long the last receipts and the offline status may take at the end. After that the connection is dropped.
    package var farewellLimit = Duration.seconds(3)

    /// A shorter ``BrokerSettings/keepAlive`` would take a slow network for a dead one.
    public static let leastKeepAlive = Duration.seconds(5)
    /// Replaces a longer ``BrokerSettings/reconnectWindow`` while there is another address: a killed node must be left
    /// within 2 s, including the connection to the next one.
    static let longestDetour = Duration.milliseconds(1500)

    public init(
        hosts: [Host], tls: TLS? = nil, username: String? = nil, password: String? = nil, topics: Topics
    ) {
        broker = BrokerSettings(addresses: [])
        broker.username = username
        self.password = password
        self.topics = topics
        self.hosts = hosts
        self.tls = tls
    }

    public subscript<Value>(dynamicMember setting: WritableKeyPath<BrokerSettings, Value>) -> Value {
        get { broker[keyPath: setting] }
        set { broker[keyPath: setting] = newValue }
    }

    /// The brokers' addresses as URLs.
    public var brokers: [BrokerAddress] { broker.addresses }

    /// At least one. Several are the nodes of one cluster, which share the box's session: they are tried in turn.
    public var hosts: [Host] {
        get { brokers.map { Host($0.host, port: $0.port) } }
        set {
            let usesTLS = tls != nil
            broker.addresses = newValue.map { BrokerAddress(host: $0.name, port: $0.port, usesTLS: usesTLS) }
        }
    }

    /// The same for all hosts. `nil` is an unencrypted connection.
    public var tls: TLS? {
        get { brokers.contains(where: \.usesTLS) ? broker.tls : nil }
        set {
            broker.tls = newValue ?? TLS()
            for index in broker.addresses.indices { broker.addresses[index].usesTLS = newValue != nil }
        }
    }

    /// The same settings with only one of the hosts.
    public func only(_ host: Host) -> MQTTSettings {
        var settings = self
        settings.hosts = [host]
        return settings
    }
}

extension MQTTSettings: CustomStringConvertible, CustomReflectable {
    public var description: String {
        let user = broker.username.map { " as \"\($0)\"" } ?? ""
        return "\(brokers.map(\.description).joined(separator: ", "))\(user), client id \"\(clientID)\""
    }

    /// Without the password, so that neither `dump` nor an interpolated container shows it.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "brokers": brokers.map(\.description), "username": broker.username as Any, "clientID": clientID,
                "topics": topics,
                "keepAlive": broker.keepAlive,
            ])
    }
}

extension MQTTSettings {
    /// As a configuration says. Reads the password file; blocks on the disk.
    package init(_ broker: BrokerSettings, topics: Topics) throws(SecretFileError) {
        self.broker = broker
        self.topics = topics
        password = try broker.passwordFile.map { (path) throws(SecretFileError) in try SecretFile(path: path).read() }
    }
}
