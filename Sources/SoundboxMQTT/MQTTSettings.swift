import SoundboxCore

/// How one box reaches its broker. Nothing in here is checked until a connection is made, except the topics.
public struct MQTTSettings: Sendable, Equatable {
    /// How the broker proves who it is, and how the box does. Host name verification and TLS 1.2 as the oldest
    /// version are not up for choice.
    public struct TLS: Sendable, Equatable {
        /// PEM file of the authorities to trust; `nil` trusts the system's (`/etc/ssl/certs`).
        public var caFile: String?
        /// PEM file of the box's own certificate, for brokers that ask for one; goes with ``keyFile``.
        public var certFile: String?
        /// PEM file of the unencrypted private key to ``certFile``.
        public var keyFile: String?
        /// The broker's key must be one of these, besides everything else: the SHA-256 of its SubjectPublicKeyInfo in
        /// base64 (RFC 7469, section 2.4). Empty believes any key that a trusted authority vouches for.
        public var pins: [String]

        public init(caFile: String? = nil, certFile: String? = nil, keyFile: String? = nil, pins: [String] = []) {
            self.caFile = caFile
            self.certFile = certFile
            self.keyFile = keyFile
            self.pins = pins
        }
    }

    /// A name or a numeric address. The broker's certificate must carry exactly this.
    public var host: String
    public var port: Int
    /// `nil` is an unencrypted connection.
    public var tls: TLS?
    public var username: String?
    /// The password itself. Never shown by ``description`` or a mirror.
    public var password: String?
    /// The same at every start of the box, and no other client's: the broker keeps undelivered payments under it.
    public var clientID: String
    public var topics: Topics
    /// After how much silence the connection is probed, in whole seconds, at least 5 s. A dead connection is noticed
    /// after at most twice this time.
    public var keepAlive: Duration
    /// How long the broker may take from the start of the TCP connection to the last confirmed subscription.
    public var handshakeLimit: Duration
    /// A larger message is skipped as it arrives, and never kept in memory.
    public var maximumPayloadBytes = PaymentNoticeDecoder.maximumPayloadBytes
    /// How long the last receipts and the offline status may take at the end, before the connection is just dropped.
    public var farewellLimit = Duration.seconds(3)

    public init(
        host: String, port: Int = 1883, tls: TLS? = nil, username: String? = nil, password: String? = nil,
        clientID: String, topics: Topics, keepAlive: Duration = .seconds(30),
        handshakeLimit: Duration = .seconds(20)
    ) {
        self.host = host
        self.port = port
        self.tls = tls
        self.username = username
        self.password = password
        self.clientID = clientID
        self.topics = topics
        self.keepAlive = keepAlive
        self.handshakeLimit = handshakeLimit
    }

    /// The broker's address as a URL.
    public var broker: BrokerAddress { BrokerAddress(host: host, port: port, usesTLS: tls != nil) }
}

extension MQTTSettings: CustomStringConvertible, CustomReflectable {
    public var description: String {
        let user = username.map { " as \"\($0)\"" } ?? ""
        return "\(broker)\(user), client id \"\(clientID)\""
    }

    /// Without the password, so that neither `dump` nor an interpolated container shows it.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "broker": broker.description, "username": username as Any, "clientID": clientID, "topics": topics,
                "keepAlive": keepAlive,
            ])
    }
}
