import SoundboxCore

/// How one box reaches its broker. Except for the topics, nothing is checked before a connection is made.
public struct MQTTSettings: Sendable, Equatable {
    /// How broker and box prove who they are. Verification of the host name, and TLS 1.2 as the oldest version, cannot be
    /// turned off.
    public struct TLS: Sendable, Equatable {
        /// PEM file of the authorities to trust; `nil` trusts the system's (`/etc/ssl/certs`).
        public var caFile: String?
        /// PEM file of the box's own certificate, for brokers that ask for one; goes with ``keyFile``.
        public var certFile: String?
        /// PEM file of the unencrypted private key to ``certFile``.
        public var keyFile: String?
        /// The keys that the broker may have, in addition to every other check: SHA-256 of the SubjectPublicKeyInfo in
        /// base64 (RFC 7469, section 2.4). When empty, any key that a trusted authority vouches for will do.
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
    /// The same at every start, and used by no other client: the broker keeps undelivered payments under it.
    public var clientID: String
    public var topics: Topics
    /// After this much silence the connection is probed: whole seconds, at least ``leastKeepAlive``. A dead connection is
    /// noticed after twice this time at most.
    package var keepAlive = Duration.seconds(30)
    /// The most that the broker may take from the start of the TCP connection to the last confirmed subscription.
    package var handshakeLimit = Duration.seconds(20)
    /// The most that the last receipts and the offline status may take at the end. After that the connection is dropped.
    package var farewellLimit = Duration.seconds(3)

    /// A shorter keep-alive would take a slow network for a dead one.
    static let leastKeepAlive = Duration.seconds(5)

    public init(
        host: String, port: Int = 1883, tls: TLS? = nil, username: String? = nil, password: String? = nil,
        clientID: String, topics: Topics
    ) {
        self.host = host
        self.port = port
        self.tls = tls
        self.username = username
        self.password = password
        self.clientID = clientID
        self.topics = topics
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
