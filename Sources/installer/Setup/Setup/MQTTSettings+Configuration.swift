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
        try self.init(broker, topics: configuration.topics)
    }
}
