import SoundboxCore
import SoundboxSystem

/// How one box reaches its broker.
///
///     var settings = MQTTSettings(
///         hosts: [.init("broker.example", port: 8883)], tls: MQTTSettings.TLS(), topics: topics)
///     settings.username = "box-01"
///     settings.keepAlive = .seconds(30)
///
/// Except for the topics, nothing is checked before a connection is made.
public struct MQTTSettings: Sendable, Equatable {
    /// How broker and box authenticate each other. Verification of the host name, and TLS 1.2 as the oldest version,
    /// cannot be turned off.
    public struct TLS: Sendable, Equatable {
        /// PEM file of the authorities to trust; `nil` trusts the system's (`/etc/ssl/certs`).
        public var caFile: String?
        /// PEM file of the box's own certificate, for brokers that require one; goes with ``keyFile``.
        public var certFile: String?
        /// PEM file of the unencrypted private key of ``certFile``.
        public var keyFile: String?
        /// The keys that the broker may have, in addition to every other check: SHA-256 of the SubjectPublicKeyInfo in
        /// base64 (RFC 7469, section 2.4). Empty accepts any key that a trusted authority has certified.
        public var pins: [String]

        public init(caFile: String? = nil, certFile: String? = nil, keyFile: String? = nil, pins: [String] = []) {
            self.caFile = caFile
            self.certFile = certFile
            self.keyFile = keyFile
            self.pins = pins
        }
    }

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

    /// At least one. Several are the nodes of one cluster, which share the box's session: they are tried in turn.
    public var hosts: [Host]
    /// The same for all hosts. `nil` is an unencrypted connection.
    public var tls: TLS?
    public var username: String?
    /// The password itself. Never shown by ``description`` or a mirror.
    public var password: String?
    /// The same at every start, and used by no other client: the broker keeps undelivered payments under it.
    public var clientID: String { topics.clientID }
    public var topics: Topics
    /// After this much silence the connection is probed: whole seconds, at least ``leastKeepAlive``. A broker
    /// that asks for a longer time, or for none, is probed nevertheless. A dead connection is noticed after at most twice this time and two seconds.
    public var keepAlive = usual.keepAlive
    /// The first attempt after a good connection has ended is made at a random moment within this time, so that ten
    /// thousand boxes do not return in the same second. If there is another address, within ``longestDetour`` at most.
    public var reconnectWindow = usual.reconnectWindow
    /// Which version of MQTT is spoken.
    public var protocolChoice = usual.protocolChoice
    /// With ``BrokerProtocol/auto``, asks for 3.1.1 first: MQTT 5 has ended the program before.
    public var avoids5 = false
    /// How long the broker should keep undelivered messages for an absent box: whole seconds. A broker may grant less;
    /// MQTT 3.1.1 cannot ask.
    public var sessionExpiry = usual.sessionExpiry
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

    /// What a configuration that says nothing means.
    private static let usual = BrokerSettings(addresses: [])
    /// A shorter keep-alive would take a slow network for a dead one.
    public static let leastKeepAlive = Duration.seconds(5)
    /// A killed node must be left within 2 s, including the connection to the next one.
    static let longestDetour = Duration.milliseconds(1500)

    public init(
        hosts: [Host], tls: TLS? = nil, username: String? = nil, password: String? = nil, topics: Topics
    ) {
        self.hosts = hosts
        self.tls = tls
        self.username = username
        self.password = password
        self.topics = topics
    }

    /// The brokers' addresses as URLs.
    public var brokers: [BrokerAddress] {
        hosts.map { BrokerAddress(host: $0.name, port: $0.port, usesTLS: tls != nil) }
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
        let user = username.map { " as \"\($0)\"" } ?? ""
        return "\(brokers.map(\.description).joined(separator: ", "))\(user), client id \"\(clientID)\""
    }

    /// Without the password, so that neither `dump` nor an interpolated container shows it.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "brokers": brokers.map(\.description), "username": username as Any, "clientID": clientID,
                "topics": topics,
                "keepAlive": keepAlive,
            ])
    }
}

extension MQTTSettings {
    /// As a configuration says. Reads the password file; blocks on the disk.
    package init(_ broker: BrokerSettings, topics: Topics) throws(SecretFileError) {
        self.init(
            hosts: broker.addresses.map { Host($0.host, port: $0.port) },
            tls: broker.addresses.contains(where: \.usesTLS)
                ? TLS(caFile: broker.caFile, certFile: broker.certFile, keyFile: broker.keyFile, pins: broker.pins)
                : nil,
            username: broker.username,
            password: try broker.passwordFile.map { (path) throws(SecretFileError) in try SecretFile(path: path).read()
            },
            topics: topics)
        keepAlive = broker.keepAlive
        reconnectWindow = broker.reconnectWindow
        protocolChoice = broker.protocolChoice
        sessionExpiry = broker.sessionExpiry
    }
}
