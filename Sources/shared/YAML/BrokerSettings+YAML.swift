import SoundboxCore
import SoundboxSystem

extension BrokerSettings {
    /// Reads the keys of a section `broker`, and refuses others.
    ///
    /// - Parameter others: reads further keys. Called after those before it, so that a mistake there masks none of them.
    package init(
        reading mapping: YAMLMapping, others: () throws(YAMLError) -> Void = {}
    ) throws(YAMLError) {
        let url = try mapping.required("url")
        self.init(addresses: [])
        keepAlive = try mapping.read("keep_alive") { try $0.duration(in: .seconds(5) ... .hours(1)) } ?? keepAlive
        reconnectWindow =
            try mapping.read("reconnect_window") { try $0.duration(in: .zero ... .minutes(5)) } ?? reconnectWindow
        protocolChoice = try mapping.read("protocol") { try $0.choice(of: BrokerProtocol.self) } ?? protocolChoice
        sessionExpiry =
            try mapping.read("session_expiry") { try $0.duration(in: .hours(1) ... .days(365)) } ?? sessionExpiry
        let password = try mapping.read("password_file") { try $0.path() }
        passwordFile = password
        // Alone it may be a token, which is a secret; with a password file it is a name.
        username = try mapping.read("username") { try password?.leadsSomewhere == true ? $0.name() : $0.string() }
        tls.caFile = try mapping.read("ca_file") { try $0.path() }
        tls.certFile = try mapping.read("cert_file") { try $0.path() }
        tls.keyFile = try mapping.read("key_file") { try $0.path() }
        tls.pins = try mapping.read("pin_sha256") { try $0.pins() } ?? tls.pins
        try others()
        try mapping.refuseOtherKeys()
        addresses = try url.brokers()
        if protocolChoice == .v311, let expiry = mapping.optional("session_expiry") {
            throw expiry.error("is of use with MQTT 5 only")
        }
        for key in ["ca_file", "cert_file", "key_file", "pin_sha256"] {
            guard let value = mapping.optional(key), !addresses[0].usesTLS else { continue }
            throw value.error("is of use with an mqtts:// URL only")
        }
        guard (tls.certFile == nil) == (tls.keyFile == nil) else {
            throw mapping.value.error("cert_file and key_file go together; one of them is missing")
        }
        guard passwordFile == nil || username != nil else {
            throw mapping.value.error("a password_file needs a username beside it")
        }
    }
}

extension YAMLValue {
    package func oneOrMoreValues() throws(YAMLError) -> [YAMLValue] {
        guard isList else { return [self] }
        let values = try list()
        guard !values.isEmpty else { throw error("expected at least one") }
        return values
    }

    /// `mqtts://host`, or a list: the nodes of one cluster.
    package func brokers() throws(YAMLError) -> [BrokerAddress] {
        var brokers: [BrokerAddress] = []
        for value in try oneOrMoreValues() {
            let text = try value.string()
            let broker: BrokerAddress
            do { broker = try BrokerAddress(url: text) } catch { throw value.error(error.reason) }
            if broker.host.isName { value.mayBeShown() }
            if let first = brokers.first, first.usesTLS != broker.usesTLS {
                throw value.error("is to be mqtts:// like the others, or none of them: the weakest would count")
            }
            guard !brokers.contains(broker) else { throw value.error("is there twice") }
            brokers.append(broker)
        }
        guard brokers.count <= BrokerAddress.most else {
            throw error(
                "expected at most \(BrokerAddress.most); a name may have several addresses, which are all tried")
        }
        return brokers
    }

    /// Never shown: a signing key in the wrong line looks the same. 32 bytes are 43 characters of base64 and one of
    /// padding.
    package func pins() throws(YAMLError) -> [String] {
        var pins: [String] = []
        for value in try oneOrMoreValues() {
            let text = try value.string()
            guard text.wholeMatch(of: /[A-Za-z0-9+\/]{43}=/) != nil else {
                throw value.error("expected the SHA-256 of a public key in base64, 44 characters")
            }
            pins.append(text)
        }
        return pins
    }

    package func currency() throws(YAMLError) -> Currency {
        let text = try string()
        guard let currency = Currency(text) else {
            throw error("expected a currency code of ISO 4217 such as CNY\(found(text))")
        }
        mayBeShown()
        return currency
    }

    /// A name as it appears in topics and in the log.
    package func name() throws(YAMLError) -> String {
        let text = try string()
        if text.isName { mayBeShown() }
        return text
    }
}

extension Duration {
    package static func minutes(_ count: Int) -> Duration { .seconds(count * 60) }
    package static func hours(_ count: Int) -> Duration { .minutes(count * 60) }
    package static func days(_ count: Int) -> Duration { .hours(count * 24) }
}

extension String {
    /// Short, and made of the characters of names.
    package var isName: Bool {
        (1...64).contains(unicodeScalars.count)
            && allSatisfy { $0.isLetter || $0.isNumber || "._-/:@ ".contains($0) } && !hasPrefix(" ")
    }
}
