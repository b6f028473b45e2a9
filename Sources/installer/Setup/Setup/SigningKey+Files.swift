import SoundboxBox
import SoundboxConfiguration
import SoundboxCore
import SoundboxMQTT
import SoundboxSystem

extension Configuration.Authenticity {
    /// The valid keys. Blocks on the disk.
    package func readKeys() throws(SecretFileError) -> [SigningKey] {
        var keys = [try SigningKey(readingFile: keyFile)]
        if let nextKeyFile { keys.append(try SigningKey(readingFile: nextKeyFile)) }
        return keys
    }
}

extension MessageVerifier {
    /// `nil` if the box has no key. Reads the key files; blocks on the disk.
    package init?(_ configuration: Configuration) throws(SecretFileError) {
        guard let authenticity = configuration.authenticity else { return nil }
        self.init(
            keys: try authenticity.readKeys(), required: authenticity.required, topics: configuration.topics)
    }
}

extension MessageSigner {
    /// `nil` if the box has no key. Reads the key file; blocks on the disk.
    /// - Throws: the problem with that file.
    /// - Parameter topic: the topic of the messages; a signature is not valid on another topic.
    public init?(_ configuration: Configuration, topic: Topic = .payments) throws {
        guard let authenticity = configuration.authenticity else { return nil }
        self.init(key: try SigningKey(readingFile: authenticity.keyFile), topic: configuration.topics[topic])
    }
}

extension MQTTSettings {
    /// The connection settings of a configuration. Reads the password file; blocks on the disk.
    public init(_ configuration: Configuration) throws {
        let broker = configuration.broker
        for (key, file) in [
            ("ca_file", broker.tls.caFile), ("cert_file", broker.tls.certFile), ("key_file", broker.tls.keyFile),
        ] {
            // Later errors contain the path, and a wrong value may be the key itself.
            guard let file, !file.leadsSomewhere else { continue }
            throw SetupError("broker.\(key) names no file in a folder of this machine; give the path of one")
        }
        try self.init(broker, topics: configuration.topics)
    }
}
