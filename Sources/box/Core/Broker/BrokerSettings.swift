/// How a broker is reached: what the section `broker` of a configuration says.
public struct BrokerSettings: Sendable, Equatable {
    /// At least one; all of them with TLS, or none.
    public var addresses: [BrokerAddress]
    /// After this much silence the connection is probed; whole seconds.
    public var keepAlive: Duration
    /// After a lost connection, the box reconnects at a random moment within this time.
    public var reconnectWindow: Duration
    public var protocolChoice: BrokerProtocol
    /// How long the broker is asked to keep undelivered messages for an absent client. MQTT 3.1.1 cannot ask.
    public var sessionExpiry: Duration
    public var username: String?
    /// In a file of its own, so that the configuration can be shown and copied without a secret in it.
    public var passwordFile: String?
    public var caFile: String?
    public var certFile: String?
    public var keyFile: String?
    /// Only these keys of the broker are accepted: SHA-256 of its SubjectPublicKeyInfo in base64 (RFC 7469, section
    /// 2.4). Empty accepts any.
    public var pins: [String]

    package init(
        addresses: [BrokerAddress], keepAlive: Duration, reconnectWindow: Duration, protocolChoice: BrokerProtocol,
        sessionExpiry: Duration, username: String?, passwordFile: String?, caFile: String?, certFile: String?,
        keyFile: String?, pins: [String]
    ) {
        self.addresses = addresses
        self.keepAlive = keepAlive
        self.reconnectWindow = reconnectWindow
        self.protocolChoice = protocolChoice
        self.sessionExpiry = sessionExpiry
        self.username = username
        self.passwordFile = passwordFile
        self.caFile = caFile
        self.certFile = certFile
        self.keyFile = keyFile
        self.pins = pins
    }
}
