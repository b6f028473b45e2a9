/// How a broker is reached: what the section `broker` of a configuration says.
public struct BrokerSettings: Sendable, Equatable {
    /// At least one; all of them with TLS, or none.
    public var addresses: [BrokerAddress]
    /// After this much silence the connection is probed; whole seconds. A broker that asks for a longer time, or for none,
    /// is probed nevertheless. A dead connection is noticed after at most twice this time and two seconds; the default
    /// is for boxes on mains power.
    public var keepAlive = Duration.seconds(10)
    /// The first attempt after a good connection has ended is made at a random moment within this time, so that ten
    /// thousand boxes do not return in the same second.
    public var reconnectWindow = Duration.seconds(5)
    public var protocolChoice = BrokerProtocol.auto
    /// How long the broker is asked to keep undelivered messages for an absent client: whole seconds. It may grant less;
    /// MQTT 3.1.1 cannot ask.
    /// The default is longer than shops are closed.
    public var sessionExpiry = Duration.seconds(30 * 24 * 3600)
    public var username: String?
    /// In a file of its own, so that the configuration can be shown and copied without a secret in it.
    public var passwordFile: String?
    /// Used with addresses that ask for it.
    public var tls = TLS()

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

    package init(addresses: [BrokerAddress]) { self.addresses = addresses }
}

/// The version of MQTT to use with a broker. The raw value is the word of the configuration.
public enum BrokerProtocol: String, Sendable, CaseIterable {
    /// MQTT 5 if the broker speaks it, else 3.1.1.
    case auto
    case v5 = "5"
    case v311 = "3.1.1"
}

/// The client ids of this program. The broker keeps undelivered messages under a client id, and accepts only one client
/// with it at a time.
///
///     ClientID.box(merchant: "M1001", device: "box-01")  // soundbox-M1001-box-01
public enum ClientID {
    /// The client id of a box: `soundbox-{merchant}-{device}`, the same at every start, and different from every other
    /// box's.
    ///
    /// A hyphen in the merchant id is written as `%2D`, and a percent sign as `%25`, so that the first hyphen after
    /// `soundbox-` ends it: `a-b` with the device `c` differs from `a` with the device `b-c`.
    public static func box(merchant: String, device: String) -> String {
        var name = "soundbox-"
        for scalar in merchant.unicodeScalars {
            switch scalar {
            case "-": name += "%2D"
            case "%": name += "%25"
            default: name.unicodeScalars.append(scalar)
            }
        }
        return "\(name)-\(device)"
    }

    /// The client id of a short-lived client beside the box: a new one each time, and never a box's, since it has only
    /// one hyphen.
    /// - Parameter purpose: a word of letters.
    public static func visitor(_ purpose: String) -> String {
        "soundbox-\(purpose).\(String(UInt64.random(in: .min ... .max), radix: 36))"
    }
}
