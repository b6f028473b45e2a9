import SoundboxConfiguration
import SoundboxCore
import SoundboxMQTT
import SoundboxSystem

extension MQTTSettings {
    /// The connection settings of a configuration. Reads the password file; blocks on the disk.
    public init(_ configuration: Configuration) throws {
        let broker = configuration.broker
        for (key, file) in [("ca_file", broker.caFile), ("cert_file", broker.certFile), ("key_file", broker.keyFile)] {
            // Later errors contain the path, and a wrong value may be the key itself.
            guard let file, !file.leadsSomewhere else { continue }
            throw SetupError("broker.\(key) names no file in a folder of this machine; give the path of one")
        }
        self.init(
            hosts: broker.addresses.map { Host($0.host, port: $0.port) },
            tls: broker.addresses.contains(where: \.usesTLS)
                ? TLS(caFile: broker.caFile, certFile: broker.certFile, keyFile: broker.keyFile, pins: broker.pins)
                : nil,
            username: broker.username, password: try broker.passwordFile.map { try SecretFile(path: $0).read() },
            topics: configuration.topics)
        keepAlive = broker.keepAlive
        reconnectWindow = broker.reconnectWindow
        protocolChoice = broker.protocolChoice
        sessionExpiry = broker.sessionExpiry
    }
}
