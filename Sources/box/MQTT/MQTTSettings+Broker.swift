import SoundboxCore
import SoundboxSystem

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
