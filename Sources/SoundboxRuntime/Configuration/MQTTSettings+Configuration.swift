import SoundboxMQTT

extension MQTTSettings {
    /// How the box of this configuration reaches its broker. Reads the password file; blocks on the disk.
    public init(_ configuration: Configuration) throws {
        let broker = configuration.broker
        self.init(
            host: broker.address.host, port: broker.address.port,
            tls: broker.address.usesTLS
                ? TLS(caFile: broker.caFile, certFile: broker.certFile, keyFile: broker.keyFile, pins: broker.pins)
                : nil,
            username: broker.username, password: try broker.passwordFile.map { try SecretFile(path: $0).read() },
            // The broker keeps undelivered payments under this name, so it never changes and is nobody else's.
            clientID: "soundbox-\(configuration.merchantID)-\(configuration.deviceID)", topics: configuration.topics)
    }
}
