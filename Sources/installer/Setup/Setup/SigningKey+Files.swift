import SoundboxBox
import SoundboxConfiguration
import SoundboxCore
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
